/* A binary heap of items by time: the earliest is at the top. */
#include "timeheap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

static bool
before(const struct timed *a, const struct timed *b)
{
	return a->at != b->at ? a->at < b->at : a->then < b->then;
}

void
timeheap_push(struct timeheap *h, struct timed x)
{
	size_t i, up;

	ARRAY_GROW(h->v, h->n, h->cap);
	for (i = h->n++; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!before(&x, &h->v[up]))
			break;
		h->v[i] = h->v[up];
	}
	h->v[i] = x;
}

struct timed
timeheap_pop(struct timeheap *h)
{
	struct timed *v = h->v, top = v[0], x = v[--h->n];
	size_t i = 0, k;

	while ((k = 2 * i + 1) < h->n) {
		if (k + 1 < h->n && before(&v[k + 1], &v[k]))
			k++;
		if (!before(&v[k], &x))
			break;
		v[i] = v[k];
		i = k;
	}
	v[i] = x;
	return top;
}

void
timeheap_free(struct timeheap *h)
{
	free(h->v);
	memset(h, 0, sizeof(*h));
}
