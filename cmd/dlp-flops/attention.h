/* Fused attention. */
#ifndef FLOPS_ATTENTION_H
#define FLOPS_ATTENTION_H

#include "work.h"

enum {
	A_BACKWARD = 1, /* the gradient of the result comes first */
	A_ROWS = 2
}; /* (b, s, h, d), not (b, h, s, d) */
void attention_count(const struct work *w, struct answer *r, int flags);

#endif
