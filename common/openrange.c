/* The ranges that are open on a thread; see openrange.h. */
#include "openrange.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"

void
openranges_init(struct openranges *o, size_t size)
{
	memset(o, 0, sizeof(*o));
	o->size = size;
}

void
openranges_free(struct openranges *o)
{
	free(o->v);
	openranges_init(o, o->size);
}

static struct openrange *
span_at(const struct openranges *o, size_t i)
{
	return openranges_at(o, i);
}

/* The first end of all ranges below place i. */
static int64_t
end_below(const struct openranges *o, size_t i)
{
	return i > 0 ? span_at(o, i - 1)->min_end : INT64_MAX;
}

static void
set_min_end(struct openranges *o, size_t i)
{
	struct openrange *x = span_at(o, i);
	int64_t below = end_below(o, i);

	x->min_end = x->end < below ? x->end : below;
}

void *
openranges_push(struct openranges *o, int64_t start, int64_t end)
{
	size_t cap = o->cap > 0 ? o->cap * 2 : 2;
	struct openrange *x;

	if (o->n == o->cap) {
		o->v = xrealloc(o->v, cap, o->size);
		memset(o->v + o->cap * o->size, 0, (cap - o->cap) * o->size);
		o->cap = cap;
	}
	x = span_at(o, o->n++);
	x->start = start;
	x->end = end;
	set_min_end(o, o->n - 1);
	return x;
}

/* Places are swapped, not overwritten, so that each keeps its caller's
 * buffers. */
static void
swap(struct openranges *o, size_t i, size_t k)
{
	char tmp[64], *a = openranges_at(o, i), *b = openranges_at(o, k);
	size_t at, n;

	for (at = 0; at < o->size; at += n) {
		n = o->size - at < sizeof(tmp) ? o->size - at : sizeof(tmp);
		memcpy(tmp, a + at, n);
		memcpy(a + at, b + at, n);
		memcpy(b + at, tmp, n);
	}
}

/* Handles a range at place `from` or after that has ended, and is below one
 * that has not. */
static void
close_holes(struct openranges *o, size_t from, int64_t now,
    void (*gone)(void *ctx, void *range), void *ctx)
{
	size_t i, k = from;

	for (i = from; i < o->n; i++) {
		if (span_at(o, i)->end <= now) {
			if (gone != NULL)
				gone(ctx, span_at(o, i));
			continue;
		}
		if (k != i)
			swap(o, k, i);
		set_min_end(o, k++);
	}
	o->n = k;
}

size_t
openranges_sweep(struct openranges *o, int64_t now,
    void (*gone)(void *ctx, void *range), void *ctx)
{
	size_t first;

	while (o->n > 0 && span_at(o, o->n - 1)->end <= now) {
		o->n--;
		if (gone != NULL)
			gone(ctx, span_at(o, o->n));
	}
	if (o->n == 0 || end_below(o, o->n) > now)
		return o->n;
	for (first = o->n; end_below(o, first) <= now; first--)
		;
	close_holes(o, first, now, gone, ctx);
	return first;
}
