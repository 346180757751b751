/* The stream to what the rules judge: sums of its records as they pass. */
#ifndef ADVISE_GATHER_H
#define ADVISE_GATHER_H

#include "facts.h"
#include "stage.h"

/* Sets the callbacks; f is emptied where a section begins. done is called
 * where it ends, before the stage's own end. */
void gather_bind(
    struct stage *st, struct facts *f, void (*done)(struct facts *f));

#endif
