/* The open ranges of the threads; see stats.h. */
#include <stdlib.h>

#include "array.h"
#include "err.h"
#include "num.h"
#include "stats.h"

struct gpu_range { /* an open range, with the facts known so far */
	struct stats_range r;
	struct buf name;
	bool twin; /* a range of the same name is around it on the thread */
	int64_t lo, hi, n_gpu, last_corr;
	int64_t n_child, id;
	int64_t level, parent; /* as in struct stats_proj */
	struct buf stack;      /* ids of the ranges around it, and its own */
	struct group_key key;
	struct map seen; /* parts of the table of ranges */
};

struct stack_open { /* on a thread */
	struct openrange span;
	struct gpu_range *o;
};

struct stack_thread {
	int64_t pid, tid;
	struct openranges open;
	struct group_key key; /* for work in no range */
};

size_t
threads_find(struct thread_numbers *t, int64_t pid, int64_t tid, bool *fresh)
{
	uint64_t h = hash_mix((uint64_t)pid) ^ (uint64_t)tid, *k;

	for (;; h++) {
		k = map_put(&t->by_id, h, NULL);
		*fresh = *k == 0;
		if (*fresh)
			break;
		if (t->v[*k - 1].pid == pid && t->v[*k - 1].tid == tid)
			return *k - 1;
	}
	t->v = xrealloc(t->v, t->n + 1, sizeof(*t->v));
	t->v[t->n] = (struct thread_id){ pid, tid };
	*k = ++t->n;
	return t->n - 1;
}

void
threads_clear(struct thread_numbers *t)
{
	free(t->v);
	map_free(&t->by_id);
	memset(t, 0, sizeof(*t));
}

static struct gpu_range *
range_new(struct range_stack *k)
{
	struct gpu_range **v = k->spare.v;

	return k->spare.n > 0 ? v[--k->spare.n]
			      : xcalloc(1, sizeof(struct gpu_range));
}

static void
range_free(struct range_stack *k, struct gpu_range *o)
{
	if (o->seen.n > 0)
		map_clear(&o->seen);
	ARRAY_GROW(k->spare.v, k->spare.n, k->spare.cap);
	k->spare.v[k->spare.n++] = o;
}

/* True if both have the same name and style. */
static bool
same_name(const struct gpu_range *a, const struct gpu_range *b)
{
	return a->r.push == b->r.push && a->name.len == b->name.len &&
	       (a->name.len == 0 ||
		   memcmp(a->name.s, b->name.s, a->name.len) == 0);
}

static struct gpu_range *
range_at(const struct stack_thread *th, size_t i)
{
	return ((struct stack_open *)openranges_at(&th->open, i))->o;
}

bool
stack_wanted(struct stats *s)
{
	struct range_stack *k = &s->stack;
	int i;

	for (i = 0; i < s->nreports; i++) {
		const struct report_def *def = s->report[i].def;

		k->wants.proj |= def->needs == NEEDS_PROJ;
		k->wants.kern[s->report[i].mode] |= def->needs == NEEDS_KERN;
		k->wants.names |= s->report[i].range_names;
		k->wants.any |= def->needs != 0 || s->report[i].range_names;
	}
	return k->wants.any;
}

static struct stack_thread *
thread_of(struct range_stack *k, int64_t pid, int64_t tid)
{
	bool fresh;
	size_t i = threads_find(&k->nos, pid, tid, &fresh);

	if (!fresh)
		return &k->threads[i];
	k->threads = xrealloc(k->threads, k->nos.n, sizeof(*k->threads));
	k->threads[i] = (struct stack_thread){ .pid = pid, .tid = tid };
	openranges_init(&k->threads[i].open, sizeof(struct stack_open));
	return &k->threads[i];
}

static void
report_proj(struct stats *s, struct gpu_range *o, const struct stats_proj *p)
{
	int i;

	if (s->stack.wants.proj)
		ranges_proj(&s->ranges, &o->key, p);
	for (i = 0; i < s->nreports; i++)
		if (s->report[i].def->on_proj != NULL)
			s->report[i].def->on_proj(&s->report[i], p);
}

static void
close_range(void *ctx, void *open)
{
	struct gpu_range *o = ((struct stack_open *)open)->o;
	struct stats_proj p = { .r = &o->r };
	struct stats *s = ctx;

	if (o->n_gpu > 0) {
		p.lo = o->lo;
		p.hi = o->hi;
		p.n_gpu = o->n_gpu;
		p.level = o->level;
		p.n_child = o->n_child;
		p.id = o->id;
		p.parent = o->parent;
		p.stack = (struct stats_text){ o->stack.s, o->stack.len };
		report_proj(s, o, &p);
	}
	range_free(&s->stack, o);
}

/* Closes ranges that ended before t. */
static void
expire(struct stats *s, struct stack_thread *th, int64_t t)
{
	openranges_sweep(&th->open, stats_before(t), close_range, s);
}

