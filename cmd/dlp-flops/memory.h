/* Copies and sets: their columns. */
#ifndef FLOPS_MEMORY_H
#define FLOPS_MEMORY_H

#include "stage.h"

/* Sets the callbacks for copy and set. */
void memory_attach(struct stage *st);

#endif
