/* The stream to what the rules judge: sums of its records as they pass. */
#ifndef ADVISE_GATHER_H
#define ADVISE_GATHER_H

#include "facts.h"
#include "stage.h"

/* Sets the callbacks. done is called for each file of a section where that
 * ends, before the stage's own end. compat: as in struct facts. */
void gather_bind(struct stage *st, bool compat, void (*done)(struct facts *f));

#endif
