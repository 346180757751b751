/* The place of work. */
#ifndef DLP_PLACE_H
#define DLP_PLACE_H

#include "work.h"

struct corr;

/* Finds the run that launched w, adds w to it and counts it; the work's thread
 * must be swept. */
void work_place(struct corr *c, const struct work *w, struct place *pl);

const char *why_word(enum why w); /* NULL for WHY_NONE */

#endif
