/*
 * The merge of a profile's tables in launch order. GPU work follows its call:
 * the GPU tables are read ahead until all work that the call launched has been
 * read (the first pass counted it). Other work that is read on the way waits in
 * the window. GPU work that no call launched is written at its own start.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "emit.h"
#include "map.h"
#include "num.h"
#include "profile.h"
#include "schema.h"
#include "selection.h"

/* Events that are kept back until their turn. */

/* True if a precedes b in the stream: the earlier event first; then the longer
 * one, where one without an end is the longest; then by kind and row. */
static bool
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

static void
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

/* Takes one activity with this key out of the window (kinds and rows in any
 * order); false if no activity has it. all: the profile's cursors. */
static bool
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

/* The number of activities of a kind under this key. */
static uint64_t
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

/* Takes out any activity; false if the window is empty. */
static bool
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

/* The merge. */

/* Reads a row of GPU work into the window or among the orphans; false at the
 * end. *pid and *corr are the row's key. */
static bool
gpu_read(struct profile *p, struct cursor *c, int64_t *pid, int64_t *corr)
{
	struct event ev;

	if (c->end || !cursor_read(c, &ev))
		return false;
	ev.corr = key_corr(ev.corr);
	if (ev.pid == EV_UNSET)
		ev.pid = p->only_pid;
	*pid = p->dialect->pid != NULL ? ev.pid : 0;
	*corr = ev.corr;
	if (ev.corr != EV_UNSET && keys_has_call(&p->keys, *pid, ev.corr))
		window_put(&p->window, c, *pid, ev.corr, &ev);
	else
		heap_put(&p->orphans, &ev);
	return true;
}

/* No row that is still to come can start before this. */
static int64_t
frontier(const struct cursor *c)
{
	return c->end ? INT64_MAX : num_sub(c->max_start, c->order.back_ns);
}

/* Reads on until all orphans that start up to t are known, or at least up to
 * the first known one. */
static void
read_orphans(struct profile *p, int64_t t)
{
	struct cursor *c;
	int64_t pid, corr;
	int i;

	for (i = 0; i < p->ngpu; i++) {
		c = p->gpu[i];
		if (c->order.orphans == 0)
			continue;
		while (!c->end) {
			if (p->orphans.n > 0 && p->orphans.v[0]->ev.start < t)
				t = p->orphans.v[0]->ev.start;
			if (c->max_start != INT64_MIN && frontier(c) > t)
				break;
			gpu_read(p, c, &pid, &corr);
		}
	}
}

static struct cursor *
first_cpu(const struct profile *p)
{
	struct cursor *best = NULL, *c;
	int i;

	for (i = 0; i < p->ncpu; i++) {
		c = p->cpu[i];
		if (c->live &&
		    (best == NULL || event_before(&c->ev, &best->ev)))
			best = c;
	}
	return best;
}

/* GPU work that is still in the window at the end: its call is missing. */
static bool
drain(struct profile *p)
{
	struct event ev;
	int64_t pid, corr;
	int i;

	for (i = 0; i < p->ngpu; i++)
		while (gpu_read(p, p->gpu[i], &pid, &corr))
			;
	while (window_any(&p->window, p->cur, &ev)) {
		heap_put(&p->orphans, &ev);
		p->count.late++;
	}
	return p->orphans.n > 0;
}

bool
merge_peek(struct profile *p)
{
	p->next = first_cpu(p);
	if (p->any_orphans)
		read_orphans(
		    p, p->next != NULL ? p->next->ev.start : INT64_MAX);
	if (p->orphans.n > 0 &&
	    (p->next == NULL ||
		event_before(&p->orphans.v[0]->ev, &p->next->ev)))
		p->next = NULL;
	else if (p->next == NULL)
		return p->has_next = drain(p);
	return p->has_next = true;
}

const struct event *
merge_head(const struct profile *p)
{
	return p->next != NULL ? &p->next->ev : &p->orphans.v[0]->ev;
}

static void
emit_work(struct profile *p, const struct event *ev, const struct event *call,
    bool own)
{
	if (ev->start < call->start)
		p->count.before_launch++;
	emit_gpu(p, ev, call, own);
}

