/* --cuts: where iterations begin. */
#ifndef ITER_CUTS_H
#define ITER_CUTS_H

#include "state.h"

/* Writes where the iterations of a file that have begun by now begin, for who
 * needs to know it before their records come; and where step ranges end
 * before the next one. */
void cuts_write(struct run *g, struct source *f, int64_t now);

#endif
