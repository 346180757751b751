/*
 * Processes, threads, and the ranges that are open on a thread. Ranges of all
 * domains are on one stack in the order of their starts, because start/end
 * ranges need not nest. Also the sequence and op ids that a process remembers.
 */
#include <inttypes.h>
#include "corr.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"

#define RECENT_MIN 1024u
#define RECENT_MAX (1u << 20)

struct corr_proc *
proc_of(struct threads *ts, struct mview src, int64_t pid)
{
	struct corr_proc *p;
	bool is_new;
	uint32_t i;

	if (ts->last_proc != NULL && ts->last_proc->pid == pid && src.n == 0 &&
	    ts->last_proc->src.n == 0)
		return ts->last_proc;
	buf_clear(&ts->key);
	buf_put(&ts->key, (const char *)&pid, sizeof(pid));
	buf_put(&ts->key, src.s, src.n);
	i = smap_put(&ts->procs, ts->key.s, ts->key.len, &is_new);
	if (is_new) {
		p = xcalloc(1, sizeof(*p));
		p->pid = pid;
		p->src.n = src.n;
		if (src.n > 0)
			p->src.s = smap_str(&ts->procs, i, NULL) + sizeof(pid);
		ts->procs.val[i] = (uint64_t)(uintptr_t)p;
	}
	ts->last_proc = (struct corr_proc *)(uintptr_t)ts->procs.val[i];
	return ts->last_proc;
}

struct corr_proc *
proc_nth(const struct threads *ts, size_t i)
{
	if (i >= ts->procs.n)
		return NULL;
	return (struct corr_proc *)(uintptr_t)ts->procs.val[i];
}

struct corr_thread *
corr_thread_of(struct threads *ts, struct corr_proc *proc, int64_t tid)
{
	struct corr_thread *th = ts->last;
	uint64_t *v;

	if (th != NULL && th->tid == tid && th->p == proc)
		return th;
	v = map_put(&proc->threads, (uint64_t)tid, NULL);
	if (*v == 0) {
		th = xcalloc(1, sizeof(*th));
		th->p = proc;
		openranges_init(&th->open, sizeof(struct corr_open));
		th->tid = tid;
		*v = (uint64_t)(uintptr_t)th;
	}
	ts->last = (struct corr_thread *)(uintptr_t)*v;
	return ts->last;
}

#define PATH_MAX_BYTES 512 /* of a layer path, see dlp(7) */

/* Computes the members of range i that follow from the ranges below it. */
void
open_link(struct threads *ts, struct corr_thread *th, size_t i)
{
	static const struct corr_open ground;
	struct corr_open *open = thread_at(th, i);
	const struct corr_open *below = i > 0 ? open - 1 : &ground;
	bool bwd = open->kind == MK_BWD || open->kind == MK_BWD_FRAME;
	bool user = open->kind == MK_USER || open->kind == MK_LAYER;
	struct mview text = { open->text.s, open->text.len };

	open->cur = open->own != NULL ? open->own : below->cur;
	open->prim = open->own_prim != 0 ? open->own_prim : below->prim;
	open->prim_run =
	    open->own_prim != 0 ? open->own_prim_run : below->prim_run;
	open->told = open->own_told != 0 ? open->own_told : below->told;
	open->phase = phase_inside(below->phase, open->own_phase);
	open->n_bwd = below->n_bwd + (bwd && !open->hidden);
	open->n_dead = below->n_dead + (open->dead && !user);
	open->again = below->again || (open->hidden && bwd);
	open->in_module =
	    open->own == NULL &&
	    (below->in_module || (user && open->layered && below->n_bwd > 0));
	open->n_user = below->n_user + (user && !open->dead);
	th->layer.len = below->layer_len;
	open->deep = below->deep;
	if (open->layered && !open->deep) {
		if (th->layer.len > 0)
			buf_putc(&th->layer, '/');
		open->deep = below->layer_len + text.n > PATH_MAX_BYTES;
		if (!open->deep) {
			buf_put(&th->layer, text.s, text.n);
		} else {
			if (open->text_id == 0)
				open->text_id = text_write(ts->texts, text);
			buf_printf(&th->layer, "~%" PRId64, open->text_id);
		}
	}
	open->layer_len = th->layer.len;
	open->at_buffer = open->buffer ? i + 1 : below->at_buffer;
	open->at_pyprof = below->at_pyprof;
	open->at_other = below->at_other;
	if (open->dead || open->hidden)
		return;
	if (open->kind == MK_ARGS || open->seq >= 0)
		open->at_pyprof = i + 1;
	else if (open->at_other == 0 && open->kind != MK_TRACE &&
		 open->kind != MK_REPR && open->kind != MK_LAYER)
		open->at_other = i + 1;
}

struct corr_open *
thread_push(struct corr_thread *th, int64_t start, int64_t end)
{
	struct corr_open *o = openranges_push(&th->open, start, end);
	struct openrange span = o->span;
	struct buf text = o->text;

	memset(o, 0, sizeof(*o));
	o->span = span;
	o->text = text;
	o->text.len = 0;
	o->seq = -1;
	return o;
}

