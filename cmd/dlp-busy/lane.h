/*
 * The time of a device, or of a process that uses none so far, as one row of
 * pieces: which classes are active from when to when. The newest pieces are
 * kept, so that what comes late (runs of ops come when they end) still finds
 * its time; older ones are added up by iteration.
 */
#ifndef BUSY_LANE_H
#define BUSY_LANE_H

#include <stdbool.h>

#include "class.h"
#include "timeheap.h"

struct cuts { /* where iterations begin, ascending */
	struct cut {
		int64_t at, iter; /* -1: dropped, or in none */
		int64_t after;    /* then: the one before, or -1 */
	} * v;
	size_t n, cap;
	int64_t from; /* what lies before does not count */
};

struct sums {
	int64_t dur[C_N], all[C_N];
};

struct lane {
	const struct cuts *cuts;
	int64_t base, t; /* the pieces reach from base to t */
	struct piece {
		int64_t end;
		unsigned mask; /* active classes, a bit each */
	} * v;
	size_t n, cap;
	struct timeheap soon, on; /* that begin after t; that go on at t */
	uint32_t active[C_N];
	unsigned mask;
	struct sums *sum; /* by place in cuts */
	size_t n_sum;
	bool any_gpu;        /* work ran on it */
	struct sums edge[2]; /* of them before its first work, and since its
				last; known if there is one iteration */
	int64_t late_ns;     /* came when their time was added up */
};

void lane_init(struct lane *l, const struct cuts *cuts);

/* Class c is active in [lo, hi). */
void lane_add(struct lane *l, int64_t lo, int64_t hi, enum class c);

/* Time goes on to t; what is added later should begin after it. */
void lane_to(struct lane *l, int64_t t);

/* A device that nobody has used is a process's: the same time so far. */
void lane_copy(struct lane *l, const struct lane *from);
/* One that is used already gets the process's time that is still known. */
void lane_merge(struct lane *l, const struct lane *from);

/* Nothing comes any more, and time ends at t: all is in sum[0..n_sum). */
void lane_end(struct lane *l, int64_t t);

/* After that, if all is one iteration: only what lies from its first work to
 * its last. */
void lane_between(struct lane *l);
void lane_free(struct lane *l);

#endif
