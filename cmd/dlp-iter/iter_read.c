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
	bool range;
	bool no_length; /* only its start counts */
	bool dropped;   /* it is placed, and not written */
};

struct iter_reader {
	struct iter_type type[ARRAY_LEN(tags)];
	struct buf tmp[6];
	/* the thread of the record before: most often the same */
	bool has_lane;
	int64_t pid, tid;
	struct buf src;
	uint32_t file, lane;
};

/* How far an event makes its file reach. A synchronization that counts as its
 * call does not reach beyond it, even where it begins after it. */
static void
extend(struct iter_extent *e, const struct iter_type *t,
    const struct workrec *w, const struct iter_item *m)
{
	if (w->has_api)
		extent_add(&e->event, w->api, w->api_end);
	if (t->is->kind != IT_REC && m->now != NO_TIME)
		extent_add(&e->work, m->now, m->now);
	if (m->has_gpu)
		extent_add(&e->event, m->now, m->hi);
	else if (w->has_start && t->is->kind != IT_KERN &&
		 t->is->kind != IT_GPU && !(t->no_length && w->has_api))
		extent_add(
		    &e->event, w->start, t->no_length ? w->start : w->end);
}

/* When the run of an op ends. */
static int64_t
run_end(const struct workrec *w, const struct iter_item *m)
{
	return num_add(m->t, num_sub(w->end, w->start));
}

/* Runs of the ops that are the key, and their devices. */
static void
see_key_work(struct iter_run *g, const struct rec *r, const struct workrec *w,
    const struct iter_item *m)
{
	struct opkey *o = &g->op;
	const uint64_t *what;
	int64_t op, inst;
	uint64_t *dev;
	bool fresh;

	if (m->src == SRC_NONE || o->ops.n == 0 ||
	    !rec_num(r, COL_op_id, &op) || !rec_num(r, COL_inst_id, &inst))
		return;
	what = map_get(&o->ops, (uint64_t)op);
	if (what == NULL)
		return;
	if ((m->kind == IT_KERN || m->kind == IT_GPU) && w->dev >= 0) {
		dev = map_put(&o->devs, (uint64_t)inst, &fresh);
		if (fresh)
			*dev = (uint64_t)w->dev + 1;
	} else if (m->kind == IT_INST && m->t != NO_TIME) {
		dev = map_get(&o->devs, (uint64_t)inst);
		ARRAY_GROW(o->v, o->n, o->cap);
		o->v[o->n++] = (struct keyinst){ run_end(w, m),
			dev != NULL ? (int64_t)*dev - 1 : -1, m->src,
			g->files.v[m->src].layout.lane[m->lane].proc,
			(uint8_t)((*what - 1) / 2), (*what - 1) % 2 };
		if (dev != NULL)
			map_del(&o->devs, (uint64_t)inst);
	}
}

/* Calls that load code or allocate, and what CUPTI calls loading: a program
 * does so while it warms up. */
static void
see_once(const struct rec *r, struct iter_item *m)
{
	struct mview api = rec_get(r, COL_api), name = rec_get(r, COL_name);
	enum steady_call is = STEADY_CALL_OTHER;

	if (api.s != NULL)
		is = steady_call(api.s, api.n);
	else if (name.s != NULL && over_of(name.s, name.n) == OVER_LOAD)
		is = STEADY_CALL_LOADS;
	if (is == STEADY_CALL_OTHER)
		return;
	m->kind = is == STEADY_CALL_LOADS ? IT_LOAD : IT_ALLOC;
	m->has_gpu = true;
}

/* The program launched work before the recording began: it is in no iteration,
 * though it runs in the time of one. Without any call before it that is not
 * known. */
static bool
is_earlier(struct iter_run *g, const struct rec *r, const struct iter_type *t,
    const struct workrec *w, const struct iter_item *m)
{
	struct iter_file *f = m->src != SRC_NONE ? &g->files.v[m->src] : NULL;

	if (f == NULL || g->o.dlprof)
		return false;
	f->called |= w->has_api || strcmp(t->is->tag, "call") == 0;
	return f->called && !w->has_api && m->has_gpu &&
	       mv_eq(rec_get(r, COL_why), "before-window");
}

