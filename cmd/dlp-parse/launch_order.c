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

#define NONE UINT32_MAX
#define MAX_EVENTS 65536 /* events kept with their texts: some 16 MB */

struct win_ev {
	struct event ev;
	uint32_t next; /* free place + 1 */
};

struct win_ent {
	int64_t pid, corr;
	int64_t key; /* of the row */
	int64_t row;
	uint32_t next; /* in the bucket, or free one + 1 */
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
	memset(w->bucket, 0xff, n * sizeof(*w->bucket)); /* NONE */
	for (i = 0; i < nold; i++)
		for (e = old[i]; e != NONE; e = next) {
			next = w->ent[e].next;
			b = bucket_of(w, w->ent[e].pid, w->ent[e].corr);
			w->ent[e].next = w->bucket[b];
			w->bucket[b] = e;
		}
	free(old);
}

static void
window_put(struct window *w, struct cursor *c, int64_t pid, int64_t corr,
    const struct event *ev)
{
	struct win_ent *e;
	uint32_t i, *bucket;

	if (w->live >= w->nbucket)
		rehash(w);
	i = w->free_ent; /* as the free list has it, + 1 */
	if (i-- > 0) {
		w->free_ent = w->ent[i].next;
	} else {
		if (w->nent >= NONE / 2)
			die("too much GPU work waits for its calls");
		ARRAY_GROW(w->ent, w->nent, w->cap_ent);
		i = w->nent++;
	}
	e = &w->ent[i];
	bucket = &w->bucket[bucket_of(w, pid, corr)];
	*e = (struct win_ent){ .pid = pid,
		.corr = corr,
		.key = c->key,
		.row = ev->row,
		.next = *bucket,
		.ev = NONE,
		.cursor = (uint16_t)c->no,
		.kind = (uint8_t)ev->kind };
	*bucket = i;
	w->live++;
	if (w->free_ev > 0) {
		e->ev = w->free_ev - 1;
		w->free_ev = w->ev[e->ev].next;
	} else if (w->nev < MAX_EVENTS) {
		ARRAY_GROW(w->ev, w->nev, w->cap_ev);
		e->ev = w->nev++;
	} else {
		w->spilled++;
		return;
	}
	w->ev[e->ev].ev = *ev;
}

/* Takes one activity with this key out of the window (kinds and rows in any
 * order), or any at all if corr is EV_UNSET; false if there is none. */
static bool
window_take(struct profile *p, int64_t pid, int64_t corr, struct event *ev)
{
	struct window *w = &p->window;
	uint32_t *link, i, b = 0, end = w->nbucket;
	struct win_ent *e;

	if (w->live == 0)
		return false;
	if (corr != EV_UNSET) {
		b = (uint32_t)bucket_of(w, pid, corr);
		end = b + 1;
	}
	for (link = &w->bucket[b]; b < end;) {
		if (*link == NONE) {
			link = &w->bucket[++b];
			continue;
		}
		e = &w->ent[*link];
		if (corr == EV_UNSET || (e->corr == corr && e->pid == pid))
			break;
		link = &e->next;
	}
	if (b == end)
		return false;
	i = *link;
	e = &w->ent[i];
	if (e->ev != NONE) {
		*ev = w->ev[e->ev].ev;
		w->ev[e->ev].next = w->free_ev;
		w->free_ev = e->ev + 1;
	} else {
		if (!cursor_again(&p->cur[e->cursor], e->key, ev))
			die("%s: %s: row %lld is gone", db_path(),
			    p->cur[e->cursor].src->table, (long long)e->key);
		ev->row = e->row;
	}
	*link = e->next;
	e->next = w->free_ent;
	w->free_ent = i + 1;
	w->live--;
	return true;
}

void
window_free(struct window *w)
{
	free(w->ent);
	free(w->bucket);
	free(w->ev);
}

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
	if (ev.corr != EV_UNSET && keys_has_call(&p->keys, *pid, ev.corr, true))
		window_put(&p->window, c, *pid, ev.corr, &ev);
	else
		heap_put(&p->orphans, &ev);
	return true;
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
		while (c->order.orphans > 0 && !c->end) {
			if (p->orphans.n > 0 && p->orphans.v[0]->ev.start < t)
				t = p->orphans.v[0]->ev.start;
			/* no row that is still to come can start before this */
			if (c->max_start != INT64_MIN &&
			    num_sub(c->max_start, c->order.back_ns) > t)
				break;
			gpu_read(p, c, &pid, &corr);
		}
	}
}

