/*
 * What the threads of a process did lately: as long back as a GPU may have
 * been idle.
 */
#ifndef GAPS_PAST_H
#define GAPS_PAST_H

#include <stdint.h>

#include "did.h"

#define PAST_BRIEF 1000000 /* ns between two launches that are usual */
/* ns that no launch takes: a call that starts up */
#define PAST_LONG 10000000

struct past { /* zeroed: empty */
	struct act {
		int64_t start, end, tid;
		enum did did;
		uint32_t name;
	} * v;
	size_t n, cap;
	size_t limit; /* to look what can be forgotten */
};

struct story { /* what was done, by kind, in a span of time */
	int64_t ns[D_N];
	struct best { /* the longest one */
		int64_t ns, tid;
		uint32_t name;
	} best[D_N];
	bool drained; /* it began while a thread waited for the GPU */
};

void past_add(struct past *p, struct act a);

/* Whether it is time to forget what ended before t. */
bool past_is_full(const struct past *p);

/* Returns how many had to be forgotten that did not. */
uint64_t past_forget(struct past *p, int64_t t);

/* What was done in [lo, hi), by the thread; where that has recorded less than
 * half of it, by all threads of the process. */
void past_tell(
    const struct past *p, int64_t tid, int64_t lo, int64_t hi, struct story *s);

/* Adds one thing; nothing if hi <= lo. */
void story_add(struct story *s, const struct act *a, int64_t lo, int64_t hi);

/* What explains a span of so many ns: the first kind that lasts for half of
 * it, else D_N. */
enum did story_did(const struct story *s, int64_t ns);

#endif
