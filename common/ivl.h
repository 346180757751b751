/*
 * The length of a union of time intervals. Intervals that touch or overlap are
 * joined when they arrive, so memory is the number of separate pieces. Arrival
 * in time order is fastest, but any order is right.
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

/* Adds [lo, hi); does nothing if hi <= lo. */
void ivl_add(struct ivl *u, int64_t lo, int64_t hi);

int64_t ivl_len(const struct ivl *u); /* total length */

/* The length of the part inside [lo, hi). */
int64_t ivl_len_in(const struct ivl *u, int64_t lo, int64_t hi);

/* Removes the n first pieces and returns their length; *end is the end of the
 * last of them (unchanged if n is 0). */
int64_t ivl_drop(struct ivl *u, size_t n, int64_t *end);

void ivl_clear(struct ivl *u);
void ivl_free(struct ivl *u);

#endif
