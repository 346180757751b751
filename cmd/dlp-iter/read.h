/* From records to items: which columns place a record of which type. */
#ifndef ITER_READ_H
#define ITER_READ_H

#include "run.h"
#include "stage.h"

/* Sets the stage's callbacks; once in a program. g is kept. */
void read_open(struct run *g, struct stage *st);

#endif
