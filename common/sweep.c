/* Events in the order of time; see sweep.h. */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"

static void
push(struct sweep_heap *h, struct sweep_item x, bool by_end)
{
	int64_t key = by_end ? x.end : x.start;
	const struct sweep_item *u;
	size_t i, up;

	if (h->n == h->cap) {
		h->cap = h->cap > 0 ? h->cap * 2 : 64;
		h->v = xrealloc(h->v, h->cap, sizeof(*h->v));
	}
	for (i = h->n++; i > 0; i = up) {
		up = (i - 1) / 2;
		u = &h->v[up];
		if ((by_end ? u->end : u->start) <= key)
			break;
		h->v[i] = *u;
	}
	h->v[i] = x;
}

static int64_t
key_at(const struct sweep_heap *h, size_t i, bool by_end)
{
	return by_end ? h->v[i].end : h->v[i].start;
}

static struct sweep_item
pop(struct sweep_heap *h, bool by_end)
{
	struct sweep_item top = h->v[0], x = h->v[--h->n];
	int64_t key = by_end ? x.end : x.start;
	size_t i = 0, k;

	while ((k = 2 * i + 1) < h->n) {
		if (k + 1 < h->n &&
		    key_at(h, k + 1, by_end) < key_at(h, k, by_end))
			k++;
		if (key <= key_at(h, k, by_end))
			break;
		h->v[i] = h->v[k];
		i = k;
	}
	h->v[i] = x;
	return top;
}

void
sweep_init(struct sweep *s)
{
	memset(s, 0, sizeof(*s));
	s->t = INT64_MIN;
}

void
sweep_add(struct sweep *s, int64_t start, int64_t end, void *what)
{
	struct sweep_item x = { start, end, what };

	if (x.start < s->t)
		x.start = s->t;
	if (x.end < x.start)
		x.end = x.start;
	push(&s->soon, x, false);
}

bool
sweep_next(struct sweep *s, int64_t to, struct sweep_event *e)
{
	struct sweep_item x;
	bool begin = s->soon.n > 0;

	if (begin && s->on.n > 0 && s->on.v[0].end < s->soon.v[0].start)
		begin = false;
	if (begin ? s->soon.v[0].start >= to
		  : s->on.n == 0 || s->on.v[0].end >= to) {
		if (to > s->t)
			s->t = to;
		return false;
	}
	x = pop(begin ? &s->soon : &s->on, !begin);
	if (begin)
		push(&s->on, x, true);
	s->t = begin ? x.start : x.end;
	*e = (struct sweep_event){ s->t, begin, x.what };
	return true;
}

void
sweep_free(struct sweep *s)
{
	free(s->soon.v);
	free(s->on.v);
	sweep_init(s);
}
