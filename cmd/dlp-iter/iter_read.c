/*
 * From records to items: which columns place a record of which type. Also
 * what is read on the way: ranges that may be steps, ops and their runs that
 * may be the key, iterations and notes of an earlier run.
 */
#include <string.h>

#include "array.h"
#include "drop.h"
#include "err.h"
#include "iter.h"
#include "num.h"
#include "over.h"
#include "stage.h"
#include "steps.h"
#include "workrec.h"

/* Record types that get an iteration. */
static const struct iter_tag {
	const char *tag;
	enum iter_kind kind;
	bool event; /* counts for the profile's first and last time */
} tags[] = {
	{ "kern", IT_KERN, true },
	{ "call", IT_REC, true },
	{ "inst", IT_INST, true },
	{ "copy", IT_GPU, true },
	{ "set", IT_GPU, true },
	{ "sync", IT_REC, true },
	{ "graph", IT_GPU, true },
	{ "range", IT_REC, false },
	{ "proj", IT_LATE, false },
	{ "rangekern", IT_RANGEKERN, false },
	{ "mark", IT_REC, false },
	{ "sample", IT_REC, false },
	{ "os", IT_REC, false },
	{ "lib", IT_REC, false },
	{ "mem", IT_MEM, false },
	{ "over", IT_REC, false },
};

struct iter_type {
	const struct iter_tag *is;
	bool no_length; /* only its start counts */
	bool dropped;   /* it is placed, and not written */
	struct workrec_cols cols;
	struct rec_col *op_start, *op_id, *inst_id, *text, *iter, *api, *name;
};

struct iter_reader {
	struct iter_type type[ARRAY_LEN(tags)];
	struct { /* op */
		struct rec_col *id, *name, *key, *text, *type, *dir, *by,
		    *dl_id;
	} op;
	struct { /* iter, of an earlier run */
		struct rec_col *iter, *key, *start, *dur, *gpu_lo, *gpu_hi,
		    *gpu, *step, *kern_ns, *n_kern, *n_op, *src;
	} iter;
	struct buf tmp[6];
	/* the thread of the record before: most often the same */
	bool has_lane;
	int64_t pid, tid;
	struct buf src;
	uint32_t file, lane;
};

/* Puts the file and the thread of a record into m. */
static void
find_lane(struct iter_run *g, const struct workrec *w, struct iter_item *m)
{
	struct iter_reader *rd = g->reader;

	if (!rd->has_lane || w->pid != rd->pid || w->tid != rd->tid ||
	    w->src.n != rd->src.len ||
	    (w->src.n > 0 && memcmp(w->src.s, rd->src.s, w->src.n) != 0)) {
		rd->has_lane = true;
		rd->pid = w->pid;
		rd->tid = w->tid;
		buf_clear(&rd->src);
		buf_put(&rd->src, w->src.s, w->src.n);
		rd->file = iter_file_of(&g->files, w->src.s, w->src.n, w->pid);
		if (rd->file != SRC_NONE)
			rd->lane = layout_lane(
			    &g->files.v[rd->file].layout, w->pid, w->tid);
	}
	m->src = rd->file;
	m->lane = rd->lane;
}

/* How far an event makes its file reach. A synchronization that counts as its
 * call does not reach beyond it, even where it begins after it. */
static void
extend(struct iter_extent *e, const struct iter_type *t,
    const struct workrec *w, const struct iter_item *m)
{
	if (w->has_api)
		extent_event(e, w->api, w->api_end);
	if (t->is->kind != IT_REC && m->now != NO_TIME)
		extent_work(e, m->now);
	if (m->has_gpu)
		extent_event(e, m->now, m->hi);
	else if (w->has_start && t->is->kind != IT_KERN &&
		 t->is->kind != IT_GPU && !(t->no_length && w->has_api))
		extent_event(e, w->start, t->no_length ? w->start : w->end);
}

/* The times of a record: see struct iter_item. */
static void
find_times(struct iter_run *g, const struct iter_type *t, const struct rec *r,
    const struct workrec *w, struct iter_item *m)
{
	m->now = w->has_api ? w->api : w->has_start ? w->start : NO_TIME;
	if (!rec_i64(r, t->op_start, &m->t))
		m->t = m->now;
	m->has_gpu =
	    w->has_dur && (t->is->kind == IT_KERN || t->is->kind == IT_GPU);
	m->lo = w->start;
	m->hi = w->end;
	if (t->is->event && m->src != SRC_NONE)
		extend(&g->files.v[m->src].extent, t, w, m);
}

