/* The open ranges of the threads; see stack.h. */
#include <stdlib.h>

#include "buf.h"
#include "err.h"
#include "map.h"
#include "num.h"
#include "reports.h"
#include "stack.h"

struct open { /* a range */
	struct range r;
	struct buf name;
	bool twin; /* one of the same name is around it on the thread */
	int64_t lo, hi, n_gpu, last_corr;
	int64_t level, n_child, id, parent;
	struct buf stack; /* ids of the ranges around it, and its own */
	struct table_key key[KN_N];
	struct map seen[KN_N]; /* names of kernels */
};

struct thread {
	int64_t pid, tid;
	struct open **v;
	size_t n, cap;
	/* work in no range */
	int64_t lo, hi, n_gpu, last_corr;
	struct table_key key[KN_N];
};

static struct thread *threads;
static size_t nthreads;
static struct map by_id; /* mixed pid and tid -> number + 1 */
static struct open **spare;
static size_t nspare, sparecap;
static int64_t ids;

static struct thread *
thread_of(int64_t pid, int64_t tid)
{
	uint64_t h = hash_mix((uint64_t)pid) ^ (uint64_t)tid, *k;
	struct thread *th;

	for (;; h++) {
		k = map_put(&by_id, h, NULL);
		if (*k == 0)
			break;
		th = &threads[*k - 1];
		if (th->pid == pid && th->tid == tid)
			return th;
	}
	threads = xrealloc(threads, nthreads + 1, sizeof(*threads));
	th = &threads[nthreads++];
	*k = nthreads;
	memset(th, 0, sizeof(*th));
	th->pid = pid;
	th->tid = tid;
	th->last_corr = -1;
	return th;
}

static struct open *
new_open(void)
{
	return nspare > 0 ? spare[--nspare] : xcalloc(1, sizeof(struct open));
}

static void
give_back(struct open *o)
{
	int i;

	for (i = 0; i < KN_N; i++)
		if (o->seen[i].n > 0)
			map_clear(&o->seen[i]);
	if (nspare == sparecap) {
		sparecap = sparecap != 0 ? sparecap * 2 : 64;
		spare = xrealloc(spare, sparecap, sizeof(*spare));
	}
	spare[nspare++] = o;
}

static void
tell(const struct proj *p)
{
	int i;

	for (i = 0; i < nreports; i++)
		if (reports[i].def->on_proj != NULL)
			reports[i].def->on_proj(&reports[i], p);
}

static void
close_range(struct open *o)
{
	struct proj p = { .r = &o->r, .pid = o->r.pid, .tid = o->r.tid };

	if (o->n_gpu > 0) {
		p.lo = o->lo;
		p.hi = o->hi;
		p.n_gpu = o->n_gpu;
		p.level = o->level;
		p.n_child = o->n_child;
		p.id = o->id;
		p.parent = o->parent;
		p.stack = (struct text){ o->stack.s, o->stack.len };
		tell(&p);
	}
	give_back(o);
}

/* Closes what ended before t. */
static void
expire(struct thread *th, int64_t t)
{
	size_t i, k;

	for (i = k = 0; i < th->n; i++)
		if (th->v[i]->r.end < t)
			close_range(th->v[i]);
		else
			th->v[k++] = th->v[i];
	th->n = k;
}

static bool
same_name(const struct open *a, const struct open *b)
{
	return a->r.push == b->r.push && a->name.len == b->name.len &&
	       (a->name.len == 0 ||
		   memcmp(a->name.s, b->name.s, a->name.len) == 0);
}

void
stack_range(const struct range *r)
{
	struct thread *th = thread_of(r->pid, r->tid);
	struct open *o;
	size_t i;

	expire(th, r->start);
	o = new_open();
	buf_clear(&o->name);
	buf_put(&o->name, r->name, r->name_len);
	o->r = *r;
	o->r.name = o->name.s;
	o->twin = false;
	o->n_gpu = o->n_child = 0;
	o->last_corr = -1;
	memset(o->key, 0, sizeof(o->key));
	for (i = 0; i < th->n; i++)
		o->twin |= same_name(th->v[i], o);
	if (th->n == th->cap) {
		th->cap = th->cap != 0 ? th->cap * 2 : 16;
		th->v = xrealloc(th->v, th->cap, sizeof(struct open *));
	}
	th->v[th->n++] = o;
}

