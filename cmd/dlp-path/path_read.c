/* The records that dlp-path reads, sorted by what needs them in order. */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "array.h"
#include "num.h"
#include "path.h"

/* Times and lengths that no profile has, 73 years and 13 days, are cut there,
 * and counted, so that sums and differences of some do not overflow. */
#define MOST_TIME ((int64_t)1 << 61)
#define MOST_LENGTH ((int64_t)1 << 50)

static bool
read_within(
    struct path *p, const struct rec *r, int col, int64_t most, int64_t *v)
{
	if (!rec_num(r, col, v))
		return false;
	p->beyond += *v > most || *v < -most;
	*v = *v > most ? most : *v < -most ? -most : *v;
	return true;
}

static bool
read_time(struct path *p, const struct rec *r, int col, int64_t *v)
{
	return read_within(p, r, col, MOST_TIME, v);
}

/* From start on; false if the length is unset or negative. */
static bool
read_end(
    struct path *p, const struct rec *r, int col, int64_t start, int64_t *end)
{
	int64_t dur;

	if (!read_within(p, r, col, MOST_LENGTH, &dur) || dur < 0)
		return false;
	*end = num_add(start, dur);
	return true;
}

static bool
read_span(struct path *p, const struct rec *r, int64_t *start, int64_t *end)
{
	return read_time(p, r, COL_start_ns, start) &&
	       read_end(p, r, COL_dur_ns, *start, end);
}

static char *
big_endian(char *to, uint64_t v, int bytes)
{
	int i;

	for (i = bytes - 1; i >= 0; i--, v >>= 8)
		to[i] = (char)(v & 0xff);
	return to + bytes;
}

/* The key is short, because all of them go through files, and its first eight
 * bytes, by which runs are merged, differ mostly. */
