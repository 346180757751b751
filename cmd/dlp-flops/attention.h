/* Fused attention. */
#ifndef FLOPS_ATTENTION_H
#define FLOPS_ATTENTION_H

#include "work.h"

void attention_count(const struct work *w, struct answer *r, int first);

#endif
