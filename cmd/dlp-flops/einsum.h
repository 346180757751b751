/* Einsum. */
#ifndef FLOPS_EINSUM_H
#define FLOPS_EINSUM_H

#include "work.h"

void einsum_count(const struct work *w, struct answer *r, int unused);

#endif
