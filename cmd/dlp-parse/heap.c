/* Events kept back until their turn: a binary heap in the order of the
 * stream. Nodes are reused, so that nothing is allocated per event. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "heap.h"

/* Earlier first; then longer, without an end first; then by kind, row. */
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

static struct held *
new_node(struct heap *h)
{
	if (h->nspare > 0)
		return h->spare[--h->nspare];
	return xcalloc(1, sizeof(struct held));
}

static void
keep_text(struct held *e, const struct event *ev)
{
	e->ev = *ev;
	if (ev->text == NULL)
		return;
	buf_clear(&e->text);
	buf_put(&e->text, ev->text, ev->text_len);
	e->ev.text = buf_str(&e->text);
}

void
heap_put(struct heap *h, const struct event *ev)
{
	struct held *e = new_node(h);
	size_t i, up;

	keep_text(e, ev);
	if (h->n == h->cap) {
		h->cap = h->cap ? h->cap * 2 : 64;
		h->v = xrealloc(h->v, h->cap, sizeof(*h->v));
	}
	for (i = h->n++; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!event_before(&e->ev, &h->v[up]->ev))
			break;
		h->v[i] = h->v[up];
	}
	h->v[i] = e;
}

static void
sift_down(struct heap *h, struct held *e)
{
	size_t i = 0, kid;

	while ((kid = 2 * i + 1) < h->n) {
		if (kid + 1 < h->n &&
		    event_before(&h->v[kid + 1]->ev, &h->v[kid]->ev))
			kid++;
		if (!event_before(&h->v[kid]->ev, &e->ev))
			break;
		h->v[i] = h->v[kid];
		i = kid;
	}
	h->v[i] = e;
}

struct held *
heap_take(struct heap *h)
{
	struct held *top = h->v[0], *last = h->v[--h->n];

	if (h->n > 0)
		sift_down(h, last);
	if (h->nspare == h->cap_spare) {
		h->cap_spare = h->cap_spare ? h->cap_spare * 2 : 64;
		h->spare = xrealloc(h->spare, h->cap_spare, sizeof(*h->spare));
	}
	h->spare[h->nspare++] = top;
	return top;
}

static void
free_nodes(struct held **v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		buf_free(&v[i]->text);
		free(v[i]);
	}
	free(v);
}

void
heap_free(struct heap *h)
{
	free_nodes(h->v, h->n);
	free_nodes(h->spare, h->nspare);
	memset(h, 0, sizeof(*h));
}