void
stack_range(struct stats *s, const struct stats_range *r)
{
	struct range_stack *k = &s->stack;
	struct stack_thread *th = thread_of(k, r->pid, r->tid);
	struct stack_open *place;
	struct gpu_range *o;
	size_t i;

	expire(s, th, r->start);
	o = range_new(k);
	buf_clear(&o->name);
	buf_put(&o->name, r->name, r->name_len);
	o->r = *r;
	o->r.name = o->name.s;
	o->id = r->idx > 0 ? r->idx : ++k->ids;
	o->twin = false;
	o->n_gpu = o->n_child = 0;
	o->last_corr = -1;
	o->key = (struct group_key){ 0 };
	for (i = 0; i < th->open.n; i++)
		o->twin |= same_name(range_at(th, i), o);
	place = openranges_push(&th->open, r->start, r->end);
	place->o = o;
}

static int64_t
len(const struct gpu_range *o)
{
	return num_sub(o->r.end, o->r.start);
}

/* The shortest range around the given one, the first if several are equal; NULL
 * if there is none. Ranges after it in v begin later, unless they have the same
 * times. */
static struct gpu_range *
parent_of(const struct stack_thread *th, const struct gpu_range *o)
{
	struct gpu_range *up = NULL, *x;
	size_t i;

	for (i = 0; i < th->open.n; i++) {
		x = range_at(th, i);
		if (x == o || x->r.start > o->r.start || x->r.end < o->r.end)
			continue;
		if (up == NULL || len(x) < len(up) ||
		    (len(x) == len(up) && x->id < up->id))
			up = x;
	}
	return up;
}

/* Called at the first work in a range: now it counts as a child. Ranges of the
 * same times are inside one another: they and everything in them have no level.
 */
static void
first_work(const struct stack_thread *th, size_t at)
{
	struct gpu_range *o = range_at(th, at), *up = parent_of(th, o);

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
cover(struct gpu_range *o, const struct stats_gpu *g)
{
	int64_t end = num_add(g->start, g->dur);

	if (g->start < o->lo)
		o->lo = g->start;
	if (end > o->hi)
		o->hi = end;
}

/* True if the kernel already counts in another range of this name. */
static bool
counted(const struct stack_thread *th, size_t at, int64_t end)
{
	size_t i;

	for (i = 0; range_at(th, at)->twin && i < at; i++)
		if (range_at(th, i)->r.end >= end &&
		    same_name(range_at(th, i), range_at(th, at)))
			return true;
	return false;
}

/* o is NULL for no range. */
static void
kern_in(struct stats *s, struct stack_thread *th, struct gpu_range *o,
    bool again, const struct stats_gpu *g)
{
	struct range_stack *k = &s->stack;
	struct ranges_kern x = { .pid = th->pid, .tid = th->tid };
	struct group_key *key = o != NULL ? &o->key : &th->key;
	const struct stats_range *r = o != NULL ? &o->r : NULL;
	uint32_t part;
	bool first;

	if (g->kind != GPU_KERN)
		return;
	x.push = r != NULL && r->push;
	for (x.mode = 0; x.mode < KN_N; x.mode++) {
		if (!k->wants.kern[x.mode])
			continue;
		x.name = kname_id(&s->names, g->kernel, x.mode);
		part = ranges_part(&s->ranges, (uint32_t)(th - k->threads), &x);
		first = false;
		if (o != NULL)
			map_put(&o->seen, part, &first);
		ranges_add(&s->ranges, key, r, part, g->dur, first, !again);
	}
}

void
stack_gpu(struct stats *s, const struct stats_gpu *g)
{
	struct stack_thread *th = thread_of(&s->stack, g->pid, g->tid);
	int64_t end = num_add(g->api_start, g->api_dur);
	bool any = false;
	struct gpu_range *o;
	size_t i;

	expire(s, th, g->api_start);
	for (i = 0; i < th->open.n; i++) {
		o = range_at(th, i);
		if (o->r.end < end)
			continue;
		any = true;
		if (o->n_gpu == 0)
			first_work(th, i);
		/* as many as there are calls */
		o->n_gpu += o->last_corr != g->corr || g->corr < 0;
		o->last_corr = g->corr;
		cover(o, g);
		kern_in(s, th, o, counted(th, i, end), g);
	}
	if (!any)
		kern_in(s, th, NULL, false, g);
}

/* The range that began last; the first if there are several. */
void
stack_innermost(struct stats *s, struct stats_gpu *g)
{
	struct stack_thread *th;
	int64_t end = num_add(g->api_start, g->api_dur);
	const struct gpu_range *in = NULL, *o;
	size_t i;

	if (!s->stack.wants.names)
		return;
	th = thread_of(&s->stack, g->pid, g->tid);
	expire(s, th, g->api_start);
	for (i = th->open.n; i-- > 0;) {
		o = range_at(th, i);
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
stack_no_call(struct stats *s, const struct stats_gpu *g)
{
	kern_in(s, thread_of(&s->stack, -1, -1), NULL, false, g);
}

void
stack_end(struct stats *s)
{
	struct range_stack *k = &s->stack;
	size_t i;

	for (i = 0; i < k->nos.n; i++) {
		openranges_sweep(
		    &k->threads[i].open, INT64_MAX, close_range, s);
		openranges_free(&k->threads[i].open);
	}
	free(k->threads);
	k->threads = NULL;
	threads_clear(&k->nos);
	k->ids = 0;
}