static void
see_record(struct stage *st, struct rec *r)
{
	struct iter_run *g = st->ctx;
	const struct iter_type *t = rec_arg(r);
	struct iter_item m = { .kind = t->is->kind };
	const char *text = NULL;
	struct mview iter;
	struct workrec w;
	bool earlier;
	int64_t op;
	size_t n;
	struct iter_reader *rd;

	if (r->len > UINT32_MAX / 2)
		rec_die(r, "record is too long");
	work_read(&w, r);
	/* Puts the file and the thread of a record into m. */
	rd = g->reader;
	if (!rd->has_lane || w.pid != rd->pid || w.tid != rd->tid ||
	    w.src.n != rd->src.len ||
	    (w.src.n > 0 && memcmp(w.src.s, rd->src.s, w.src.n) != 0)) {
		rd->has_lane = true;
		rd->pid = w.pid;
		rd->tid = w.tid;
		buf_clear(&rd->src);
		buf_put(&rd->src, w.src.s, w.src.n);
		rd->file = iter_file_of(&g->files, w.src.s, w.src.n, w.pid);
		if (rd->file != SRC_NONE)
			rd->lane = layout_lane(
			    &g->files.v[rd->file].layout, w.pid, w.tid);
	}
	m.src = rd->file;
	m.lane = rd->lane;
	/* the times: see struct iter_item */
	m.now = w.has_api ? w.api : w.has_start ? w.start : NO_TIME;
	m.t = rec_num_or(r, COL_op_start_ns, m.now);
	m.has_gpu = w.has_dur && (m.kind == IT_KERN || m.kind == IT_GPU);
	if (m.has_gpu)
		m.marked = (int8_t)(mv_eq(rec_get(r, COL_op_from), "range") -
				    mv_eq(rec_get(r, COL_op_from), "carried"));
	m.lo = w.start;
	m.hi = w.end;
	earlier = is_earlier(g, r, t, &w, &m);
	if (earlier)
		m.t = NO_TIME;
	if (m.kind == IT_KERN && m.has_gpu && m.src != SRC_NONE && !earlier &&
	    g->plan.by == ITER_BY_OWN)
		repeat_add(&g->files.v[m.src].repeat, r, m.t,
		    g->files.v[m.src].own.gpu_ns);
	if (m.has_gpu && m.src != SRC_NONE && !g->o.dlprof)
		steps_earlier_add(&g->files.v[m.src].earlier, &w, !earlier);
	if (t->is->event && m.src != SRC_NONE)
		extend(&g->files.v[m.src].extent, t, &w, &m);
	/* where its iter field is, or will be */
	m.len = m.iter_off = t->dropped ? 0 : (uint32_t)r->len;
	if (rec_has(r->type, COL_iter) && !t->dropped) {
		iter = rec_get_raw(r, COL_iter);
		m.iter_off = (uint32_t)(iter.s - r->line);
		m.iter_len = (uint32_t)iter.n;
	}
	if (w.has_dur && m.kind == IT_REC)
		see_once(r, &m);
	if (t->range && m.now != NO_TIME)
		text = rec_text(r, COL_text, &g->reader->tmp[0], &n);
	if (text != NULL)
		iter_range(g, &m, text, key_trim(text, n), m.now,
		    w.has_dur ? num_add(m.now, num_sub(w.end, w.start))
			      : INT64_MAX);
	else if (!t->range && g->phase == ITER_WAIT)
		see_key_work(g, r, &w, &m);
	/* these come when something closes, not in launch order */
	if (m.kind == IT_INST || m.kind == IT_LATE)
		m.now = NO_TIME;
	if (g->o.list && m.kind == IT_INST && m.t != NO_TIME &&
	    rec_num(r, COL_op_id, &op))
		cand_inst(&g->cands, op, m.src, m.lane, run_end(&w, &m));
	iter_item(g, &m, r->line);
}

static void
see_legend(struct stage *st, struct rec *r)
{
	struct iter_run *g = st->ctx;
	const struct iter_type *t = rec_arg(r);
	bool has = rec_has(r->type, COL_iter) || t->is->kind == IT_RANGEKERN;
	struct iter_item m = {
		.kind = has ? IT_PASS : IT_LEGEND, .t = NO_TIME, .now = NO_TIME
	};

	g->no_op_start |=
	    t->is->kind == IT_KERN && !rec_has(r->type, COL_op_start_ns);
	if (t->dropped)
		return;
	m.len = m.iter_off = (uint32_t)r->len;
	iter_item(g, &m, r->line);
}

static const char *
op_text(struct iter_run *g, const struct rec *r, int col, int i)
{
	size_t n;

	return rec_text(r, col, &g->reader->tmp[i], &n);
}

/* The op may be the key, or one that --list proposes. Runs of communication
 * have no time of their own on the CPU, which a key needs. */
