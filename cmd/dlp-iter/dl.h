/* --dlprof: the key that DLProf would take, and what is said of it. */
#ifndef ITER_DL_H
#define ITER_DL_H

#include "state.h"

void dl_section(struct run *g); /* begins */

/* A line of metadata; true: it is replaced by what dl_infos() writes. It can
 * tell that there is no key. */
bool dl_meta(struct run *g, const char *line, size_t n);

/* An op that by tells of (may be NULL). It can tell that there is no key. */
void dl_op(struct run *g, const char *by);

/* At the end: whether there is a key to look for. */
bool dl_has_key(struct run *g);

/* Writes the key, the number of iterations and those that are kept. */
void dl_infos(struct run *g, size_t n_iter);

#endif