/* Where the iter field of a record is, or will be. */
static void
find_field(const struct iter_type *t, const struct rec *r, struct iter_item *m)
{
	const char *s;
	size_t n;

	m->iter_off = m->len;
	m->iter_len = 0;
	if (t->iter->pos < 0 || t->dropped)
		return;
	s = rec_field(r, t->iter->pos, &n);
	m->iter_off = (uint32_t)(s - r->line);
	m->iter_len = (uint32_t)n;
}

static void
see_range(struct iter_run *g, const struct iter_type *t, const struct rec *r,
    const struct workrec *w, const struct iter_item *m)
{
	size_t n;
	const char *s = rec_str(r, t->text, &g->reader->tmp[0], &n);

	if (s == NULL || m->now == NO_TIME)
		return;
	iter_range(g, m, s, key_trim(s, n), m->now,
	    w->has_dur ? num_add(m->now, num_sub(w->end, w->start))
		       : INT64_MAX);
}

/* When the run of an op ends. */
static int64_t
run_end(const struct workrec *w, const struct iter_item *m)
{
	return num_add(m->t, num_sub(w->end, w->start));
}

/* Runs of the ops that are the key, and their devices. */
static void
see_key_work(struct iter_run *g, const struct iter_type *t, const struct rec *r,
    const struct workrec *w, const struct iter_item *m)
{
	int64_t op, inst;

	if (m->src == SRC_NONE || g->op.ops.n == 0 ||
	    !rec_i64(r, t->op_id, &op) || !rec_i64(r, t->inst_id, &inst) ||
	    !opkey_has(&g->op, op))
		return;
	if (m->kind == IT_KERN || m->kind == IT_GPU)
		opkey_gpu(&g->op, op, inst, w->dev);
	else if (m->kind == IT_INST && m->t != NO_TIME)
		opkey_inst(&g->op, op, inst, m->src,
		    g->files.v[m->src].layout.lane[m->lane].proc,
		    run_end(w, m));
}

/* Calls that load code or allocate, and what CUPTI calls loading: a program
 * does so while it warms up. */
static void
see_once(const struct iter_type *t, const struct rec *r,
    const struct workrec *w, struct iter_item *m)
{
	enum steady_call is = STEADY_CALL_OTHER;
	size_t n;
	const char *s;

	if (!w->has_dur || m->kind != IT_REC)
		return;
	if (t->api != NULL && (s = rec_raw(r, t->api, &n)) != NULL)
		is = steady_call(s, n);
	else if (t->name != NULL && t->name->pos >= 0 &&
		 (s = rec_raw(r, t->name, &n)) != NULL &&
		 over_of(s, n) == OVER_LOAD)
		is = STEADY_CALL_LOADS;
	if (is == STEADY_CALL_OTHER)
		return;
	m->kind = is == STEADY_CALL_LOADS ? IT_LOAD : IT_ALLOC;
	m->has_gpu = true;
}

static void
see_record(struct stage *st, struct rec *r)
{
	struct iter_run *g = st->ctx;
	const struct iter_type *t = rec_arg(r);
	struct iter_item m;
	struct workrec w;
	int64_t op;

	if (r->len > UINT32_MAX / 2)
		rec_die(r, "record is too long");
	workrec_read(&w, &t->cols, r);
	m.kind = t->is->kind;
	m.len = t->dropped ? 0 : (uint32_t)r->len;
	find_lane(g, &w, &m);
	find_times(g, t, r, &w, &m);
	find_field(t, r, &m);
	see_once(t, r, &w, &m);
	if (t->text != NULL)
		see_range(g, t, r, &w, &m);
	else if (g->phase == ITER_WAIT)
		see_key_work(g, t, r, &w, &m);
	/* these come when something closes, not in launch order */
	if (m.kind == IT_INST || m.kind == IT_LATE)
		m.now = NO_TIME;
	if (g->o.list && m.kind == IT_INST && m.t != NO_TIME &&
	    rec_i64(r, t->op_id, &op))
		cand_inst(&g->cands, op, m.src, m.lane, run_end(&w, &m));
	iter_item(g, &m, r->line);
}

