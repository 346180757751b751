/* How a kernel's answer is found: from its op's arguments, the rule of the op,
 * and the product inside it. */
#ifndef FLOPS_FILL_H
#define FLOPS_FILL_H

#include "result.h"

/* The rule that counts for an op: its own, or that of its forward op; NULL:
 * none. op may be NULL. */
const struct rule *fill_rule(const struct op *op);

/* What stands behind the grid of a gather kernel, "X,Y,Z;X,Y,Z"; NULL:
 * nothing. */
const char *fill_block(const char *grid);

/* res is zeroed; its params live as long as the section. grid may be NULL. */
void fill(struct result *res, const struct subject *s, const struct kname *k,
    int64_t sub, const char *grid);

#endif
