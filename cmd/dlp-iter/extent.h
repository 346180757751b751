/* From when to when a section's events reach. */
#ifndef ITER_EXTENT_H
#define ITER_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

struct extent {
	bool any, any_work;       /* an event, a start of work was seen */
	int64_t first, last;      /* of the events */
	int64_t work_lo, work_hi; /* first and last start of work: launches
				     and ops */
};

static inline void
extent_event(struct extent *e, int64_t lo, int64_t hi)
{
	if (!e->any || lo < e->first)
		e->first = lo;
	if (!e->any || hi > e->last)
		e->last = hi;
	e->any = true;
}

static inline void
extent_work(struct extent *e, int64_t t)
{
	if (!e->any_work || t < e->work_lo)
		e->work_lo = t;
	if (!e->any_work || t > e->work_hi)
		e->work_hi = t;
	e->any_work = true;
}

#endif