static void
see_legend(struct stage *st, struct rec *r)
{
	struct iter_run *g = st->ctx;
	const struct iter_type *t = rec_arg(r);
	struct iter_item m = {
		.kind = IT_LEGEND, .t = NO_TIME, .now = NO_TIME
	};

	if (t->iter->pos >= 0 || t->is->kind == IT_RANGEKERN)
		m.kind = IT_PASS;
	g->no_op_start |= t->is->kind == IT_KERN && t->op_start->pos < 0;
	if (t->dropped)
		return;
	m.len = m.iter_off = (uint32_t)r->len;
	iter_item(g, &m, r->line);
}

static const char *
op_text(struct iter_run *g, const struct rec *r, const struct rec_col *c, int i)
{
	size_t n;

	return rec_str(r, c, &g->reader->tmp[i], &n);
}

/* The op may be the key, or one that --list proposes. Runs of communication
 * have no time of their own on the CPU, which a key needs. */
static void
see_key_op(struct iter_run *g, const struct rec *r)
{
	const struct iter_reader *rd = g->reader;
	struct op_names s;
	int64_t id;

	if (!rec_i64(r, rd->op.id, &id))
		rec_die(r, "op record without op_id");
	if (rec_is(r, rd->op.dir, "comm"))
		return;
	s.name = op_text(g, r, rd->op.name, 0);
	s.dir = op_text(g, r, rd->op.dir, 1);
	s.key = op_text(g, r, rd->op.key, 2);
	s.text = op_text(g, r, rd->op.text, 3);
	s.type = op_text(g, r, rd->op.type, 4);
	s.dl_id = op_text(g, r, rd->op.dl_id, 5);
	if (g->o.list && !rec_is(r, rd->op.by, "api"))
		cand_op(&g->cands, id, &s);
	if (g->phase == ITER_WAIT && g->plan.by != ITER_BY_OWN)
		opkey_op(&g->op, &g->key, id, &s);
}

static void
see_op(struct stage *st, struct rec *r)
{
	struct iter_run *g = st->ctx;

	g->any_op = true;
	if (g->o.rules->op != NULL)
		g->o.rules->op(g, op_text(g, r, g->reader->op.by, 0));
	if (g->plan.by == ITER_BY_KEY || g->plan.by == ITER_BY_STEPS ||
	    g->o.list)
		see_key_op(g, r);
	stage_pass(st, r);
}

/* A note that this run writes anew. What was dropped is gone: iter_dropped
 * stays. */
static bool
is_own_note(struct iter_notes *sums, const struct rec *r)
{
	const struct {
		const char *name;
		uint64_t *sum;
	} notes[] = { { "iter_key_not_found", NULL },
		{ "iter_outside", &sums->outside },
		{ "iter_nested", &sums->nested },
		{ "iter_late", &sums->late } };
	const char *word, *rest, *tab;
	size_t i, n, m;
	uint64_t v;

	if (r->kind != REC_META)
		return false;
	word = rec_meta(r, &n, &rest, &m);
	if (!text_is(word, n, "note"))
		return false;
	tab = memchr(rest, '\t', m);
	for (i = 0; tab != NULL && i < ARRAY_LEN(notes); i++) {
		n = (size_t)(tab - rest);
		if (!text_is(rest, n, notes[i].name))
			continue;
		if (notes[i].sum != NULL && num_u64(tab + 1, m - n - 1, &v))
			*notes[i].sum += v;
		return true;
	}
	return false;
}

/* Lines to which nothing is added keep their place among the others. */
static void
see_other(struct stage *st, struct rec *r)
{
	struct iter_run *g = st->ctx;

	if (!is_own_note(&g->was, r))
		iter_line(g, r->line, r->len, r->kind == REC_META);
}

static struct iteration
read_iteration(const struct iter_reader *rd, const struct rec *r)
{
	struct iteration x = { .iter = rec_int(r, rd->iter.iter, -1) };

	x.has_cpu = rec_i64(r, rd->iter.start, &x.start);
	x.has_dur = rec_i64(r, rd->iter.dur, &x.dur);
	x.has_gpu = rec_i64(r, rd->iter.gpu_lo, &x.gpu_lo) &&
		    rec_i64(r, rd->iter.gpu_hi, &x.gpu_hi);
	x.has_step = rec_i64(r, rd->iter.step, &x.step);
	x.gpu = rec_int(r, rd->iter.gpu, 0);
	x.kern_ns = rec_int(r, rd->iter.kern_ns, 0);
	x.n_kern = (uint64_t)rec_int(r, rd->iter.n_kern, 0);
	x.n_op = (uint64_t)rec_int(r, rd->iter.n_op, 0);
	return x;
}

