/* The kern records: each gets its columns. */
#ifndef FLOPS_KERN_H
#define FLOPS_KERN_H

#include "stage.h"

/* Sets the callback. */
void kern_attach(struct stage *st);

#endif