bool
merge_peek(struct profile *p)
{
	struct event ev;
	int64_t pid, corr;
	int i;
	struct cursor *best, *c;

	best = NULL;
	for (i = 0; i < p->ncpu; i++) {
		c = p->cpu[i];
		if (c->live &&
		    (best == NULL || event_before(&c->ev, &best->ev)))
			best = c;
	}
	p->next = best;
	if (p->any_orphans)
		read_orphans(
		    p, p->next != NULL ? p->next->ev.start : INT64_MAX);
	if (p->orphans.n > 0 &&
	    (p->next == NULL ||
		event_before(&p->orphans.v[0]->ev, &p->next->ev)))
		p->next = NULL;
	else if (p->next == NULL) {
		/* what is still in the window has lost its call */
		for (i = 0; i < p->ngpu; i++)
			while (gpu_read(p, p->gpu[i], &pid, &corr))
				;
		while (window_take(p, EV_UNSET, EV_UNSET, &ev)) {
			heap_put(&p->orphans, &ev);
			p->count.late++;
		}
		return p->has_next = p->orphans.n > 0;
	}
	return p->has_next = true;
}

const struct event *
merge_head(const struct profile *p)
{
	return p->next != NULL ? &p->next->ev : &p->orphans.v[0]->ev;
}

/* Reads until as many activities of the kind wait as the call launched. */
static void
wait_for(
    struct profile *p, int64_t pid, int64_t corr, enum ev_kind kind, uint64_t n)
{
	const struct window *w = &p->window;
	uint64_t have = 0;
	int64_t kp, kc;
	uint32_t e = NONE;
	int i;

	if (w->live > 0)
		e = w->bucket[bucket_of(w, pid, corr)];
	for (; e != NONE; e = w->ent[e].next)
		if (w->ent[e].corr == corr && w->ent[e].pid == pid &&
		    w->ent[e].kind == kind)
			have++;
	for (i = 0; i < p->ngpu && have < n; i++) {
		if (p->gpu[i]->src->kind != kind)
			continue;
		while (have < n && gpu_read(p, p->gpu[i], &kp, &kc))
			if (kp == pid && kc == corr)
				have++;
	}
}

static void
emit_work(struct profile *p, const struct event *ev, const struct event *call,
    bool own)
{
	if (ev->start < call->start)
		p->count.before_launch++;
	emit_gpu(p, ev, call, own);
}

static int
by_kind_row(const void *va, const void *vb)
{
	const struct event *a = va, *b = vb;

	return CMP2(a, b, kind, row);
}

static void
emit_launch(struct profile *p, const struct event *call)
{
	int64_t pid = p->dialect->pid != NULL ? call->pid : 0;
	uint64_t n[KEY_GPU_KINDS], sum = 0;
	size_t k, nev = 0;
	struct event ev;
	int i;

	if (call->call.twin && call->corr != EV_UNSET &&
	    keys_has_call(&p->keys, pid, call->corr, false)) {
		p->count.twins++;
		return;
	}
	if (call->corr != EV_UNSET)
		sum = keys_take(&p->keys, pid, call->corr, n);
	for (i = 0; sum > 0 && i < KEY_GPU_KINDS; i++)
		if (n[i] > 0)
			wait_for(p, pid, call->corr,
			    (enum ev_kind)(EV_KERN + i), n[i]);
	if (sum == 1 && window_take(p, pid, call->corr, &ev)) {
		emit_work(p, &ev, call, false);
		return;
	}
	while (sum > 1) {
		ARRAY_GROW(p->several, nev, p->cap_several);
		if (!window_take(p, pid, call->corr, &p->several[nev]))
			break;
		nev++;
	}
	if (nev > 0)
		qsort(p->several, nev, sizeof(ev), by_kind_row);
	emit_event(p, call, nev);
	for (k = 0; k < nev; k++)
		emit_work(p, &p->several[k], call, true);
}

void
merge_emit(struct profile *p)
{
	const struct dialect *d = p->dialect;
	struct cursor *c = p->next;
	struct event *ev, work;

	if (c == NULL) {
		p->count.orphans += !p->run->sel.no_calls;
		emit_gpu(p, &heap_take(&p->orphans)->ev, NULL, false);
		return;
	}
	ev = &c->ev;
	if (d->work != NULL && ev->kind != EV_RUN && ev->kind != EV_RUN_END)
		emit_op_of(p, ev);
	if (ev->kind == EV_RUN) {
		d->run(p->ctx, ev, select_event(p, ev, NULL));
	} else if (ev->kind == EV_RUN_END) {
		d->run_end(p->ctx, ev);
	} else if (c->src->launches) {
		/* The call is in the same row. If it has no length it has a row
		 * of its own, because it launched several. */
		work = *ev;
		work.start = ev->gpu.own.start;
		work.end = ev->gpu.own.end;
		ev->name = ev->gpu.own.api;
		if (!work.gpu.own.none) {
			emit_work(p, &work, ev, ev->end == ev->start);
		} else {
			p->count.orphans++;
			emit_gpu(p, &work, NULL, false);
		}
	} else if (ev->kind == EV_CALL) {
		ev->corr = key_corr(ev->corr);
		emit_launch(p, ev);
	} else
		emit_event(p, ev, 0);
	cursor_next(c);
}
