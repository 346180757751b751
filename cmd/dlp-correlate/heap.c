/*
 * What is open and will close, in a heap ordered by end; of the same end what
 * was opened last closes first.
 */
#include "heap.h"

#include "err.h"

static bool
before(const struct closing *a, const struct closing *b)
{
	if (a->end != b->end)
		return a->end < b->end;
	return a->order > b->order;
}

void
heap_push(struct heap *h, struct closing x)
{
	size_t i, up;

	if (h->n == h->cap) {
		h->cap = h->cap > 0 ? h->cap * 2 : 64;
		h->v = xrealloc(h->v, h->cap, sizeof(*h->v));
	}
	for (i = h->n++; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!before(&x, &h->v[up]))
			break;
		h->v[i] = h->v[up];
	}
	h->v[i] = x;
}

struct closing
heap_pop(struct heap *heap)
{
	struct closing *h = heap->v, top = h[0], x = h[--heap->n];
	size_t i = 0, k;

	while ((k = 2 * i + 1) < heap->n) {
		if (k + 1 < heap->n && before(&h[k + 1], &h[k]))
			k++;
		if (!before(&h[k], &x))
			break;
		h[i] = h[k];
		i = k;
	}
	h[i] = x;
	return top;
}
