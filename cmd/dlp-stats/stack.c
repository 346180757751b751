/* The open ranges of the threads; see stack.h. */
#include <stdlib.h>

#include "buf.h"
#include "err.h"
#include "num.h"
#include "open.h"
#include "ranges.h"
#include "stack.h"
#include "threadno.h"

struct thread {
	int64_t pid, tid;
	struct open **v;
	size_t n, cap;
	struct table_key key; /* of work in no range */
};

static struct { /* by the reports asked for */
	bool any, names, proj, kern[KN_N];
} wants;
static struct thread *threads;
static struct threadnos nos;
static int64_t ids;

bool
stack_wanted(void)
{
	int i;

	for (i = 0; i < nreports; i++) {
		const struct report_def *def = reports[i].def;

		wants.proj |= def->needs == NEEDS_PROJ;
		wants.kern[reports[i].mode] |= def->needs == NEEDS_KERN;
		wants.names |= reports[i].range_names;
		wants.any |= def->needs != 0 || reports[i].range_names;
	}
	return wants.any;
}

static struct thread *
thread_of(int64_t pid, int64_t tid)
{
	bool fresh;
	size_t i = threadno(&nos, pid, tid, &fresh);

	if (!fresh)
		return &threads[i];
	threads = xrealloc(threads, nos.n, sizeof(*threads));
	threads[i] = (struct thread){ .pid = pid, .tid = tid };
	return &threads[i];
}

static void
tell(struct open *o, const struct proj *p)
{
	int i;

	if (wants.proj)
		ranges_proj(&o->key, p);
	for (i = 0; i < nreports; i++)
		if (reports[i].def->on_proj != NULL)
			reports[i].def->on_proj(&reports[i], p);
}

static void
close_range(struct open *o)
{
	struct proj p = { .r = &o->r };

	if (o->n_gpu > 0) {
		p.lo = o->lo;
		p.hi = o->hi;
		p.n_gpu = o->n_gpu;
		p.level = o->level;
		p.n_child = o->n_child;
		p.id = o->id;
		p.parent = o->parent;
		p.stack = (struct text){ o->stack.s, o->stack.len };
		tell(o, &p);
	}
	open_give_back(o);
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

void
stack_range(const struct range *r)
{
	struct thread *th = thread_of(r->pid, r->tid);
	struct open *o;
	size_t i;

	expire(th, r->start);
	o = open_new();
	buf_clear(&o->name);
	buf_put(&o->name, r->name, r->name_len);
	o->r = *r;
	o->r.name = o->name.s;
	o->id = r->idx > 0 ? r->idx : ++ids;
	o->twin = false;
	o->n_gpu = o->n_child = 0;
	o->last_corr = -1;
	o->key = (struct table_key){ 0 };
	for (i = 0; i < th->n; i++)
		o->twin |= open_same_name(th->v[i], o);
	if (th->n == th->cap) {
		th->cap = th->cap != 0 ? th->cap * 2 : 16;
		th->v = xrealloc(th->v, th->cap, sizeof(struct open *));
	}
	th->v[th->n++] = o;
}

static int64_t
len(const struct open *o)
{
	return num_sub(o->r.end, o->r.start);
}

/* The shortest that the range lies in, of equal ones the first; NULL: none.
 * Those behind it in v begin later, but for ranges of the same times. */
static struct open *
parent_of(const struct thread *th, const struct open *o)
{
	struct open *up = NULL, *x;
	size_t i;

	for (i = 0; i < th->n; i++) {
		x = th->v[i];
		if (x == o || x->r.start > o->r.start || x->r.end < o->r.end)
			continue;
		if (up == NULL || len(x) < len(up) ||
		    (len(x) == len(up) && x->id < up->id))
			up = x;
	}
	return up;
}

/* The first work in a range: now it counts as a child. Ranges of the same
 * times lie in one another: they and all in them have no level. */
static void
first_work(const struct thread *th, size_t at)
{
	struct open *o = th->v[at], *up = parent_of(th, o);

	o->lo = INT64_MAX;
	o->hi = INT64_MIN;
	o->parent = 0;
	o->level = 0;
	buf_clear(&o->stack);
	if (up != NULL) {
		up->n_child++;
		if (len(up) == len(o) || up->level < 0) {
			o->level = -1;
			return;
		}
		o->level = up->level + 1;
		o->parent = up->id;
		buf_put(&o->stack, up->stack.s, up->stack.len);
	}
	buf_putc(&o->stack, ':');
	buf_i64(&o->stack, o->id);
}

static void
cover(struct open *o, const struct gpu *g)
{
	int64_t end = num_add(g->start, g->dur);

	if (g->start < o->lo)
		o->lo = g->start;
	if (end > o->hi)
		o->hi = end;
}

/* Whether the kernel counts in another range of this name already. */
static bool
counted(const struct thread *th, size_t at, int64_t end)
{
	size_t i;

	for (i = 0; th->v[at]->twin && i < at; i++)
		if (th->v[i]->r.end >= end &&
		    open_same_name(th->v[i], th->v[at]))
			return true;
	return false;
}

/* o NULL: in no range. */
static void
kern_in(struct thread *th, struct open *o, bool again, const struct gpu *g)
{
	struct ranges_kern x = { .pid = th->pid, .tid = th->tid };
	struct table_key *key = o != NULL ? &o->key : &th->key;
	const struct range *r = o != NULL ? &o->r : NULL;
	uint32_t part;
	bool first;

	if (g->kind != GPU_KERN)
		return;
	x.push = r != NULL && r->push;
	for (x.mode = 0; x.mode < KN_N; x.mode++) {
		if (!wants.kern[x.mode])
			continue;
		x.name = kname_id(g->kernel, x.mode);
		part = ranges_part((uint32_t)(th - threads), &x);
		first = false;
		if (o != NULL)
			map_put(&o->seen, part, &first);
		ranges_add(key, r, part, g->dur, first, !again);
	}
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
		cover(o, g);
		kern_in(th, o, counted(th, i, end), g);
	}
	if (!any)
		kern_in(th, NULL, false, g);
}

/* The one that began last; of several the first. */
void
stack_innermost(struct gpu *g)
{
	struct thread *th;
	int64_t end = num_add(g->api_start, g->api_dur);
	const struct open *in = NULL, *o;
	size_t i;

	if (!wants.names)
		return;
	th = thread_of(g->pid, g->tid);
	expire(th, g->api_start);
	for (i = th->n; i-- > 0;) {
		o = th->v[i];
		if (in != NULL && o->r.start < in->r.start)
			break;
		if (o->r.end >= end && (in == NULL || o->id < in->id))
			in = o;
	}
	if (in == NULL)
		return;
	g->range.s = in->r.name + in->r.domain_len + 1;
	g->range.n = in->r.name_len - in->r.domain_len - 1;
}

void
stack_no_call(const struct gpu *g)
{
	kern_in(thread_of(-1, -1), NULL, false, g);
}

void
stack_end(void)
{
	size_t i;

	for (i = 0; i < nos.n; i++) {
		expire(&threads[i], INT64_MAX);
		/* an end that cannot be later than INT64_MAX */
		while (threads[i].n > 0)
			close_range(threads[i].v[--threads[i].n]);
		free(threads[i].v);
	}
	free(threads);
	threads = NULL;
	threadnos_clear(&nos);
	ids = 0;
}
