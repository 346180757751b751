/*
 * The merge of a profile's tables in launch order. GPU work follows its call:
 * the GPU tables are read ahead until all work that the call launched has been
 * read (the first pass counted it). Other work that is read on the way waits in
 * the window. GPU work that no call launched is written at its own start.
 */
#include <stdlib.h>

#include "array.h"
#include "emit.h"
#include "num.h"
#include "profile.h"
#include "selection.h"

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
		p->count.orphans++;
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
