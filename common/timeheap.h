/* What comes in no order and is taken by time, the first one first. */
#ifndef DLP_TIMEHEAP_H
#define DLP_TIMEHEAP_H

#include <stddef.h>
#include <stdint.h>

struct timed {
	int64_t at;   /* the time that orders it */
	int64_t then; /* of the same time the smaller comes first */
	int64_t end;  /* these three are the caller's */
	int kind;
	void *p;
};

struct timeheap { /* zeroed: empty; v[0] is the first */
	struct timed *v;
	size_t n, cap;
};

void timeheap_push(struct timeheap *h, struct timed x);
struct timed timeheap_pop(struct timeheap *h); /* must not be empty */

/* Makes h the same as from; h is overwritten. */
void timeheap_copy(struct timeheap *h, const struct timeheap *from);

/* Empty again; what the items point to stays. */
void timeheap_free(struct timeheap *h);

#endif
