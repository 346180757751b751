/*
 * The time of a device as a row of pieces: work is given in the order of its
 * launches, so in no order of its starts, and comes back as the pieces
 * between the moments at which some of it begins or ends. Work that is
 * launched from now on begins later, so all before now can be taken:
 *
 *	timeline_add(&tl, start, end, KERN, work);
 *	while (timeline_next(&tl, now, &x)) {
 *		if (x.mask == 0) idle from x.lo to x.hi ...
 *		if (x.then == TIMELINE_BEGINS) x.what ...
 *	}
 *
 * Memory is bounded by the work that has not ended.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "timeheap.h"

#define TIMELINE_KINDS 8 /* of work, the caller's; numbers from 0 */

struct timeline {
	struct timeheap soon, on; /* by start; by end */
	int64_t t;                /* ns; all before has been taken */
	int64_t from;             /* where the next piece begins */
	bool uncut;    /* for the caller to set: no piece is cut at the time up
			  to which it is asked for, so none STOPS */
	unsigned mask; /* kinds that go on at t, a bit each */
	uint32_t active[TIMELINE_KINDS];
	uint64_t early; /* work that began before t when it was given */
};

enum timeline_then {
	TIMELINE_BEGINS,
	TIMELINE_ENDS,
	TIMELINE_STOPS /* nothing happens there */
};

struct timeline_piece {
	int64_t lo, hi;          /* ns; equal where two things happen at once */
	unsigned mask;           /* kinds of work that went on from lo to hi */
	enum timeline_then then; /* at hi */
	void *what;              /* which begins or ends */
};

void timeline_init(struct timeline *tl);

/* Work of a kind from start to end (ns). What lies before tl->t is cut off
 * and the work counted in tl->early; work that ends before it starts takes no
 * time. what is the caller's and is handed back twice. */
void timeline_add(
    struct timeline *tl, int64_t start, int64_t end, int kind, void *what);

/* The next piece; false if all before time `to` has been taken. Where work
 * begins and other work ends at the same time, it begins first. A piece that
 * reaches `to` is cut there and STOPS, unless tl->uncut. */
bool timeline_next(struct timeline *tl, int64_t to, struct timeline_piece *x);

/*
 * How far time has come by the launches. What is launched from now on should
 * begin later, but where clocks differ it can begin earlier. So a device's time
 * goes on as far as the time on the CPU had come some launches ago.
 */
struct launches {    /* zeroed: none */
	int64_t *at; /* of the last ones, a ring */
	size_t n;
};

/* A launch at time now; returns the time some launches ago, or INT64_MIN. */
int64_t launches_put(struct launches *l, int64_t now);
void launches_free(struct launches *l);

/* Empty again. What the work points to is the caller's. */
void timeline_free(struct timeline *tl);
