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
	struct own_row {
		int64_t lo, hi; /* the newest ranges that touch, as one */
		uint64_t n, n_numbered;
		double gpu_ns; /* of the work launched in its ranges */
	} * row;               /* as many as the table has; NULL: none yet */
	double gpu_ns;         /* of all work */
};

/* A range, whose text is interned in the plan if it is one of them. */
void own_add(struct own *o, struct key *k, struct plan *p, uint32_t lane,
    const char *s, size_t n, int64_t lo, int64_t hi);

/* GPU work of ns, which t places. It comes in launch order, ranges before what
 * they hold. */
void own_work(struct own *o, int64_t t, int64_t ns);

/* The row that makes the iterations: the first whose ranges cover OWN_PCT of
 * the profile's time, or, of at least OWN_STEPS numbered ones, hold more than
 * half of the GPU work; -1: none. */
int own_best(const struct own *o, const struct extent *e);

void own_free(struct own *o);

/* Makes iterations of a file of the best row that covers enough; its number, or
 * -1 if there is none. */
int own_take(const struct own *o, const struct extent *e, struct opkey *op,
    uint32_t src, struct plan *p);

#endif
