/*
 * What is open and will close, in a heap ordered by end; of the same end what
 * was opened last closes first.
 */
#include <stdlib.h>

#include "corr.h"
#include "err.h"

static bool
before(const struct closing *a, const struct closing *b)
{
	if (a->end != b->end)
		return a->end < b->end;
	return a->order > b->order;
}

void
heap_push(struct corr *c, int64_t end, uint64_t order, bool is_proj, void *p)
{
	struct closing *h, x = { end, order, is_proj, p };
	size_t i, up;

	if (c->n_heap == c->cap_heap) {
		c->cap_heap = c->cap_heap > 0 ? c->cap_heap * 2 : 64;
		c->heap = xrealloc(c->heap, c->cap_heap, sizeof(*c->heap));
	}
	h = c->heap;
	for (i = c->n_heap++; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!before(&x, &h[up]))
			break;
		h[i] = h[up];
	}
	h[i] = x;
}

struct closing
heap_pop(struct corr *c)
{
	struct closing *h = c->heap, top = h[0], x = h[--c->n_heap];
	size_t i = 0, k;

	while ((k = 2 * i + 1) < c->n_heap) {
		if (k + 1 < c->n_heap && before(&h[k + 1], &h[k]))
			k++;
		if (!before(&h[k], &x))
			break;
		h[i] = h[k];
		i = k;
	}
	h[i] = x;
	return top;
}