/* Reads until as many activities of the kind wait as the call launched. */
static void
wait_for(
    struct profile *p, int64_t pid, int64_t corr, enum ev_kind kind, uint64_t n)
{
	uint64_t have = window_count(&p->window, pid, corr, kind);
	int64_t kp, kc;
	int i;

	for (i = 0; i < p->ngpu && have < n; i++) {
		if (p->gpu[i]->src->kind != kind)
			continue;
		while (have < n && gpu_read(p, p->gpu[i], &kp, &kc))
			if (kp == pid && kc == corr)
				have++;
	}
}

static int
by_kind_row(const void *va, const void *vb)
{
	const struct event *a = va, *b = vb;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return 0;
}

static void
emit_several(struct profile *p, const struct event *call, int64_t pid)
{
	struct event *v;
	size_t n = 0, i;

	for (;;) {
		ARRAY_GROW(p->several, n, p->cap_several);
		if (!window_take(
			&p->window, p->cur, pid, call->corr, &p->several[n]))
			break;
		n++;
	}
	v = p->several;
	qsort(v, n, sizeof(*v), by_kind_row);
	emit_call(p, call, n);
	for (i = 0; i < n; i++)
		emit_work(p, &v[i], call, true);
}

static void
emit_launch(struct profile *p, const struct event *call)
{
	int64_t pid = p->dialect->pid != NULL ? call->pid : 0;
	uint64_t n[KEY_GPU_KINDS], sum = 0;
	struct event ev;
	int i;

	if (call->call.twin && call->corr != EV_UNSET &&
	    keys_has_first(&p->keys, pid, call->corr)) {
		p->count.twins++;
		return;
	}
	if (call->corr != EV_UNSET)
		sum = keys_take(&p->keys, pid, call->corr, n);
	for (i = 0; sum > 0 && i < KEY_GPU_KINDS; i++)
		if (n[i] > 0)
			wait_for(p, pid, call->corr,
			    (enum ev_kind)(EV_KERN + i), n[i]);
	if (sum > 1)
		emit_several(p, call, pid);
	else if (sum == 1 &&
		 window_take(&p->window, p->cur, pid, call->corr, &ev))
		emit_work(p, &ev, call, false);
	else
		emit_call(p, call, 0);
}

/* GPU work with its call in the same row. A call without a length has a row of
 * its own, because it launched several. */
static void
emit_own(struct profile *p, const struct event *ev)
{
	struct event work = *ev, call = *ev;

	work.start = ev->gpu.own.start;
	work.end = ev->gpu.own.end;
	call.name = ev->gpu.own.api;
	if (!ev->gpu.own.none) {
		emit_work(p, &work, &call, call.end == call.start);
		return;
	}
	p->count.orphans++;
	emit_gpu(p, &work, NULL, false);
}

/* Events of databases that hold ops; false if the event has to be written. */
static bool
emit_run(struct profile *p, const struct event *ev)
{
	const struct dialect *d = p->dialect;

	if (ev->kind == EV_RUN)
		d->run(p->ctx, ev, select_event(p, ev, NULL));
	else if (ev->kind == EV_RUN_END)
		d->run_end(p->ctx, ev);
	else if (d->work != NULL)
		emit_op_of(p, ev);
	return ev->kind == EV_RUN || ev->kind == EV_RUN_END;
}

void
merge_emit(struct profile *p)
{
	struct cursor *c = p->next;

	if (c == NULL) {
		p->count.orphans += !p->run->sel.no_calls;
		emit_gpu(p, &heap_take(&p->orphans)->ev, NULL, false);
		return;
	}
	if (emit_run(p, &c->ev)) {
		cursor_next(c);
		return;
	}
	if (c->src->launches) {
		emit_own(p, &c->ev);
	} else if (c->ev.kind == EV_CALL) {
		c->ev.corr = key_corr(c->ev.corr);
		emit_launch(p, &c->ev);
	} else
		emit_event(p, &c->ev);
	cursor_next(c);
}
