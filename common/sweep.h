/*
 * Time as a row of events: intervals that are given in no order, but early
 * enough, come back as their begins and ends, in the order of time. Memory is
 * bounded by the intervals that have not ended.
 */
#ifndef DLP_SWEEP_H
#define DLP_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "timeheap.h"

struct sweep {
	struct timeheap soon, on; /* by start; by end */
	int64_t t;                /* all before it has come back */
};

struct sweep_event {
	int64_t at;
	bool begin; /* else it ends */
	void *what;
};

void sweep_init(struct sweep *s);

/* An interval that ends before it begins lasts no time. */
void sweep_add(struct sweep *s, int64_t start, int64_t end, void *what);

/* The next event before time `to`; false if there is none. Of the same time
 * begins come before ends. What is added later should begin at `to` or
 * after: else it begins at s->t. */
bool sweep_next(struct sweep *s, int64_t to, struct sweep_event *e);

void sweep_free(struct sweep *s); /* not what the items hold */

#endif
