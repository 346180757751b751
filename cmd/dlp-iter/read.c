/* From records to items: which columns place a record of which type. */
#include <string.h>

#include "err.h"
#include "kept.h"
#include "num.h"
#include "read.h"

static const struct {
	const char *tag;
	enum what what;
	bool event; /* counts for the profile's first and last time */
} types[] = {
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
	{ "os", IT_REC, false },
	{ "lib", IT_REC, false },
	{ "mem", IT_MEM, false },
	{ "over", IT_REC, false },
};

#define NTYPES (sizeof(types) / sizeof(types[0]))

static struct read {
	struct run *run;
	struct bind {
		struct rec_type *type;
		enum what what;
		bool event, is_range, is_sync;
		struct rec_col *start, *dur, *pid, *tid, *src;
		struct rec_col *op_start, *api_start, *api_dur;
		struct rec_col *op_id, *inst_id, *dev, *text, *iter;
	} b[NTYPES];
	struct rec_type *op;
	struct rec_col *iter_src;
	struct rec_col *id, *name, *key, *otext, *otype, *dir, *by, *dl_id;
	struct buf tmp[6];
	/* the thread of the record before: most often the same */
	bool has_lane;
	int64_t pid, tid;
	struct buf src;
	uint32_t file, lane;
} rd;

static const struct bind *
bind_of(const struct rec_type *t)
{
	const struct bind *b = rd.b;

	while (b->type != t)
		b++;
	return b;
}

/* The file and the thread of a record, into m. */
static void
lane_of(
    struct run *g, const struct bind *b, const struct rec *r, struct item *m)
{
	int64_t pid = rec_int(r, b->pid, -1), tid = rec_int(r, b->tid, -1);
	const char *src;
	size_t n = 0;

	src = rec_raw(r, b->src, &n);
	if (src == NULL)
		n = 0;
	if (rd.has_lane && pid == rd.pid && tid == rd.tid && n == rd.src.len &&
	    (n == 0 || memcmp(src, rd.src.s, n) == 0)) {
		m->src = rd.file;
		m->lane = rd.lane;
		return;
	}
	rd.has_lane = true;
	rd.pid = pid;
	rd.tid = tid;
	buf_clear(&rd.src);
	buf_put(&rd.src, src, n);
	m->src = rd.file = source_of(&g->files, src, n, pid);
	if (rd.file != SRC_NONE)
		rd.lane = plan_lane(&g->files.v[rd.file].plan, pid, tid);
	m->lane = rd.lane;
}

/* The times of a record: see struct item. */
static void
times(struct run *g, const struct bind *b, const struct rec *r, struct item *m)
{
	struct extent none = { 0 }, *e = &none;
	int64_t start = 0, dur = rec_int(r, b->dur, -1), api;
	bool has = rec_i64(r, b->start, &start);

	if (m->src != SRC_NONE)
		e = &g->files.v[m->src].extent;
	m->now = m->t = NO_TIME;
	m->has_gpu = false;
	if (rec_i64(r, b->api_start, &api)) {
		m->now = api;
		if (b->event)
			extent_event(
			    e, api, num_add(api, rec_int(r, b->api_dur, 0)));
	} else if (has) {
		m->now = start;
	}
	if (!rec_i64(r, b->op_start, &m->t))
		m->t = m->now;
	if (b->event && b->what != IT_REC && m->now != NO_TIME)
		extent_work(e, m->now);
	if (!has)
		return;
	if (b->what == IT_KERN || b->what == IT_GPU) {
		m->has_gpu = dur >= 0;
		m->lo = start;
		m->hi = num_add(start, dur);
		if (dur >= 0)
			extent_event(e, m->now, m->hi);
	} else if (b->event) {
		/* of a synchronization DLProf knows the call, no more */
		if (dur < 0 || (b->is_sync && g->dlprof))
			dur = 0;
		extent_event(e, start, num_add(start, dur));
	}
}

/* Where the iter field of a record is, or will be. */
static void
place(const struct bind *b, const struct rec *r, struct item *m)
{
	const char *s;
	size_t n;

	m->iter_off = (uint32_t)r->len;
	m->iter_len = 0;
	if (b->iter->pos < 0)
		return;
	s = rec_field(r, b->iter->pos, &n);
	m->iter_off = (uint32_t)(s - r->line);
	m->iter_len = (uint32_t)n;
}

static void
on_range(struct run *g, const struct bind *b, const struct rec *r,
    const struct item *m)
{
	int64_t dur;
	size_t n;
	const char *s = rec_str(r, b->text, &rd.tmp[0], &n);

	if (s == NULL || m->now == NO_TIME)
		return;
	dur = rec_int(r, b->dur, -1);
	run_range(g, m->src, m->lane, s, key_trim(s, n), m->now,
	    dur < 0 ? INT64_MAX : num_add(m->now, dur));
}

static void
key_work(struct run *g, const struct bind *b, const struct rec *r,
    const struct item *m)
{
	int64_t op, inst;

	if (m->src == SRC_NONE || g->op.ops.n == 0 ||
	    !rec_i64(r, b->op_id, &op) || !rec_i64(r, b->inst_id, &inst) ||
	    !opkey_has(&g->op, op))
		return;
	if (m->what == IT_KERN || m->what == IT_GPU)
		opkey_gpu(&g->op, op, inst, rec_int(r, b->dev, -1));
	else if (m->what == IT_INST && m->t != NO_TIME)
		opkey_inst(&g->op, op, inst, m->src,
		    g->files.v[m->src].plan.lane[m->lane].proc,
		    num_add(m->t, rec_int(r, b->dur, 0)));
}

