/* --dlprof: the key that DLProf would take, and what is said of it. */
#ifndef ITER_DL_H
#define ITER_DL_H

#include <stdint.h>

#include "buf.h"

struct run;

struct dl {              /* of a section */
	struct buf key;  /* the key that its input names */
	bool by_default; /* nobody asked for the key */
	bool tensorflow; /* which has one by default, if nobody asks */
	bool without;    /* a mode that has none */
	bool decided;    /* it is known whether there is a key */
};

void dl_section(struct run *g); /* begins */

/* A line of metadata; true: it is replaced by what dl_infos() writes. */
bool dl_meta(struct run *g, const char *line, size_t n);

/* An op that by tells of (may be NULL). */
void dl_op(struct run *g, const char *by);

/* At the end: whether there is a key to look for. */
bool dl_has_key(struct run *g);

/* Writes the key, the number of iterations and those that are kept. */
void dl_infos(struct run *g, size_t n_iter);

#endif
