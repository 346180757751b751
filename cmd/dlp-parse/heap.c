/* Events that are kept back until their turn, the first one on top. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "profile.h"

bool
event_before(const struct event *a, const struct event *b)
{
	int64_t ea, eb;

	if (a->start != b->start)
		return a->start < b->start;
	ea = a->end == EV_UNSET ? INT64_MAX : a->end;
	eb = b->end == EV_UNSET ? INT64_MAX : b->end;
	if (ea != eb)
		return ea > eb;
	if (a->kind != b->kind)
		return a->kind < b->kind;
	return a->row < b->row;
}

void
heap_put(struct heap *h, const struct event *ev)
{
	struct held *e =
	    h->nspare > 0 ? h->spare[--h->nspare] : xcalloc(1, sizeof(*e));
	size_t i, up;

	e->ev = *ev;
	if (ev->text != NULL) {
		buf_clear(&e->text);
		buf_put(&e->text, ev->text, ev->text_len);
		e->ev.text = buf_str(&e->text);
	}
	ARRAY_GROW(h->v, h->n, h->cap);
	for (i = h->n++; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!event_before(&e->ev, &h->v[up]->ev))
			break;
		h->v[i] = h->v[up];
	}
	h->v[i] = e;
}

struct held *
heap_take(struct heap *h)
{
	struct held *top = h->v[0], *last = h->v[--h->n];
	size_t i = 0, kid;

	while ((kid = 2 * i + 1) < h->n) {
		if (kid + 1 < h->n &&
		    event_before(&h->v[kid + 1]->ev, &h->v[kid]->ev))
			kid++;
		if (!event_before(&h->v[kid]->ev, &last->ev))
			break;
		h->v[i] = h->v[kid];
		i = kid;
	}
	if (h->n > 0)
		h->v[i] = last;
	ARRAY_GROW(h->spare, h->nspare, h->cap_spare);
	h->spare[h->nspare++] = top;
	return top;
}

void
heap_free(struct heap *h)
{
	while (h->n > 0)
		heap_take(h);
	for (; h->nspare > 0; h->nspare--) {
		buf_free(&h->spare[h->nspare - 1]->text);
		free(h->spare[h->nspare - 1]);
	}
	free(h->v);
	free(h->spare);
	memset(h, 0, sizeof(*h));
}
