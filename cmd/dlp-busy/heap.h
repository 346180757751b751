/* Intervals by time: those that begin first, or end first, on top. */
#ifndef BUSY_HEAP_H
#define BUSY_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "class.h"

struct span {
	int64_t at; /* what orders it: the start, or the end */
	int64_t end;
	enum class c;
};

struct heap { /* zeroed: empty */
	struct span *v;
	size_t n, cap;
};

void heap_push(struct heap *h, struct span x);
struct span heap_pop(struct heap *h); /* must not be empty */
void heap_free(struct heap *h);

#endif