/* Without a key the iterations of an earlier run stay. */
static void
see_iteration(struct stage *st, struct rec *r)
{
	struct iter_run *g = st->ctx;
	struct iter_reader *rd = g->reader;
	size_t n = 0;
	const char *s = rec_raw(r, rd->iter.src, &n);
	uint32_t file = iter_file_of(&g->files, s, n, -1);
	struct iteration x;

	if (g->phase != ITER_WAIT || g->plan.by != ITER_BY_OWN ||
	    file == SRC_NONE)
		return;
	x = read_iteration(rd, r);
	s = rec_str(r, rd->iter.key, &rd->tmp[0], &n);
	kept_add(&g->files.v[file], &x, s, n);
}

/* Our own legend stands before our own records. */
static void
own_legend(struct stage *st, struct rec *r)
{
	(void)st;
	(void)r;
}

static void
begin_iterations(struct stage *st)
{
	struct iter_run *g = st->ctx;

	g->reader->has_lane = false;
	iter_begin(g);
}

static void
end_iterations(struct stage *st)
{
	struct iter_run *g = st->ctx;

	g->broken = !st->complete;
	iter_end(g);
}

static void
bind_placed(struct iter_run *g, struct stage *st, size_t i)
{
	struct iter_type *b = &g->reader->type[i];
	struct rec_type *t =
	    stage_on(st, tags[i].tag, see_record, see_legend, b);
	bool timeless = tags[i].kind == IT_RANGEKERN;

	b->is = &tags[i];
	b->dropped = drop_type(tags[i].tag);
	b->no_length =
	    g->o.rules->sync_is_call && strcmp(tags[i].tag, "sync") == 0;
	workrec_bind(&b->cols, t, timeless ? 0 : WORKREC_START,
	    WORKREC_SPAN | WORKREC_THREAD | WORKREC_SRC | WORKREC_CALL |
		WORKREC_DEV);
	REC_COLS(t, REC_OPT, { &b->op_start, "op_start_ns" },
	    { &b->op_id, "op_id" }, { &b->inst_id, "inst_id" },
	    { &b->iter, "iter" });
	if (strcmp(tags[i].tag, "call") == 0)
		b->api = rec_col(t, "api", REC_OPT);
	if (strcmp(tags[i].tag, "over") == 0)
		b->name = rec_col(t, "name", REC_OPT);
	if (strcmp(tags[i].tag, "range") == 0)
		b->text = rec_col(t, "text", REC_OPT);
}

static void
bind_op(struct iter_reader *rd, struct stage *st)
{
	struct rec_type *t = stage_on(st, "op", see_op, NULL, NULL);

	rd->op.id = rec_col(t, "op_id", REC_NEED);
	REC_COLS(t, REC_OPT, { &rd->op.name, "name" }, { &rd->op.key, "key" },
	    { &rd->op.text, "text" }, { &rd->op.type, "op" },
	    { &rd->op.dir, "dir" }, { &rd->op.by, "by" },
	    { &rd->op.dl_id, "dl_id" });
}

static void
bind_iteration(struct iter_reader *rd, struct stage *st)
{
	struct rec_type *t =
	    stage_on(st, "iter", see_iteration, own_legend, NULL);

	REC_COLS(t, REC_OPT, { &rd->iter.iter, "iter" },
	    { &rd->iter.key, "key" }, { &rd->iter.start, "start_ns" },
	    { &rd->iter.dur, "dur_ns" }, { &rd->iter.gpu_lo, "gpu_start_ns" },
	    { &rd->iter.gpu_hi, "gpu_end_ns" }, { &rd->iter.gpu, "gpu_ns" },
	    { &rd->iter.step, "step_ns" }, { &rd->iter.kern_ns, "kern_ns" },
	    { &rd->iter.n_kern, "n_kern" }, { &rd->iter.n_op, "n_op" },
	    { &rd->iter.src, "src" });
}

void
iter_open(struct iter_run *g, struct stage *st)
{
	size_t i;

	g->reader = xcalloc(1, sizeof(*g->reader));
	g->spool = spool_new();
	for (i = 0; i < ARRAY_LEN(tags); i++)
		bind_placed(g, st, i);
	bind_op(g->reader, st);
	bind_iteration(g->reader, st);
	stage_anew(st, NULL);
	st->ctx = g;
	st->section = begin_iterations;
	st->end = end_iterations;
	st->hold = see_other;
}
