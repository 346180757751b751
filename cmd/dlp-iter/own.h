/*
 * The frameworks' own step ranges: kept until the section ends, when it is
 * known how much of it they cover.
 */
#ifndef ITER_OWN_H
#define ITER_OWN_H

#include "extent.h"
#include "opkey.h"

struct own {
	struct own_range {
		int64_t lo, hi;
		uint32_t lane, text;
		int row; /* of the table in key.c */
	} * v;
	size_t n, cap;
};

/* A range, whose text is interned in the plan if it is one of them. */
void own_add(struct own *o, struct key *k, struct plan *p, uint32_t lane,
    const char *s, size_t n, int64_t lo, int64_t hi);

/* Makes iterations of a file of the best row that covers enough; its number, or
 * -1 if there is none. */
int own_take(const struct own *o, const struct extent *e, struct opkey *op,
    uint32_t src, struct plan *p);

#endif
