/*
 * The answers about a kernel in an op, found once and kept: what repeats in
 * every step costs a lookup.
 */
#ifndef FLOPS_RESULT_H
#define FLOPS_RESULT_H

#include "state.h"

/* The cached answer of a kernel name in an op, and where PyProf's sub
 * sequence number matters. */
struct result {
	struct answer a;
	int64_t blocks;     /* of an element-wise kernel; 0: not asked yet */
	const char *params; /* escaped; NULL: unset */
	size_t params_len;
	bool has_op, sized; /* the op is known; so are its arguments */
	unsigned shape;     /* tcwhy.h */
};

/* What the kernel belongs to. */
struct subject {
	struct op *op;     /* NULL: what the name alone tells */
	struct prim *prim; /* the product inside the op; NULL: none */
	uint32_t op_idx, prim_idx;
	const char *shape; /* of the product's result; NULL: not known */
};

/* sub < 0: none. */
const struct result *result_of(const struct subject *s, const struct kname *k,
    uint32_t name_idx, int64_t sub, const char *grid, size_t ngrid);

/* A section begins: the ops are others. */
void result_forget(void);

#endif
