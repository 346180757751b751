/* Kernels, copies and graphs, and the calls that launch work. */
#ifndef ADVISE_WORK_H
#define ADVISE_WORK_H

#include "facts.h"
#include "stage.h"

/* Sets the callbacks of their records. */
void work_bind(struct stage *st);

#endif
