/*
 * Kernels by op and iteration; kernels that count, until the end. Of these,
 * and pairs of op and iteration, memory holds so many; then all go to disk: a
 * pair that comes again gets one more number, and the sums of all its numbers
 * are added at the end.
 */
#ifndef DLP_DLDB_AGG_KERN_H
#define DLP_DLDB_AGG_KERN_H

#include "agg.h"
#include "xsort.h"

struct agg_pair { /* the kernels of an op in an iteration */
	int64_t op, iter;
	struct iter_sum s;
	uint64_t no; /* its number among all, from 0 */
};

struct agg_kern { /* as it lies on disk */
	int64_t id;
	uint64_t pair; /* a number of it */
};

struct agg {
	struct map pair; /* op << 32 | iteration -> number in pairs, from 1 */
	struct agg_pair *pairs;
	size_t n_pairs, cap_pairs, max_pairs;
	uint64_t first_pair; /* the number of pairs[0], among all from 0 */
	struct xsort old;    /* pairs before it, by op and iteration */
	bool any_old;
	struct map iter; /* iteration -> number in iters, from 1 */
	struct iter_sum *iters;
	size_t n_iters, cap_iters;
	struct category memory;
	struct smap names, tc_names, mem_names;
	int fd; /* -1: none yet */
	struct agg_kern *held;
	size_t n_held, cap_held, max_held;
};

/* In so much memory. */
void agg_kern_start(struct agg *a, size_t bytes);
void agg_kern(struct dldb *d, const struct work *w);
void agg_kern_write(struct dldb *d, int64_t aggr);

#endif
