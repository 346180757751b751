/* Holds items that come in any order and returns them by time, the earliest
 * first. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct timed {
	int64_t at;   /* the time that orders it */
	int64_t then; /* if times are equal, the smaller one comes first */
	int64_t end;  /* for the caller: */
	int kind;
	void *p;
};

struct timeheap { /* zeroed: empty; v[0] is the first */
	struct timed *v;
	size_t n, cap;
};

void timeheap_push(struct timeheap *h, struct timed x);
struct timed timeheap_pop(struct timeheap *h); /* must not be empty */

/* Empties h; does not free what the items point to. */
void timeheap_free(struct timeheap *h);
