/* The records that dlp-path reads, sorted by what needs them in order. */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "array.h"
#include "num.h"
#include "path.h"

/* Times and lengths that no profile has, 73 years and 13 days, are cut there,
 * so that sums and differences of some do not overflow. */
#define MOST_TIME ((int64_t)1 << 61)
#define MOST_LENGTH ((int64_t)1 << 50)

static bool
read_within(const struct rec *r, struct rec_col *col, int64_t most, int64_t *v)
{
	if (!rec_i64(r, col, v))
		return false;
	*v = *v > most ? most : *v < -most ? -most : *v;
	return true;
}

static bool
read_time(const struct rec *r, struct rec_col *col, int64_t *v)
{
	return read_within(r, col, MOST_TIME, v);
}

static bool
read_length(const struct rec *r, struct rec_col *col, int64_t *v)
{
	return read_within(r, col, MOST_LENGTH, v);
}

static char *
big_endian(char *to, uint64_t v, int bytes)
{
	int i;

	for (i = bytes - 1; i >= 0; i--, v >>= 8)
		to[i] = (char)(v & 0xff);
	return to + bytes;
}

/* A key that sorts by group, then time, then tie, then arrival, because equal
 * keys stay in their order. It is short, because all of them go through files,
 * and its first eight bytes, by which runs are merged, differ mostly. */
static void
put_sorted(struct xsort *x, uint32_t group, int64_t t, int64_t tie,
    const void *val, size_t n)
{
	char key[21], *to = key;

	if (group < 255)
		to = big_endian(to, group, 1);
	else
		to = big_endian(to, (uint64_t)255 << 32 | group, 5);
	to = big_endian(to, (uint64_t)t ^ (uint64_t)1 << 63, 8);
	to = big_endian(to, (uint64_t)tie ^ (uint64_t)1 << 63, 8);
	xsort_put(x, key, (size_t)(to - key), val, n);
}

static uint32_t
text_no(struct path *p, struct mview v)
{
	if (v.s == NULL || v.n == 0)
		return PATH_NONE;
	return smap_put(&p->texts, v.s, v.n, NULL);
}

static int64_t
number(const struct rec *r, const struct rec_col *c)
{
	return rec_int(r, c, -1);
}

static uint32_t
proc_no(struct path *p, const struct rec *r, const struct path_type *t)
{
	struct mview src = rec_view(r, t->src);

	buf_clear(&p->key);
	buf_put(&p->key, src.s, src.s != NULL ? src.n : 0);
	buf_c_i64(&p->key, '\t', number(r, t->pid));
	return smap_put(&p->procs, p->key.s, p->key.len, NULL);
}

static uint32_t
thread_no(struct path *p, const struct rec *r, const struct path_type *t)
{
	uint32_t proc = proc_no(p, r, t), no;
	struct path_thread th = { .proc = proc, .tid = number(r, t->tid) };
	bool fresh;

	buf_c_i64(&p->key, '\t', th.tid);
	no = smap_put(&p->threads, p->key.s, p->key.len, &fresh);
	if (fresh) {
		ARRAY_GROW(p->thread, p->n_thread, p->thread_cap);
		th.rank = path_rank_no(p, rec_view(r, t->src));
		p->thread[p->n_thread++] = th;
	}
	return no;
}

static uint32_t
stream_no(struct path *p, const struct rec *r, const struct path_type *t)
{
	uint32_t proc = proc_no(p, r, t), no;
	struct path_stream s = { .proc = proc,
		.dev = number(r, t->dev),
		.stream = number(r, t->stream) };
	bool fresh;

	buf_c_i64(&p->key, '\t', s.dev);
	buf_c_i64(&p->key, '\t', s.stream);
	no = smap_put(&p->streams, p->key.s, p->key.len, &fresh);
	if (fresh) {
		ARRAY_GROW(p->stream, p->n_stream, p->stream_cap);
		s.rank = path_rank_no(p, rec_view(r, t->src));
		p->stream[p->n_stream++] = s;
	}
	return no;
}

static void
seen(const struct path *p, uint32_t thread, int64_t lo, int64_t hi)
{
	struct path_rank *k = &p->rank[p->thread[thread].rank];

	if (!k->any || lo < k->first)
		k->first = lo;
	if (!k->any || hi > k->last)
		k->last = hi;
	k->any = true;
}

