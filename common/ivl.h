/*
 * The length of a union of time intervals, kept while they arrive. Intervals
 * that touch or overlap coalesce, so memory is the number of separate
 * pieces; arrival in time order is the fast case, any order is right.
 */
#ifndef DLP_IVL_H
#define DLP_IVL_H

#include <stddef.h>
#include <stdint.h>

struct ivl {
	struct ivl_span {
		int64_t lo, hi;
	} * v; /* disjoint, ascending */
	size_t n, cap;
};

/* Adds [lo, hi); nothing if hi <= lo. */
void ivl_add(struct ivl *u, int64_t lo, int64_t hi);

int64_t ivl_len(const struct ivl *u); /* total length */

/* The length of the part inside [lo, hi). */
int64_t ivl_len_in(const struct ivl *u, int64_t lo, int64_t hi);

/* Forgets the n first pieces; their length, and where the last of them ended
 * in *end (unchanged if n is 0). */
int64_t ivl_drop(struct ivl *u, size_t n, int64_t *end);

void ivl_clear(struct ivl *u);
void ivl_free(struct ivl *u);

#endif
