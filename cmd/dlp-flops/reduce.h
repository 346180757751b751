/* Reductions. */
#ifndef FLOPS_REDUCE_H
#define FLOPS_REDUCE_H

#include "work.h"

void reduce_count(const struct work *w, struct answer *r, int extra);

#endif
