/*
 * Databases of a recording that goes on. Rows wait here until the moment of
 * their step: a range until it has ended, work of the GPU until its call may be
 * written. A moment at which a range is open is put off to the range's
 * beginning, unless the range is long: then it comes with the step in which it
 * ends, and does not hold up what is inside it.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array.h"
#include "convert.h"

struct conv_refs {
	struct conv_ref *v;
	size_t n, cap;
};

struct live_thread {
	uint32_t proc, tid;
	struct conv_stack stack;
};

struct conv_live {
	struct conv_refs held;
	struct conv_refs always;  /* rows of each step: what others refer to */
	struct conv_refs waiting; /* start/end ranges without an end */
	struct map threads;       /* process and thread to its number */
	struct live_thread **thread;
	size_t n_threads, cap;
	struct map
	    calls;   /* process and correlation id to the start; a step's */
	int64_t cut; /* of the last step */
	int64_t progress; /* the start of the last call whose work is known */
	bool writing, last;
	uint64_t total[CONV_COUNTERS];
};

bool
conv_holds(const struct conv *c)
{
	return c->live != NULL && !c->live->writing;
}

static void
refs_add(struct conv_refs *to, const struct conv_ref *ref)
{
	ARRAY_GROW(to->v, to->n, to->cap);
	to->v[to->n++] = *ref;
}

void
conv_hold(struct conv *c, enum rec_table t, struct conv_ref *ref)
{
	uint16_t type = ((const struct rspool_rec *)conv_rec(c, ref))->type;
	bool is_name = type == RSPOOL_DOMAIN || type == RSPOOL_CATEGORY ||
		       type == RSPOOL_LABEL || type == RSPOOL_CONTEXT ||
		       type == RSPOOL_STREAM;

	ref->table = t;
	refs_add(is_name ? &c->live->always : &c->live->held, ref);
}

bool
conv_wait_end(struct conv *c, struct conv_proc *p, uint32_t tid, uint64_t at)
{
	const struct rspool_nvtx_event *e = (const void *)(p->file->map + at);
	struct conv_ref ref = { p->no, tid, at, e->t, DBW_NULL, 0, RT_NVTX };

	if (c->live == NULL || c->live->last)
		return false;
	refs_add(&c->live->waiting, &ref);
	return true;
}

struct conv_stack *
conv_live_stack(struct conv *c, const struct conv_proc *p, uint32_t tid)
{
	struct conv_live *l = c->live;
	struct live_thread *t;
	bool is_new;
	uint64_t *no =
	    map_put(&l->threads, (uint64_t)p->no << 32 | tid, &is_new);

	if (is_new) {
		*no = l->n_threads;
		ARRAY_GROW(l->thread, l->n_threads, l->cap);
		t = xcalloc(1, sizeof(*t));
		t->proc = p->no;
		t->tid = tid;
		l->thread[l->n_threads++] = t;
	}
	return &l->thread[*no]->stack;
}

static uint64_t
call_key(const struct conv *c, const struct conv_ref *ref)
{
	return (uint64_t)ref->proc << 32 | conv_corr(c, ref);
}

static void
find_calls(struct conv *c)
{
	struct conv_live *l = c->live;
	const struct conv_ref *r, *end = l->held.v + l->held.n;
	const uint64_t *t;

	map_free(&l->calls);
	for (r = l->held.v; r < end; r++)
		if (r->table == RT_CALLS)
			*map_put(&l->calls, call_key(c, r), NULL) =
			    (uint64_t)r->start;
	for (r = l->held.v; r < end; r++) {
		t = conv_is_gpu(r) ? map_get(&l->calls, call_key(c, r)) : NULL;
		if (t != NULL && (int64_t)*t > l->progress)
			l->progress = (int64_t)*t;
	}
}

struct span {
	int64_t start, end;
};

static int
latest_first(const void *va, const void *vb)
{
	const struct span *a = va, *b = vb;

	return a->start > b->start ? -1 : a->start < b->start;
}

/* Where t lies in a range, its beginning, and so on. */
static int64_t
before_ended(const struct conv_refs *held, int64_t t)
{
	struct span *v = xcalloc(held->n + 1, sizeof(*v));
	const struct conv_ref *r;
	size_t n = 0, i;

	for (r = held->v; r < held->v + held->n; r++)
		if (r->table == RT_NVTX && r->start < t && r->end > r->start &&
		    r->end - r->start < CONV_WAIT)
			v[n++] = (struct span){ r->start, r->end };
	qsort(v, n, sizeof(*v), latest_first);
	for (i = 0; i < n; i++)
		if (v[i].start < t && v[i].end > t)
			t = v[i].start;
	free(v);
	return t;
}

