/*
 * Processes, threads, and the ranges that are open on a thread now. Ranges
 * of all domains lie on one stack in the order of their starts; ends are
 * known, so a range leaves when time has passed its end, whether or not it
 * is on top (start/end ranges need not nest).
 */
#include "thread.h"

#include <stdlib.h>

#include "err.h"

static struct proc *
proc_new(struct text src, int64_t pid)
{
	struct proc *p = xcalloc(1, sizeof(*p));

	p->pid = pid;
	p->src = src;
	return p;
}

struct proc *
proc_of(struct threads *ts, const char *src, size_t nsrc, int64_t pid)
{
	bool is_new;
	uint32_t i;

	if (ts->last_proc != NULL && ts->last_proc->pid == pid && nsrc == 0)
		return ts->last_proc;
	buf_clear(&ts->key);
	buf_put(&ts->key, (const char *)&pid, sizeof(pid));
	buf_put(&ts->key, src, nsrc);
	i = smap_put(&ts->procs, ts->key.s, ts->key.len, &is_new);
	if (is_new) {
		struct text kept = { NULL, nsrc };

		if (nsrc > 0)
			kept.s = smap_str(&ts->procs, i, NULL) + sizeof(pid);
		ts->procs.val[i] = (uint64_t)(uintptr_t)proc_new(kept, pid);
	}
	ts->last_proc = (struct proc *)(uintptr_t)ts->procs.val[i];
	return ts->last_proc;
}

struct proc *
proc_nth(const struct threads *ts, size_t i)
{
	if (i >= ts->procs.n)
		return NULL;
	return (struct proc *)(uintptr_t)ts->procs.val[i];
}

struct thread *
thread_of(struct threads *ts, struct proc *p, int64_t tid)
{
	struct thread *th = ts->last;
	uint64_t *v;

	if (th != NULL && th->tid == tid && th->p == p)
		return th;
	v = map_put(&p->threads, (uint64_t)tid, NULL);
	if (*v == 0) {
		th = xcalloc(1, sizeof(*th));
		th->p = p;
		th->tid = tid;
		*v = (uint64_t)(uintptr_t)th;
	}
	ts->last = (struct thread *)(uintptr_t)*v;
	return ts->last;
}

struct open *
thread_top(struct thread *th)
{
	return th->n > 0 ? &th->v[th->n - 1] : NULL;
}

/* The place above the top, emptied; its buffer is kept for use again. */
struct open *
thread_push(struct thread *th)
{
	struct open *o;
	struct buf text;

	if (th->n == th->cap) {
		th->v = xrealloc(
		    th->v, th->cap > 0 ? th->cap * 2 : 16, sizeof(*th->v));
		memset(th->v + th->cap, 0,
		    (th->cap > 0 ? th->cap : 16) * sizeof(*th->v));
		th->cap = th->cap > 0 ? th->cap * 2 : 16;
	}
	o = &th->v[th->n++];
	text = o->text;
	memset(o, 0, sizeof(*o));
	o->text = text;
	o->text.len = 0;
	o->seq = -1;
	return o;
}

static void
link_layer(struct thread *th, struct open *o, size_t len)
{
	th->layer.len = len;
	if (o->layered) {
		if (len > 0)
			buf_putc(&th->layer, '/');
		buf_put(&th->layer, o->text.s, o->text.len);
	}
	o->layer_len = th->layer.len;
}

/* Makes the figures of range i that follow from those under it. */
void
open_link(struct thread *th, size_t i)
{
	static const struct open ground = { .min_end = INT64_MAX };
	struct open *o = &th->v[i];
	const struct open *b = i > 0 ? &th->v[i - 1] : &ground;
	bool bwd = o->kind == MK_BWD || o->kind == MK_BWD_FRAME;
	bool user = o->kind == MK_USER || o->kind == MK_LAYER;

	o->min_end = o->end < b->min_end ? o->end : b->min_end;
	o->cur = o->own != NULL ? o->own : b->cur;
	o->prim = o->own_prim != 0 ? o->own_prim : b->prim;
	o->prim_run = o->own_prim != 0 ? o->own_prim_run : b->prim_run;
	o->phase = b->phase != 0 ? b->phase : o->own_phase;
	o->n_bwd = b->n_bwd + (bwd && !o->hidden);
	o->n_dead = b->n_dead + (o->dead && !user);
	o->again = b->again || (o->hidden && bwd);
	o->n_user = b->n_user + (user && !o->dead);
	link_layer(th, o, b->layer_len);
}

/* A run that closed is used again for another, with another order. */
static void
leave(struct threads *ts, struct open *o)
{
	if (o->own != NULL && o->own->pending && o->own->order == o->order)
		inst_drop(ts->insts, o->own);
	o->own = NULL;
	o->proj = NULL;
}

/* Some range under the top has ended: closes the gaps. */
static void
squeeze(struct threads *ts, struct thread *th)
{
	struct open tmp;
	size_t i, k = 0;

	for (i = 0; i < th->n; i++) {
		if (th->v[i].end <= ts->now) {
			leave(ts, &th->v[i]);
			continue;
		}
		if (k != i) { /* swapped, so that no buffer is lost */
			tmp = th->v[k];
			th->v[k] = th->v[i];
			th->v[i] = tmp;
		}
		open_link(th, k++);
	}
	th->n = k;
}

void
thread_sweep(struct threads *ts, struct thread *th)
{
	size_t n = th->n;

	while (n > 0 && th->v[n - 1].end <= ts->now)
		leave(ts, &th->v[--n]);
	if (n == th->n && (n == 0 || th->v[n - 1].min_end > ts->now))
		return;
	th->n = n;
	th->layer.len = n > 0 ? th->v[n - 1].layer_len : 0;
	if (n > 0 && th->v[n - 1].min_end <= ts->now)
		squeeze(ts, th);
}

void
thread_phased(struct thread *th)
{
	struct proc *p = th->p;

	if (th->phased)
		return;
	th->phased = true;
	p->phased =
	    xrealloc(p->phased, p->n_phased + 1, sizeof(struct thread *));
	p->phased[p->n_phased++] = th;
}

static void
thread_free(struct threads *ts, struct thread *th)
{
	size_t i;

	for (i = 0; i < th->n; i++)
		leave(ts, &th->v[i]);
	for (i = 0; i < th->cap; i++)
		buf_free(&th->v[i].text);
	free(th->v);
	buf_free(&th->layer);
	free(th);
}

static void
proc_free(struct threads *ts, struct proc *p)
{
	size_t it = 0;
	uint64_t key, val;

	while (map_next(&p->threads, &it, &key, &val))
		thread_free(ts, (struct thread *)(uintptr_t)val);
	map_free(&p->threads);
	recent_free(&p->fwd);
	recent_free(&p->bwd);
	free(p->phased);
	free(p);
}

void
procs_free(struct threads *ts)
{
	size_t i;

	for (i = 0; i < ts->procs.n; i++)
		proc_free(ts, (struct proc *)(uintptr_t)ts->procs.val[i]);
	smap_free(&ts->procs);
	ts->last = NULL;
	ts->last_proc = NULL;
}
