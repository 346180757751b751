/* Products that Inductor wrote in Triton. */
#ifndef FLOPS_TRITON_H
#define FLOPS_TRITON_H

#include "work.h"

void triton_count(const struct work *w, struct answer *r, int unused);

#endif
