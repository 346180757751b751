/* What products and convolutions share. */
#ifndef FLOPS_PRODUCT_H
#define FLOPS_PRODUCT_H

#include "work.h"

/* Sets the role of a helper kernel in a product or convolution whose result
 * has n_out elements and whose bias n_bias, or NO_BIAS; false if k is the
 * product. */
#define NO_BIAS (-2)
bool helper_count(
    const struct work *w, struct answer *r, int64_t n_out, int64_t n_bias);

/* The role of a product's kernel in the given direction. */
void product_role(const struct work *w, struct answer *r);

#endif
