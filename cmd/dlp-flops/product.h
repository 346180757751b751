/* What products and convolutions share. */
#ifndef FLOPS_PRODUCT_H
#define FLOPS_PRODUCT_H

#include "work.h"

/* Sets the role of a helper kernel in a product or convolution whose result
 * has n_out elements and whose bias n_bias, or NO_BIAS; false if k is the
 * product. Where the product's FLOPs are not known, neither are those of its
 * helpers: 0 would be known. */
#define NO_BIAS (-2)
bool helper_count(const struct work *w, struct answer *r, bool known,
    int64_t n_out, int64_t n_bias);

/* The role of a product's kernel in the given direction. */
void product_role(const struct work *w, struct answer *r);

/* The role of a product inside a backward, told by what it makes: one gradient
 * has the elements of the left operand of the op's forward, the other those of
 * the right one. b, n_out, k: its batches, elements of its result, and k. */
void product_gradient(const struct work *w, struct answer *r, int64_t b,
    int64_t n_out, int64_t k);

#endif
