/* Events that are kept back; see profile.h. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "map.h"
#include "profile.h"
#include "schema.h"

/* The earlier event first; then the longer one, where one without an end is the
 * longest; then by kind and row. */
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
hold_text(struct held *e, const struct event *ev)
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

	hold_text(e, ev);
	ARRAY_GROW(h->v, h->n, h->cap);
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
	ARRAY_GROW(h->spare, h->nspare, h->cap_spare);
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

#define NONE UINT32_MAX
#define MAX_EVENTS 65536 /* events kept with their texts: some 16 MB */

struct win_ent {
	int64_t pid, corr;
	int64_t key; /* of the row */
	int64_t row;
	uint32_t next; /* in the bucket or the free list */
	uint32_t ev;   /* NONE: the row is read again when it is due */
	uint16_t cursor;
	uint8_t kind;
};

static size_t
bucket_of(const struct window *w, int64_t pid, int64_t corr)
{
	return hash_mix((uint64_t)corr ^ ((uint64_t)pid << 40)) &
	       (w->nbucket - 1);
}

static void
rehash(struct window *w)
{
	uint32_t n = w->nbucket ? w->nbucket * 2 : 1024, *old = w->bucket;
	uint32_t i, e, next, nold = w->nbucket;
	size_t b;

	w->bucket = xmalloc(n * sizeof(*w->bucket));
	w->nbucket = n;
	for (i = 0; i < n; i++)
		w->bucket[i] = NONE;
	for (i = 0; i < nold; i++)
		for (e = old[i]; e != NONE; e = next) {
			next = w->ent[e].next;
			b = bucket_of(w, w->ent[e].pid, w->ent[e].corr);
			w->ent[e].next = w->bucket[b];
			w->bucket[b] = e;
		}
	free(old);
}

static uint32_t
new_ent(struct window *w)
{
	uint32_t e = w->free_ent;

	if (w->nent > 0 && e != NONE) {
		w->free_ent = w->ent[e].next;
		return e;
	}
	if (w->nent == w->cap_ent) {
		if (w->cap_ent >= NONE / 2)
			die("too much GPU work waits for its calls");
		w->cap_ent = w->cap_ent ? w->cap_ent * 2 : 1024;
		w->ent = xrealloc(w->ent, w->cap_ent, sizeof(*w->ent));
	}
	w->free_ent = NONE;
	return w->nent++;
}

/* A place for a whole event; NONE if all places are taken. */
static uint32_t
new_ev(struct window *w)
{
	uint32_t e = w->free_ev;

	if (w->nev > 0 && e != NONE) {
		w->free_ev = w->ev_next[e];
		return e;
	}
	if (w->nev == MAX_EVENTS)
		return NONE;
	if (w->nev == w->cap_ev) {
		w->cap_ev = w->cap_ev ? w->cap_ev * 2 : 1024;
		w->ev = xrealloc(w->ev, w->cap_ev, sizeof(*w->ev));
		w->ev_next =
		    xrealloc(w->ev_next, w->cap_ev, sizeof(*w->ev_next));
	}
	w->free_ev = NONE;
	return w->nev++;
}

void
window_put(struct window *w, struct cursor *c, int64_t pid, int64_t corr,
    const struct event *ev)
{
	struct win_ent *e;
	uint32_t i;
	size_t b;

	if (w->live >= w->nbucket)
		rehash(w);
	i = new_ent(w);
	e = &w->ent[i];
	b = bucket_of(w, pid, corr);
	e->pid = pid;
	e->corr = corr;
	e->row = ev->row;
	e->cursor = (uint16_t)c->no;
	e->kind = (uint8_t)ev->kind;
	e->ev = new_ev(w);
	if (e->ev != NONE) {
		w->ev[e->ev] = *ev;
	} else {
		e->key = c->key;
		w->spilled++;
	}
	e->next = w->bucket[b];
	w->bucket[b] = i;
	w->live++;
}

static void
take_ent(struct window *w, struct cursor *all, uint32_t *link, struct event *ev)
{
	uint32_t i = *link;
	struct win_ent *e = &w->ent[i];

	if (e->ev != NONE) {
		*ev = w->ev[e->ev];
		w->ev_next[e->ev] = w->free_ev;
		w->free_ev = e->ev;
	} else {
		if (!cursor_again(&all[e->cursor], e->key, ev))
			die("%s: %s: row %lld is gone", db_path(),
			    all[e->cursor].src->table, (long long)e->key);
		ev->row = e->row;
	}
	*link = e->next;
	e->next = w->free_ent;
	w->free_ent = i;
	w->live--;
}

bool
window_take(struct window *w, struct cursor *all, int64_t pid, int64_t corr,
    struct event *ev)
{
	uint32_t *link;

	if (w->live == 0)
		return false;
	link = &w->bucket[bucket_of(w, pid, corr)];
	for (; *link != NONE; link = &w->ent[*link].next)
		if (w->ent[*link].corr == corr && w->ent[*link].pid == pid) {
			take_ent(w, all, link, ev);
			return true;
		}
	return false;
}

uint64_t
window_count(
    const struct window *w, int64_t pid, int64_t corr, enum ev_kind kind)
{
	uint64_t n = 0;
	uint32_t i;

	if (w->live == 0)
		return 0;
	i = w->bucket[bucket_of(w, pid, corr)];
	for (; i != NONE; i = w->ent[i].next)
		if (w->ent[i].corr == corr && w->ent[i].pid == pid &&
		    w->ent[i].kind == kind)
			n++;
	return n;
}

bool
window_any(struct window *w, struct cursor *all, struct event *ev)
{
	uint32_t i;

	for (i = 0; w->live > 0 && i < w->nbucket; i++)
		if (w->bucket[i] != NONE) {
			take_ent(w, all, &w->bucket[i], ev);
			return true;
		}
	return false;
}

void
window_free(struct window *w)
{
	free(w->ent);
	free(w->bucket);
	free(w->ev);
	free(w->ev_next);
	memset(w, 0, sizeof(*w));
}