static void
add_act(struct path *p, const struct path_act *a)
{
	if (a->end > a->start)
		put_sorted(
		    &p->act, a->thread, a->start, -a->end, a, sizeof(*a));
}

static void
add_point(struct path *p, const struct path_point *pt)
{
	put_sorted(&p->point, pt->thread, pt->at, pt->kind, pt, sizeof(*pt));
}

static void
add_wait(struct path *p, struct path_point *pt, int64_t lo, int64_t hi)
{
	pt->kind = POINT_BEGIN;
	pt->at = lo;
	pt->dur = hi - lo;
	pt->work = pt->before = -1;
	add_point(p, pt);
	pt->kind = POINT_END;
	pt->at = hi;
	add_point(p, pt);
}

/* The call that launched work is an activity of its thread; if it copies and
 * returns after the copy, it waits. */
static void
add_launch(struct path *p, const struct rec *r, const struct path_type *t,
    const struct path_work *w)
{
	struct mview api = rec_view(r, t->api);
	struct path_act a = { .thread = w->thread,
		.start = w->api,
		.name = w->api_name,
		.op = PATH_NONE,
		.phase = w->phase,
		.type = ACT_CALL };
	struct path_point pt = { .thread = w->thread,
		.at = w->api,
		.stream = w->stream,
		.kind = POINT_LAUNCH,
		.work = -1,
		.before = -1,
		.covers = COVERS_STREAM };
	int64_t dur;

	seen(p, w->thread, w->api, w->api);
	add_point(p, &pt);
	if (!read_length(r, t->api_dur, &dur) || dur < 0)
		return;
	a.end = num_add(a.start, dur);
	seen(p, w->thread, a.start, a.end);
	add_act(p, &a);
	if (w->tag == TAG_COPY && mv_has(api, "emcpy") &&
	    (!mv_has(api, "Async") || rec_is(r, t->mem1, "pageable") ||
		rec_is(r, t->mem2, "pageable")))
		add_wait(p, &pt, a.start, a.end);
}

static struct mview
work_name(const struct rec *r, const struct path_type *t)
{
	static const struct mview names[] = { [TAG_SET] = { "memset", 6 } };

	if (t->tag == TAG_SET)
		return names[TAG_SET];
	return rec_view(r, t->name);
}

static void
read_path_work(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	const struct path_type *t = rec_arg(r);
	struct mview name = work_name(r, t), mod = rec_view(r, t->name_op);
	struct path_work w = { .after = -1, .cross = -1, .launch = -1 };
	int64_t dur;

	stage_pass(st, r);
	if (!read_time(r, t->start, &w.start) ||
	    !read_length(r, t->dur, &dur) || dur < 0)
		return;
	w.end = num_add(w.start, dur);
	w.stream = stream_no(p, r, t);
	w.thread = thread_no(p, r, t);
	w.name = text_no(p, name);
	w.op = text_no(p, rec_view(r, t->op));
	w.phase = text_no(p, rec_view(r, t->phase));
	w.api_name = text_no(p, rec_view(r, t->api));
	w.tag = t->tag;
	if (t->tag == TAG_KERNEL &&
	    ((mod.s != NULL && mod.n == 4 && memcmp(mod.s, "comm", 4) == 0) ||
		(name.s != NULL && comm_find(&p->comm, name.s, name.n))))
		w.tag = TAG_COMM;
	w.bytes = rec_int(r, t->bus_bytes, number(r, t->bytes));
	path_dtype_read(p, r, t, &w);
	seen(p, w.thread, w.start, w.end);
	if (read_time(r, t->api_start, &w.api))
		add_launch(p, r, t, &w);
	else
		w.api = PATH_UNSET;
	put_sorted(&p->work, w.stream, w.end, w.start, &w, sizeof(w));
}

static void
read_event(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	const struct path_type *t = rec_arg(r);
	struct path_cross *c;
	int64_t at, event;
	uint32_t no;
	bool fresh;

	stage_pass(st, r);
	if (!read_time(r, t->start, &at) || !rec_i64(r, t->event, &event))
		return;
	no = smap_put_pair(&p->events, proc_no(p, r, t), event, &fresh);
	if (fresh)
		path_add(&p->recorded);
	c = (struct path_cross *)p->recorded.v + no;
	*c = (struct path_cross){ at, at, 0, stream_no(p, r, t) };
}