/* The same for ranges that are open. */
static int64_t
before_open(const struct conv_live *l, int64_t t, int64_t oldest)
{
	const struct conv_stack *s;
	size_t i, k;

	for (i = 0; i < l->n_threads; i++) {
		s = &l->thread[i]->stack;
		for (k = 0; k < s->n; k++)
			if (s->open[k].t < t && s->open[k].t > oldest)
				t = s->open[k].t;
	}
	for (i = 0; i < l->waiting.n; i++)
		if (l->waiting.v[i].start < t && l->waiting.v[i].start > oldest)
			t = l->waiting.v[i].start;
	return t;
}

/* Up to which moment the step goes. */
static int64_t
find_cut(struct conv *c, int64_t lag)
{
	struct conv_live *l = c->live;
	struct timespec ts;
	int64_t now, t, limit;

	if (l->last)
		return INT64_MAX;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
	limit = now - lag;
	if (c->has_cuda && l->progress < limit)
		limit = l->progress > now - CONV_WAIT ? l->progress
						      : now - CONV_WAIT;
	t = before_ended(&l->held, before_open(l, limit, now - CONV_WAIT));
	return t <= l->cut && limit - l->cut > 2 * CONV_WAIT ? limit : t;
}

/* Work belongs to the step of its call. */
static bool
is_due(const struct conv *c, const struct conv_ref *r, int64_t cut)
{
	const uint64_t *t = NULL;

	if (conv_is_gpu(r))
		t = map_get(&c->live->calls, call_key(c, r));
	return (t != NULL ? (int64_t)*t : r->start) < cut;
}

/* False if nothing is due. */
static bool
write_due(struct conv *c, const char *path, int64_t cut)
{
	struct conv_live *l = c->live;
	size_t i, left = 0;
	struct conv_ref r;
	bool any = false;

	/* a section is worth writing for ranges, calls and GPU work */
	for (i = 0; i < l->held.n && !any; i++) {
		r = l->held.v[i];
		any = (r.table == RT_NVTX || r.table == RT_CALLS ||
			  conv_is_gpu(&r)) &&
		      is_due(c, &r, cut);
	}
	if (!any && !l->last)
		return false;
	smap_free(&c->text);
	map_free(&c->kernel);
	memset(c->count, 0, sizeof(c->count));
	conv_begin(c, path, true);
	l->writing = true;
	for (i = 0; i < l->always.n; i++) {
		r = l->always.v[i];
		if (r.start < c->t0 && r.table != RT_NVTX)
			r.start = r.end = c->t0;
		conv_again(c, &r);
	}
	for (i = 0; i < l->held.n; i++) {
		r = l->held.v[i];
		if (is_due(c, &r, cut))
			conv_again(c, &r);
		else
			l->held.v[left++] = r;
	}
	l->held.n = left;
	conv_end(c);
	for (i = 0; i < CONV_COUNTERS; i++)
		l->total[i] += c->count[i];
	l->writing = false;
	return true;
}

struct conv *
conv_live_begin(void)
{
	struct conv *c = xcalloc(1, sizeof(*c));

	c->live = xcalloc(1, sizeof(*c->live));
	c->live->cut = c->live->progress = INT64_MIN;
	return c;
}

bool
conv_live_step(struct conv *c, const char *folder, const char *path,
    int64_t lag, bool last)
{
	struct conv_live *l = c->live;
	size_t known = c->dir.n, i;
	bool first = c->dir.path == NULL;
	int64_t cut;
	struct conv_refs was;
	struct conv_ref *r;

	rspool_read(&c->dir, folder, true);
	if (first)
		conv_session(c);
	conv_procs(c, known);
	l->last = last;
	conv_read(c);
	/* Those whose end has come, or all that are left. */
	was = c->live->waiting;
	memset(&c->live->waiting, 0, sizeof(was));
	for (i = 0; i < was.n; i++) {
		r = &was.v[i];
		conv_start(c, &c->proc[r->proc], r->tid, r->at, conv_rec(c, r));
	}
	free(was.v);
	for (i = 0; last && i < l->n_threads; i++)
		conv_end_thread(c, &c->proc[l->thread[i]->proc],
		    &l->thread[i]->stack, l->thread[i]->tid);
	if (!c->has_window && !last)
		return false;
	find_calls(c);
	cut = find_cut(c, lag);
	if (cut <= l->cut || !write_due(c, path, cut))
		return false;
	l->cut = cut;
	return true;
}

void
conv_live_end(struct conv *c, const char *folder)
{
	struct conv_live *l = c->live;
	size_t i;

	memcpy(c->count, l->total, sizeof(c->count));
	conv_say(c, folder);
	for (i = 0; i < l->n_threads; i++) {
		free(l->thread[i]->stack.open);
		free(l->thread[i]);
	}
	free(l->thread);
	free(l->held.v);
	free(l->always.v);
	free(l->waiting.v);
	map_free(&l->threads);
	map_free(&l->calls);
	conv_finish(c);
	free(l);
	free(c);
}
