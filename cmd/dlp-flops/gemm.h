/* Matrix products. */
#ifndef FLOPS_GEMM_H
#define FLOPS_GEMM_H

#include "buf.h"
#include "work.h"

enum { G_LINEAR = -1 }; /* else the place of the left operand */
void gemm_count(const struct work *w, struct answer *r, int arg);
void grouped_count(const struct work *w, struct answer *r, int first);
bool linear_params(const struct work *w, struct buf *b);
bool mm_params(const struct work *w, struct buf *b);
bool addmm_params(const struct work *w, struct buf *b);
bool bmm_params(const struct work *w, struct buf *b);

#endif