static const struct path_cross *
recorded_as(struct path *p, const struct rec *r, const struct path_type *t)
{
	int64_t event;
	uint32_t no;

	if (!rec_i64(r, t->event, &event))
		return NULL;
	no = smap_find_pair(&p->events, proc_no(p, r, t), event);
	return no != SMAP_NONE ? (struct path_cross *)p->recorded.v + no : NULL;
}

static void
wait_unknown(struct path *p, const struct rec *r, const struct path_type *t)
{
	uint32_t rank = path_rank_no(p, rec_view(r, t->src));

	p->rank[rank].unresolved++;
}

static void
stream_waits(
    struct path *p, const struct rec *r, const struct path_type *t, int64_t at)
{
	const struct path_cross *of = recorded_as(p, r, t);
	struct path_cross c;

	if (of == NULL) {
		wait_unknown(p, r, t);
		return;
	}
	c = *of;
	c.at = at;
	c.stream = stream_no(p, r, t);
	put_sorted(&p->wait, c.stream, at, 0, &c, sizeof(c));
}

static void
sync_waits(struct path *p, const struct rec *r, const struct path_type *t,
    uint32_t thread, int64_t lo, int64_t hi)
{
	struct path_point pt = { .thread = thread, .covers = COVERS_ALL };
	const struct path_cross *of = recorded_as(p, r, t);
	int64_t stream;

	if (rec_is(r, t->kind, "stream") && rec_i64(r, t->stream, &stream)) {
		pt.covers = COVERS_STREAM;
		pt.stream = stream_no(p, r, t);
	} else if (rec_is(r, t->kind, "event") && of != NULL) {
		pt.covers = COVERS_EVENT;
		pt.stream = of->source;
		pt.recorded = of->recorded;
	}
	add_wait(p, &pt, lo, hi);
}

static void
read_call_of(struct path *p, const struct rec *r, const struct path_type *t,
    int64_t lo, int64_t hi)
{
	struct mview api = rec_view(r, t->api);
	struct path_act a = {
		.start = lo, .end = hi, .op = PATH_NONE, .type = ACT_CALL
	};

	a.thread = thread_no(p, r, t);
	a.name = text_no(p, api);
	a.phase = text_no(p, rec_view(r, t->phase));
	seen(p, a.thread, lo, hi);
	add_act(p, &a);
	if (mv_has(api, "Synchronize") ||
	    (mv_has(api, "emcpy") && t == &p->call && !mv_has(api, "Async")))
		sync_waits(p, r, t, a.thread, lo, hi);
}

static void
read_call(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	const struct path_type *t = rec_arg(r);
	int64_t lo, dur;

	stage_pass(st, r);
	if (!read_time(r, t->start, &lo))
		return;
	if (mv_has(rec_view(r, t->api), "StreamWaitEvent"))
		wait_unknown(p, r, t);
	if (read_length(r, t->dur, &dur) && dur >= 0)
		read_call_of(p, r, t, lo, num_add(lo, dur));
}

static void
read_sync(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	const struct path_type *t = rec_arg(r);
	int64_t lo, dur;

	stage_pass(st, r);
	if (!read_time(r, t->api_start, &lo)) {
		if (!read_time(r, t->start, &lo))
			return;
		if (rec_is(r, t->kind, "stream-wait-event"))
			stream_waits(p, r, t, lo);
		return;
	}
	if (read_length(r, t->api_dur, &dur) && dur >= 0)
		read_call_of(p, r, t, lo, num_add(lo, dur));
	if (rec_is(r, t->kind, "stream-wait-event"))
		stream_waits(p, r, t, lo);
}

static void
read_act(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	const struct path_type *t = rec_arg(r);
	struct path_act a = { .op = PATH_NONE, .name = PATH_NONE };
	int64_t dur;

	stage_pass(st, r);
	if (!read_time(r, t->start, &a.start) ||
	    !read_length(r, t->dur, &dur) || dur < 0)
		return;
	a.end = num_add(a.start, dur);
	a.thread = thread_no(p, r, t);
	a.phase = text_no(p, rec_view(r, t->phase));
	if (t == &p->inst) {
		a.type = ACT_OP;
		a.op = text_no(p, rec_view(r, t->op));
		seen(p, a.thread, a.start, a.end);
	} else {
		a.type = ACT_RANGE;
		a.name = text_no(p, rec_view(r, t->name));
	}
	add_act(p, &a);
}

