/* Intervals by time; see heap.h. */
#include "heap.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"

void
heap_push(struct heap *h, struct span x)
{
	size_t i, up;

	if (h->n == h->cap) {
		h->cap = h->cap > 0 ? h->cap * 2 : 64;
		h->v = xrealloc(h->v, h->cap, sizeof(*h->v));
	}
	for (i = h->n++; i > 0; i = up) {
		up = (i - 1) / 2;
		if (h->v[up].at <= x.at)
			break;
		h->v[i] = h->v[up];
	}
	h->v[i] = x;
}

struct span
heap_pop(struct heap *h)
{
	struct span top = h->v[0], x = h->v[--h->n];
	size_t i = 0, k;

	while ((k = 2 * i + 1) < h->n) {
		if (k + 1 < h->n && h->v[k + 1].at < h->v[k].at)
			k++;
		if (x.at <= h->v[k].at)
			break;
		h->v[i] = h->v[k];
		i = k;
	}
	h->v[i] = x;
	return top;
}

void
heap_free(struct heap *h)
{
	free(h->v);
	memset(h, 0, sizeof(*h));
}