static void
on_rec(struct stage *st, struct rec *r)
{
	struct run *g = rd.run;
	const struct bind *b = bind_of(r->type);
	struct item m;
	int64_t op;

	(void)st;
	if (r->len > UINT32_MAX / 2)
		rec_die(r, "record is too long");
	m.what = b->what;
	m.len = (uint32_t)r->len;
	lane_of(g, b, r, &m);
	times(g, b, r, &m);
	place(b, r, &m);
	if (b->is_range)
		on_range(g, b, r, &m);
	else if (g->waiting)
		key_work(g, b, r, &m);
	if (m.what == IT_INST || m.what == IT_LATE)
		m.now = NO_TIME;
	if (g->listing && m.what == IT_INST && m.t != NO_TIME &&
	    rec_i64(r, b->op_id, &op))
		cand_inst(&g->cands, op, m.src, m.lane,
		    num_add(m.t, rec_int(r, b->dur, 0)));
	run_keep(g, &m, r->line);
}

static void
on_legend(struct stage *st, struct rec *r)
{
	struct run *g = rd.run;
	const struct bind *b = bind_of(r->type);
	struct item m = { .what = IT_LEGEND, .t = NO_TIME, .now = NO_TIME };

	(void)st;
	if (b->iter->pos >= 0 || b->what == IT_RANGEKERN)
		m.what = IT_PASS;
	g->no_ops |= b->what == IT_KERN && b->op_start->pos < 0;
	m.len = m.iter_off = (uint32_t)r->len;
	run_keep(g, &m, r->line);
}

static const char *
text_of(const struct rec *r, const struct rec_col *c, int i)
{
	size_t n;

	return rec_str(r, c, &rd.tmp[i], &n);
}

static void
on_op(struct stage *st, struct rec *r)
{
	struct run *g = rd.run;
	struct op_names s;
	const char *by;
	size_t n;
	int64_t id;

	g->any_op = true;
	if (g->dlprof)
		run_op(g, text_of(r, rd.by, 0));
	if ((g->key.arg != NULL && !g->one) || g->listing) {
		if (!rec_i64(r, rd.id, &id))
			rec_die(r, "op record without op_id");
		s.name = text_of(r, rd.name, 0);
		s.dir = text_of(r, rd.dir, 1);
		s.key = text_of(r, rd.key, 2);
		s.text = text_of(r, rd.otext, 3);
		s.type = text_of(r, rd.otype, 4);
		s.dl_id = text_of(r, rd.dl_id, 5);
		by = rec_raw(r, rd.by, &n);
		if (g->listing &&
		    !(by != NULL && n == 3 && memcmp(by, "api", 3) == 0))
			cand_op(&g->cands, id, &s);
		if (g->waiting && g->key.arg != NULL)
			opkey_op(&g->op, &g->key, id, &s);
	}
	stage_pass(st, r);
}

static void
bind_type(struct bind *b, struct stage *st, size_t i)
{
	struct rec_type *t =
	    stage_on(st, types[i].tag, on_rec, on_legend, NULL);

	b->type = t;
	b->what = types[i].what;
	b->event = types[i].event;
	b->is_range = strcmp(types[i].tag, "range") == 0;
	b->is_sync = strcmp(types[i].tag, "sync") == 0;
	b->start = rec_col(
	    t, "start_ns", b->what == IT_RANGEKERN ? REC_OPT : REC_NEED);
	REC_COLS(t, REC_OPT, { &b->dur, "dur_ns" }, { &b->pid, "pid" },
	    { &b->tid, "tid" }, { &b->src, "src" },
	    { &b->op_start, "op_start_ns" }, { &b->api_start, "api_start_ns" },
	    { &b->api_dur, "api_dur_ns" }, { &b->op_id, "op_id" },
	    { &b->inst_id, "inst_id" }, { &b->dev, "dev" },
	    { &b->text, "text" }, { &b->iter, "iter" });
}

/* Lines that nothing is added to keep their place among the others. */
static void
on_pass(struct stage *st, struct rec *r)
{
	(void)st;
	if (!kept_note(&rd.run->was, r))
		run_pass(rd.run, r->line, r->len, r->kind == REC_META);
}

/* The iterations of an earlier run stay, or are made anew. */
static void
on_iter(struct stage *st, struct rec *r)
{
	size_t n = 0;
	const char *src = rec_raw(r, rd.iter_src, &n);

	(void)st;
	run_iter(rd.run, source_of(&rd.run->files, src, n, -1), r);
}

static void
on_iter_legend(struct stage *st, struct rec *r)
{
	(void)st;
	(void)r;
}

static void
on_section(struct stage *st)
{
	(void)st;
	run_section(rd.run);
	rd.has_lane = false;
}

static void
on_end(struct stage *st)
{
	rd.run->broken = !st->complete;
	run_end(rd.run);
}

static void
bind_op(struct stage *st)
{
	rd.op = stage_on(st, "op", on_op, NULL, NULL);
	rd.id = rec_col(rd.op, "op_id", REC_NEED);
	REC_COLS(rd.op, REC_OPT, { &rd.name, "name" }, { &rd.key, "key" },
	    { &rd.otext, "text" }, { &rd.otype, "op" }, { &rd.dir, "dir" },
	    { &rd.by, "by" }, { &rd.dl_id, "dl_id" });
}

void
read_open(struct run *g, struct stage *st)
{
	struct rec_type *t;
	size_t i;

	rd.run = g;
	for (i = 0; i < NTYPES; i++)
		bind_type(&rd.b[i], st, i);
	bind_op(st);
	t = stage_on(st, "iter", on_iter, on_iter_legend, NULL);
	kept_bind(t);
	rd.iter_src = rec_col(t, "src", REC_OPT);
	stage_anew(st, NULL);
	st->section = on_section;
	st->end = on_end;
	st->hold = on_pass;
}