/* The first work in a range: now it counts as a level and a child. */
static void
first_work(const struct thread *th, size_t at)
{
	struct open *o = th->v[at], *up = NULL;
	size_t i;

	o->level = 0;
	for (i = 0; i < at; i++)
		if (th->v[i]->r.end >= o->r.end) {
			up = th->v[i];
			o->level++;
		}
	o->id = ++ids;
	o->parent = up != NULL ? up->id : 0;
	buf_clear(&o->stack);
	if (up != NULL) {
		up->n_child++;
		buf_put(&o->stack, up->stack.s, up->stack.len);
	}
	buf_putc(&o->stack, ':');
	buf_i64(&o->stack, o->id);
	o->lo = INT64_MAX;
	o->hi = INT64_MIN;
}

static void
cover(int64_t *lo, int64_t *hi, const struct gpu *g)
{
	int64_t end = num_add(g->start, g->dur);

	if (g->start < *lo)
		*lo = g->start;
	if (end > *hi)
		*hi = end;
}

/* Whether the kernel counts in another range of this name already. */
static bool
counted(const struct thread *th, size_t at, int64_t end)
{
	size_t i;

	for (i = 0; th->v[at]->twin && i < at; i++)
		if (th->v[i]->r.end >= end && same_name(th->v[i], th->v[at]))
			return true;
	return false;
}

/* o NULL: in no range. */
static void
kern_in(struct thread *th, struct open *o, bool again, const struct gpu *g)
{
	const struct range *r = o != NULL ? &o->r : NULL;
	struct table_key *key = o != NULL ? o->key : th->key;
	int64_t counts;
	bool is_new;
	int i;

	for (i = 0; i < nreports; i++) {
		struct report *rep = &reports[i];

		if (rep->def->on_rangekern == NULL)
			continue;
		is_new = false;
		if (o != NULL)
			map_put(&o->seen[rep->mode],
			    kname_id(g->kernel, rep->mode), &is_new);
		counts = (int64_t)is_new + ((int64_t)!again << 32);
		rep->def->on_rangekern(rep, &key[rep->mode], r, g, counts);
	}
}

static void
no_range(struct thread *th, const struct gpu *g)
{
	if (th->n_gpu == 0) {
		th->lo = INT64_MAX;
		th->hi = INT64_MIN;
	}
	th->n_gpu += th->last_corr != g->corr || g->corr < 0;
	th->last_corr = g->corr;
	cover(&th->lo, &th->hi, g);
	if (g->kind == GPU_KERN)
		kern_in(th, NULL, false, g);
}

void
stack_gpu(const struct gpu *g)
{
	struct thread *th = thread_of(g->pid, g->tid);
	int64_t end = num_add(g->api_start, g->api_dur);
	bool any = false;
	struct open *o;
	size_t i;

	expire(th, g->api_start);
	for (i = 0; i < th->n; i++) {
		o = th->v[i];
		if (o->r.end < end)
			continue;
		any = true;
		if (o->n_gpu == 0)
			first_work(th, i);
		/* as many as there are calls */
		o->n_gpu += o->last_corr != g->corr || g->corr < 0;
		o->last_corr = g->corr;
		cover(&o->lo, &o->hi, g);
		if (g->kind == GPU_KERN)
			kern_in(th, o, counted(th, i, end), g);
	}
	if (!any)
		no_range(th, g);
}

void
stack_end(void)
{
	struct thread *th;
	size_t i;

	for (i = 0; i < nthreads; i++) {
		struct proj p = { .r = NULL };

		th = &threads[i];
		expire(th, INT64_MAX);
		/* an end that cannot be later than INT64_MAX */
		while (th->n > 0)
			close_range(th->v[--th->n]);
		if (th->n_gpu > 0) {
			p.pid = th->pid;
			p.tid = th->tid;
			p.lo = th->lo;
			p.hi = th->hi;
			p.n_gpu = th->n_gpu;
			tell(&p);
		}
		free(th->v);
	}
	free(threads);
	threads = NULL;
	nthreads = 0;
	map_clear(&by_id);
	ids = 0;
}