/* Ends a range. A backward frame whose node never came is not a run. */
static void
range_gone(void *ctx, void *range)
{
	struct threads *ts = ctx;
	struct corr_open *o = range;

	if (o->own != NULL && o->own->pending && o->own->order == o->order)
		inst_drop(ts->insts, o->own);
	o->own = NULL;
	o->proj = NULL;
}

void
thread_sweep(struct threads *ts, struct corr_thread *th)
{
	const struct corr_open *top = thread_top(th);
	size_t i;

	if (top == NULL || top->span.min_end > ts->now)
		return;
	i = openranges_sweep(&th->open, ts->now, range_gone, ts);
	th->layer.len = i > 0 ? thread_at(th, i - 1)->layer_len : 0;
	for (; i < th->open.n; i++)
		open_link(ts, th, i);
}

static void
thread_free(struct threads *ts, struct corr_thread *th)
{
	size_t i;

	for (i = 0; i < th->open.n; i++)
		range_gone(ts, thread_at(th, i));
	for (i = 0; i < th->open.cap; i++)
		buf_free(&thread_at(th, i)->text);
	openranges_free(&th->open);
	buf_free(&th->layer);
	free(th->copied);
	free(th);
}

void
procs_free(struct threads *ts)
{
	struct corr_proc *p;
	uint64_t key, val;
	size_t i, it;

	for (i = 0; (p = proc_nth(ts, i)) != NULL; i++) {
		for (it = 0; map_next(&p->threads, &it, &key, &val);)
			thread_free(ts, (struct corr_thread *)(uintptr_t)val);
		map_free(&p->threads);
		recent_free(&p->fwd);
		recent_free(&p->bwd);
		free(p->phased);
		free(p);
	}
	smap_free(&ts->procs);
	buf_free(&ts->key);
	ts->last = NULL;
	ts->last_proc = NULL;
}

/* Makes the op of a backward frame that has work before its node: it is named
 * after the frame and has no forward. */
static void
resolve_by_name(struct corr *c, struct corr_thread *th, struct corr_inst *in)
{
	struct marker marker = { .in = c->markers,
		.kind = MK_BWD,
		.by = BY_PYTORCH,
		.seq = -1,
		.op_id = -1 };
	size_t i;

	for (i = th->open.n; i > 0 && thread_at(th, i - 1)->own != in;)
		i--;
	marker.name.s = "";
	if (i > 0 && thread_at(th, i - 1)->text.s != NULL)
		marker.name = (struct mview){ thread_at(th, i - 1)->text.s,
			thread_at(th, i - 1)->text.len };
	marker.text = marker.op = marker.name;
	in->op = op_of_backward(&c->ops, thread_layer(th), &marker, OP_NONE);
	in->need_node = true;
	c->n.unpaired++;
	inst_schedule(&c->insts, in);
}

struct corr_inst *
current_inst(struct corr *c, struct corr_thread *th)
{
	struct corr_open *top = thread_top(th);

	if (top == NULL || top->cur == NULL)
		return NULL;
	if (top->cur->pending)
		resolve_by_name(c, th, top->cur);
	return top->cur;
}

/*
 * Rings indexed by the id, which counts up: the newest 2^20 ids of a process
 * are kept. A lookup of an id that a newer one pushed out is counted.
 */

struct recent_slot {
	int64_t key; /* + 1; 0 is free */
	struct recent_val v;
};

static void
recent_grow(struct recent *recent)
{
	struct recent_slot *old = recent->slot, *s;
	size_t i, n = recent->cap;

	recent->cap = n > 0 ? n * 2 : RECENT_MIN;
	recent->slot = xcalloc(recent->cap, sizeof(*recent->slot));
	for (i = 0; i < n; i++) {
		if (old[i].key == 0)
			continue;
		s = &recent->slot[(size_t)(old[i].key - 1) & (recent->cap - 1)];
		if (s->key < old[i].key)
			*s = old[i];
	}
	free(old);
}

void
recent_put(struct recent *recent, int64_t key, struct recent_val v)
{
	struct recent_slot *s;

	if (key < 0 || key == INT64_MAX)
		return;
	if (recent->cap == 0)
		recent_grow(recent);
	for (;;) {
		s = &recent->slot[(size_t)key & (recent->cap - 1)];
		if (s->key == 0 || s->key == key + 1 ||
		    recent->cap >= RECENT_MAX)
			break;
		recent_grow(recent);
	}
	s->key = key + 1;
	s->v = v;
}

bool
recent_get(struct recent *recent, int64_t key, struct recent_val *v)
{
	const struct recent_slot *s;

	if (recent->cap == 0 || key < 0 || key == INT64_MAX)
		return false;
	s = &recent->slot[(size_t)key & (recent->cap - 1)];
	if (s->key == key + 1) {
		*v = s->v;
		return true;
	}
	if (s->key > key + 1)
		recent->evicted++;
	return false;
}

void
recent_free(struct recent *m)
{
	free(m->slot);
	memset(m, 0, sizeof(*m));
}