static void
see_key_op(struct iter_run *g, const struct rec *r)
{
	struct op_names s;
	int64_t id;

	if (!rec_num(r, COL_op_id, &id))
		rec_die(r, "op record without op_id");
	if (mv_eq(rec_get(r, COL_dir), "comm"))
		return;
	s.name = op_text(g, r, COL_name, 0);
	s.dir = op_text(g, r, COL_dir, 1);
	s.key = op_text(g, r, COL_key, 2);
	s.text = op_text(g, r, COL_text, 3);
	s.type = op_text(g, r, COL_op, 4);
	s.dl_id = op_text(g, r, COL_dl_id, 5);
	if (g->o.list && !mv_eq(rec_get(r, COL_by), "api"))
		cand_op(&g->cands, id, &s);
	if (g->phase == ITER_WAIT && g->plan.by != ITER_BY_OWN)
		opkey_op(&g->op, &g->key, id, &s);
}

static void
see_op(struct stage *st, struct rec *r)
{
	struct iter_run *g = st->ctx;

	g->any_op = true;
	if (g->o.dlprof)
		dlprof_op(g, op_text(g, r, COL_by, 0));
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
		{ "iter_inside", &sums->inside },
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

/* Without a key the iterations of an earlier run stay. */
static void
see_iteration(struct stage *st, struct rec *r)
{
	struct iter_run *g = st->ctx;
	struct mview src = rec_get(r, COL_src);
	uint32_t file = iter_file_of(&g->files, src.s, src.n, -1);
	struct iteration x = { 0 };
	struct iter_file *f;
	const char *s;
	size_t n;

	if (g->phase != ITER_WAIT || g->plan.by != ITER_BY_OWN ||
	    file == SRC_NONE)
		return;
	x.iter = rec_num_or(r, COL_iter, -1);
	x.has_cpu = rec_num(r, COL_start_ns, &x.start);
	x.has_dur = rec_num(r, COL_dur_ns, &x.dur);
	x.gpu_at.any = rec_num(r, COL_gpu_start_ns, &x.gpu_at.lo) &&
		       rec_num(r, COL_gpu_end_ns, &x.gpu_at.hi);
	x.has_step = rec_num(r, COL_step_ns, &x.step);
	x.gpu = rec_num_or(r, COL_gpu_ns, 0);
	x.kern_ns = rec_num_or(r, COL_kern_ns, 0);
	x.n_kern = (uint64_t)rec_num_or(r, COL_n_kern, 0);
	x.n_op = (uint64_t)rec_num_or(r, COL_n_op, 0);
	f = &g->files.v[file];
	s = rec_text(r, COL_key, &g->reader->tmp[0], &n);
	ARRAY_GROW(f->kept.v, f->kept.n, f->kept.cap);
	f->kept.v[f->kept.n++] = (struct kept_iter){ x,
		smap_put_view(&f->layout.texts, (struct mview){ s, n }) };
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

void
iter_open(struct iter_run *g, struct stage *st)
{
	struct rec_type *t;
	struct iter_type *b;
	size_t i;

	g->reader = xcalloc(1, sizeof(*g->reader));
	g->spool = spool_new();
	for (i = 0; i < ARRAY_LEN(tags); i++) {
		b = &g->reader->type[i];
		b->is = &tags[i];
		b->dropped = drop_type(tags[i].tag);
		b->range = strcmp(tags[i].tag, "range") == 0;
		b->no_length = g->o.dlprof && strcmp(tags[i].tag, "sync") == 0;
		t = stage_on(st, tags[i].tag, see_record,
		    .only_for = tags[i].event || b->range ? NULL : tags[i].tag,
		    .need = b->is->kind == IT_RANGEKERN ? "" : "start_ns",
		    .opt = "start_ns dur_ns pid tid src api_start_ns"
			   " api_dur_ns dev op_start_ns op_id inst_id iter why"
			   " op_from",
		    .legend = see_legend, .arg = b);
		if (b->range)
			rec_want(t, REC_OPT, "text");
		if (strcmp(tags[i].tag, "call") == 0)
			rec_want(t, REC_OPT, "api");
		if (strcmp(tags[i].tag, "over") == 0)
			rec_want(t, REC_OPT, "name");
		if (strcmp(tags[i].tag, "kern") == 0)
			rec_want(t, REC_OPT, "short grid");
	}
	stage_on(st, "op", see_op, .need = "op_id",
	    .opt = "name key text op dir by dl_id");
	stage_on(st, "iter", see_iteration,
	    .opt = "iter key start_ns dur_ns gpu_start_ns gpu_end_ns gpu_ns"
		   " step_ns kern_ns n_kern n_op src",
	    .legend = stage_drop);
	stage_anew(st, NULL);
	st->ctx = g;
	st->section = begin_iterations;
	st->end = end_iterations;
	st->hold = see_other;
}
