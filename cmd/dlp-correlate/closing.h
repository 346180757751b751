/* Runs and projections that will close, ordered by their ends. */
#ifndef DLP_CLOSING_H
#define DLP_CLOSING_H

#include <stdbool.h>

#include "timeheap.h"

enum { CLOSE_INST, CLOSE_PROJ };

struct closing { /* zeroed: empty */
	struct timeheap heap;
	uint64_t order; /* numbers handed out by who opens something */
};

/* What was opened later closes first, if both end at the same time. p stays
 * the caller's. */
static inline void
closing_add(struct closing *c, int kind, int64_t end, uint64_t order, void *p)
{
	struct timed x = {
		.at = end, .then = -(int64_t)order, .kind = kind, .p = p
	};

	timeheap_push(&c->heap, x);
}

/* Whether something ends by t. */
static inline bool
closing_due(const struct closing *c, int64_t t)
{
	return c->heap.n > 0 && c->heap.v[0].at <= t;
}

#endif