static void
read_cut(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	struct path_part *c;
	uint32_t rank = path_rank_no(p, rec_view(r, p->cut_src));

	stage_pass(st, r);
	c = path_add(&p->rank[rank].parts);
	c->lo = rec_int(r, p->cut_start, PATH_UNSET);
	c->hi = PATH_UNSET;
	c->iter = text_no(p, rec_view(r, p->cut_iter));
	c->dropped = rec_view(r, p->cut_dropped).s != NULL;
}

/* Without steps the only iteration is the whole profile. */
static void
read_path_step(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	struct path_part it = { 0 };
	/* not in one expression with p->rank, which it can move */
	uint32_t rank = path_rank_no(p, rec_view(r, p->iter.src));
	struct path_rank *k = &p->rank[rank];
	int64_t step, dur;

	stage_pass(st, r);
	if (rec_view(r, p->iter.key).s == NULL &&
	    read_time(r, p->iter.start, &k->first) &&
	    read_length(r, p->iter.step, &step)) {
		k->last = num_add(k->first, step);
		k->no_steps = true;
	}
	if (!read_time(r, p->iter.start, &it.lo) ||
	    !read_length(r, p->iter.dur, &dur))
		return;
	it.iter = text_no(p, rec_view(r, p->iter.iter));
	it.hi = num_add(it.lo, dur);
	*(struct path_part *)path_add(&k->iters) = it;
}

static void
listen_to(struct stage *st, const char *tag, stage_fn *fn, struct path_type *t,
    const char *name)
{
	struct rec_type *y = stage_on(st, tag, fn, NULL, t);
	const struct path *p = st->ctx;

	t->type = y;
	REC_COLS(y, REC_NEED, { &t->start, "start_ns" });
	t->dur = rec_col(y, "dur_ns", t == &p->event ? REC_OPT : REC_NEED);
	REC_COLS(y, REC_OPT, { &t->api_start, "api_start_ns" },
	    { &t->api_dur, "api_dur_ns" }, { &t->api, "api" },
	    { &t->pid, "pid" }, { &t->tid, "tid" }, { &t->dev, "dev" },
	    { &t->stream, "stream" }, { &t->name, name }, { &t->op, "op" },
	    { &t->phase, "phase" }, { &t->kind, "kind" },
	    { &t->event, "event" }, { &t->src, "src" }, { &t->mem1, "src_mem" },
	    { &t->mem2, "dst_mem" }, { &t->name_op, "dir" },
	    { &t->bytes, "bytes" }, { &t->bus_bytes, "bus_bytes" });
}

void
path_listen(struct stage *st, struct path *p)
{
	struct rec_type *t;

	p->copy.tag = TAG_COPY;
	p->set.tag = TAG_SET;
	p->graph.tag = TAG_GRAPH;
	listen_to(st, "kern", read_path_work, &p->kern, "short");
	path_dtype_listen(st, p);
	listen_to(st, "copy", read_path_work, &p->copy, "kind");
	listen_to(st, "set", read_path_work, &p->set, "kind");
	listen_to(st, "graph", read_path_work, &p->graph, "short");
	listen_to(st, "call", read_call, &p->call, "api");
	listen_to(st, "sync", read_sync, &p->sync, "api");
	listen_to(st, "inst", read_act, &p->inst, "op");
	listen_to(st, "range", read_act, &p->range, "text");
	listen_to(st, "event", read_event, &p->event, "event");
	t = stage_on(st, "iter", read_path_step, NULL, NULL);
	REC_COLS(t, REC_OPT, { &p->iter.key, "key" }, { &p->iter.iter, "iter" },
	    { &p->iter.dur, "dur_ns" }, { &p->iter.start, "start_ns" },
	    { &p->iter.step, "step_ns" }, { &p->iter.src, "src" });
	t = stage_on(st, "cut", read_cut, NULL, NULL);
	REC_COLS(t, REC_OPT, { &p->cut_start, "start_ns" },
	    { &p->cut_iter, "iter" }, { &p->cut_dropped, "dropped" },
	    { &p->cut_src, "src" });
	path_ranks_listen(st, p);
}