void
path_put_sorted(struct xsort *x, uint32_t group, int64_t t, int64_t tie,
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
text_no(struct path *p, const struct rec *r, int col)
{
	struct mview v = rec_get(r, col);

	return v.n > 0 ? smap_put_view(&p->texts, v) : PATH_NONE;
}

/* The number of the rank that a record is of. */
static uint32_t
path_rank_no(struct path *p, const struct rec *r)
{
	struct path_rank k = { .src = PATH_NONE, .no = -1 };
	uint32_t i;

	k.src = smap_put_view(&p->texts, rec_get(r, COL_src));
	for (i = 0; i < p->n_rank; i++)
		if (p->rank[i].src == k.src)
			return i;
	ARRAY_GROW(p->rank, p->n_rank, p->rank_cap);
	k.parts.size = k.iters.size = sizeof(struct path_part);
	p->rank[p->n_rank] = k;
	return (uint32_t)p->n_rank++;
}

static uint32_t
proc_no(struct path *p, const struct rec *r)
{
	return smap_put_pair(&p->procs,
	    smap_put_view(&p->texts, rec_get(r, COL_src)),
	    rec_num_or(r, COL_pid, -1), NULL);
}

static uint32_t
thread_no(struct path *p, const struct rec *r)
{
	struct path_thread th = { .proc = proc_no(p, r),
		.tid = rec_num_or(r, COL_tid, -1) };
	bool fresh;
	uint32_t no = smap_put_pair(&p->threads, th.proc, th.tid, &fresh);

	if (fresh) {
		ARRAY_GROW(p->thread, p->n_thread, p->thread_cap);
		th.rank = path_rank_no(p, r);
		p->thread[p->n_thread++] = th;
	}
	return no;
}

static uint32_t
stream_no(struct path *p, const struct rec *r)
{
	struct path_stream s = { .proc = proc_no(p, r),
		.dev = rec_num_or(r, COL_dev, -1),
		.stream = rec_num_or(r, COL_stream, -1) };
	/* nsys has device 0 in all waits */
	const int64_t key[] = { s.proc, rec_num_or(r, COL_ctx, s.dev),
		s.stream };
	bool fresh;
	uint32_t no =
	    smap_put(&p->streams, (const char *)key, sizeof(key), &fresh);

	if (fresh) {
		ARRAY_GROW(p->stream, p->n_stream, p->stream_cap);
		s.rank = path_rank_no(p, r);
		p->stream[p->n_stream++] = s;
	}
	return no;
}

static void
seen(const struct path *p, uint32_t thread, int64_t lo, int64_t hi)
{
	extent_add(&p->rank[p->thread[thread].rank].seen, lo, hi);
}

static void
add_act(struct path *p, const struct path_act *a)
{
	if (a->end > a->start)
		path_put_sorted(
		    &p->act, a->thread, a->start, -a->end, a, sizeof(*a));
}

static void
add_point(struct path *p, const struct path_point *pt)
{
	path_put_sorted(
	    &p->point, pt->thread, pt->at, pt->kind, pt, sizeof(*pt));
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
add_launch(struct path *p, const struct rec *r, const struct path_work *w)
{
	struct mview api = rec_get(r, COL_api);
	struct path_act a = { .thread = w->thread,
		.start = w->api,
		.name = w->api_name,
		.helps = w->helps,
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

	seen(p, w->thread, w->api, w->api);
	add_point(p, &pt);
	if (!read_end(p, r, COL_api_dur_ns, a.start, &a.end))
		return;
	seen(p, w->thread, a.start, a.end);
	a.is = path_fix_is(r, &a);
	if (w->tag != TAG_COPY && w->tag != TAG_SET)
		a.is |= IS_LAUNCH;
	add_act(p, &a);
	pt.fetches = (w->fix & FIX_BIT(FIX_COPIES)) != 0;
	if (w->tag == TAG_COPY && mv_has(api, "emcpy") &&
	    (!mv_has(api, "Async") ||
		mv_eq(rec_get(r, COL_src_mem), "pageable") ||
		mv_eq(rec_get(r, COL_dst_mem), "pageable")))
		add_wait(p, &pt, a.start, a.end);
}

/* What is read of the types of GPU work. */
struct work_type {
	const char *tag;
	uint8_t is;
	int name;
};
static const struct work_type work_types[] = {
	{ "kern", TAG_KERNEL, COL_short },
	{ "copy", TAG_COPY, COL_kind },
	{ "set", TAG_SET, COL_kind },
	{ "graph", TAG_GRAPH, COL_short },
};

static void
read_path_work(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	const struct work_type *t = rec_arg(r);
	struct path_work w = {
		.after = -1, .cross = -1, .launch = -1, .tag = t->is
	};
	struct mview name = rec_get(r, t->name);

	stage_pass(st, r);
	if (!read_span(p, r, &w.start, &w.end))
		return;
	w.stream = stream_no(p, r);
	w.thread = thread_no(p, r);
	w.name = t->is == TAG_SET ? smap_put(&p->texts, "memset", 6, NULL)
				  : text_no(p, r, t->name);
	w.op = text_no(p, r, COL_op);
	w.phase = text_no(p, r, COL_phase);
	w.api_name = text_no(p, r, COL_api);
	if (t->is == TAG_KERNEL &&
	    (mv_eq(rec_get(r, COL_dir), "comm") ||
		(name.s != NULL && comm_find(&p->comm, name.s, name.n))))
		w.tag = TAG_COMM;
	w.bytes = rec_num_or(r, COL_bus_bytes, rec_num_or(r, COL_bytes, -1));
	path_dtype_read(p, r, &w);
	path_fix_read(p, r, &w);
	seen(p, w.thread, w.start, w.end);
	if (read_time(p, r, COL_api_start_ns, &w.api))
		add_launch(p, r, &w);
	else
		w.api = PATH_UNSET;
	path_put_sorted(&p->work, w.stream, w.end, w.start, &w, sizeof(w));
}

static void
read_event(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	int64_t at, event;
	uint32_t no, stream;
	bool fresh;

	stage_pass(st, r);
	if (!read_time(p, r, COL_start_ns, &at) ||
	    !rec_num(r, COL_event, &event))
		return;
	no = smap_put_pair(&p->events, proc_no(p, r), event, &fresh);
	if (fresh)
		path_add(&p->recorded);
	stream = stream_no(p, r);
	((struct path_cross *)p->recorded.v)[no] =
	    (struct path_cross){ at, at, 0, stream };
}

static const struct path_cross *
recorded_as(struct path *p, const struct rec *r)
{
	int64_t event;
	uint32_t no;

	if (!rec_num(r, COL_event, &event))
		return NULL;
	no = smap_find_pair(&p->events, proc_no(p, r), event);
	return no != SMAP_NONE ? (struct path_cross *)p->recorded.v + no : NULL;
}

static void
wait_unknown(struct path *p, const struct rec *r)
{
	uint32_t rank = path_rank_no(p, r);

	p->rank[rank].unresolved++;
}

static void
sync_waits(struct path *p, const struct rec *r, uint32_t thread, int64_t lo,
    int64_t hi)
{
	struct path_point pt = { .thread = thread, .covers = COVERS_ALL };
	const struct path_cross *of = recorded_as(p, r);
	struct mview kind = rec_get(r, COL_kind);
	int64_t stream;

	if (mv_eq(kind, "stream") && rec_num(r, COL_stream, &stream)) {
		pt.covers = COVERS_STREAM;
		pt.stream = stream_no(p, r);
	} else if (mv_eq(kind, "event") && of != NULL) {
		pt.covers = COVERS_EVENT;
		pt.stream = of->source;
		pt.recorded = of->recorded;
	}
	add_wait(p, &pt, lo, hi);
}

/* is_call: the record is a call; otherwise it has one. */
static void
read_call_of(
    struct path *p, const struct rec *r, bool is_call, int64_t lo, int64_t hi)
{
	struct mview api = rec_get(r, COL_api);
	struct path_act a = { .start = lo,
		.end = hi,
		.op = PATH_NONE,
		.helps = PATH_NONE,
		.type = ACT_CALL };

	a.thread = thread_no(p, r);
	a.name = text_no(p, r, COL_api);
	a.phase = text_no(p, r, COL_phase);
	a.is = path_fix_is(r, &a);
	seen(p, a.thread, lo, hi);
	add_act(p, &a);
	if (mv_has(api, "Synchronize") ||
	    (mv_has(api, "emcpy") && is_call && !mv_has(api, "Async")))
		sync_waits(p, r, a.thread, lo, hi);
}

static void
read_call(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	int64_t lo, hi;

	stage_pass(st, r);
	if (!read_time(p, r, COL_start_ns, &lo))
		return;
	if (mv_has(rec_get(r, COL_api), "StreamWaitEvent"))
		wait_unknown(p, r);
	if (read_end(p, r, COL_dur_ns, lo, &hi))
		read_call_of(p, r, true, lo, hi);
}

static void
read_sync(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	const struct path_cross *of;
	struct path_cross c;
	int64_t lo, hi;

	stage_pass(st, r);
	if (read_time(p, r, COL_api_start_ns, &lo)) {
		if (read_end(p, r, COL_api_dur_ns, lo, &hi))
			read_call_of(p, r, false, lo, hi);
	} else if (!read_time(p, r, COL_start_ns, &lo)) {
		return;
	}
	if (!mv_eq(rec_get(r, COL_kind), "stream-wait-event"))
		return;
	of = recorded_as(p, r);
	if (of == NULL) {
		wait_unknown(p, r);
		return;
	}
	c = *of;
	c.at = lo;
	c.stream = stream_no(p, r);
	path_put_sorted(&p->wait, c.stream, lo, 0, &c, sizeof(c));
}

/* Runs of ops, or ranges. */
static void
read_act(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	bool range = rec_arg(r) != NULL;
	struct path_act a = { .op = PATH_NONE,
		.name = PATH_NONE,
		.helps = PATH_NONE,
		.type = range ? ACT_RANGE : ACT_OP };

	stage_pass(st, r);
	if (!read_span(p, r, &a.start, &a.end))
		return;
	a.thread = thread_no(p, r);
	a.phase = text_no(p, r, COL_phase);
	if (range) {
		a.name = text_no(p, r, COL_text);
	} else {
		a.op = text_no(p, r, COL_op);
		seen(p, a.thread, a.start, a.end);
	}
	a.is = path_fix_is(r, &a);
	add_act(p, &a);
}

static void
read_cut(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	uint32_t rank = path_rank_no(p, r);
	struct path_part *c = path_add(&p->rank[rank].parts);

	stage_pass(st, r);
	c->lo = rec_num_or(r, COL_start_ns, PATH_UNSET);
	c->hi = PATH_UNSET;
	c->iter = text_no(p, r, COL_iter);
	c->dropped = rec_get(r, COL_dropped).s != NULL;
	c->step = c->dropped ? text_no(p, r, COL_dropped) : c->iter;
}

/* Without steps the only iteration is the whole profile. */
static void
read_path_step(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	struct path_part it = { 0 };
	/* not in one expression with p->rank, which it can move */
	uint32_t rank = path_rank_no(p, r);
	struct path_rank *k = &p->rank[rank];
	int64_t step, dur;

	stage_pass(st, r);
	if (rec_get(r, COL_key).s == NULL &&
	    read_time(p, r, COL_start_ns, &k->seen.lo) &&
	    read_within(p, r, COL_step_ns, MOST_LENGTH, &step)) {
		k->seen.hi = num_add(k->seen.lo, step);
		k->no_steps = true;
	}
	if (!read_time(p, r, COL_start_ns, &it.lo) ||
	    !read_within(p, r, COL_dur_ns, MOST_LENGTH, &dur))
		return;
	it.iter = text_no(p, r, COL_iter);
	it.hi = num_add(it.lo, dur);
	*(struct path_part *)path_add(&k->iters) = it;
}

static void
read_rank(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	uint32_t no = path_rank_no(p, r);

	stage_pass(st, r);
	p->ranks = true;
	p->rank[no].no = rec_num_or(r, COL_rank, -1);
}

static void
read_arrival(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	struct path_arrival a = { .work = -1 };
	int64_t wait;

	stage_pass(st, r);
	if (!rec_num(r, COL_coll_id, &a.coll) ||
	    !rec_num(r, COL_start_ns, &a.start) ||
	    !rec_num(r, COL_dur_ns, &a.dur) ||
	    !rec_num(r, COL_wait_ns, &wait) || wait < 0 || wait > a.dur)
		return;
	a.comm = a.dur - wait;
	a.rank = path_rank_no(p, r);
	*(struct path_arrival *)path_add(&p->arrivals) = a;
}

#define WORK_COLS                                                              \
	"api_start_ns api_dur_ns api pid tid dev ctx stream short op phase "   \
	"kind"                                                                 \
	" event src src_mem dst_mem dir bytes bus_bytes text"
#define DTYPE_COLS " dtype family role flop exec_flop tc tc_why op_id"

void
path_listen(struct stage *st, struct path *p)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(work_types); i++)
		stage_on(st, work_types[i].tag, read_path_work,
		    .need = "start_ns dur_ns", .opt = WORK_COLS DTYPE_COLS,
		    .arg = (void *)&work_types[i]);
	stage_on(
	    st, "dev", path_dtype_dev, .opt = "dev src cc peaks peak_gb_s");
	stage_on(
	    st, "call", read_call, .need = "start_ns dur_ns", .opt = WORK_COLS);
	stage_on(
	    st, "sync", read_sync, .need = "start_ns dur_ns", .opt = WORK_COLS);
	stage_on(
	    st, "inst", read_act, .need = "start_ns dur_ns", .opt = WORK_COLS);
	stage_on(st, "range", read_act, .need = "start_ns dur_ns",
	    .opt = WORK_COLS, .arg = p); /* any: it is a range */
	stage_on(st, "event", read_event, .need = "start_ns", .opt = WORK_COLS);
	stage_on(st, "iter", read_path_step,
	    .opt = "key iter dur_ns start_ns step_ns src");
	stage_on(st, "cut", read_cut, .opt = "start_ns iter dropped src");
	stage_on(st, "rank", read_rank, .opt = "rank src");
	if (p->replay)
		stage_on(st, "arrive", read_arrival,
		    .need = "coll_id start_ns dur_ns wait_ns", .opt = "src");
}
