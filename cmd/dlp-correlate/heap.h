/* Runs and projections that will close, ordered by their ends. */
#ifndef DLP_HEAP_H
#define DLP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct closing { /* a run or a projection that closes at end */
	int64_t end;
	uint64_t order; /* of opening; later ones close first */
	bool is_proj;
	void *p;
};

struct heap { /* zeroed: empty */
	struct closing *v;
	size_t n, cap;
	uint64_t order; /* numbers handed out by who opens something */
};

void heap_push(struct heap *h, struct closing x); /* p stays the caller's */
struct closing heap_pop(struct heap *h); /* the first; must not be empty */

#endif
