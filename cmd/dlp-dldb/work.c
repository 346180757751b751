/* Records of work and of runs, read for both halves. */
#include "work.h"

#include <string.h>

#include "agg.h"
#include "err.h"
#include "num.h"
#include "ops.h"
#include "raw.h"

struct work_cols work_cols[K_N];

static const char *const tags[K_N] = { "kern", "copy", "set", "sync", "graph",
	"call" };
static struct rec_type *types[K_N];

static struct rec_col *str_id, *str_text;
static struct {
	struct rec_col *id, *op_id, *start, *dur, *pid, *tid, *iter, *v[5];
} ic;

uint32_t
work_word(struct dldb *d, const struct rec *r, const struct rec_col *c)
{
	static struct buf b;
	const char *s;
	size_t n;

	s = rec_str(r, c, &b, &n);
	return s != NULL ? word(d, s, n) : word(d, "", 0);
}

int64_t
rec_iter(const struct rec *r, const struct rec_col *c)
{
	int64_t v;

	return rec_i64(r, c, &v) && v >= 0 ? v : -1;
}

static int64_t
or_none(const struct rec *r, const struct rec_col *c)
{
	int64_t v;

	return rec_i64(r, c, &v) ? v : -1;
}

static bool
is_yes(const struct rec *r, const struct rec_col *c)
{
	size_t n;
	const char *s = rec_raw(r, c, &n);

	return s != NULL && n == 3 && memcmp(s, "yes", 3) == 0;
}

static void
read_api(struct work *w, const struct work_cols *c)
{
	if (w->kind == K_CALL) {
		w->has_api = w->own_call = true;
		w->api_start = w->start;
		w->api_dur = num_sub(w->end, w->start);
		return;
	}
	w->has_api = rec_i64(w->r, c->api_start, &w->api_start);
	if (!w->has_api)
		w->tid = -1;
	w->own_call = w->has_api && rec_i64(w->r, c->api_dur, &w->api_dur);
}

void
work_api(const struct work *w, int64_t *start, int64_t *stop)
{
	*start = w->has_api ? w->api_start : w->start;
	*stop = w->own_call ? num_add(*start, w->api_dur) : *start;
}

static void
read_work(struct dldb *d, struct work *w, enum kind kind, const struct rec *r)
{
	const struct work_cols *c = &work_cols[kind];
	int64_t v;

	memset(w, 0, sizeof(*w));
	w->kind = kind;
	w->r = r;
	if (!rec_i64(r, c->start, &w->start))
		rec_die(r, "a record without a start");
	w->end = rec_i64(r, c->dur, &v) ? num_add(w->start, v) : w->start;
	rec_i64(r, c->id, &w->id);
	if (rec_i64(r, c->op_id, &v)) {
		w->op = ops_find(d, v);
		if (w->op == NULL)
			rec_die(r, "op %lld has no record", (long long)v);
	}
	rec_i64(r, c->inst_id, &w->inst);
	w->pid = or_none(r, c->pid);
	w->tid = or_none(r, c->tid);
	w->iter = rec_iter(r, c->iter);
	if (kind != K_CALL)
		w->dev = or_none(r, c->dev);
	if (kind == K_KERN) {
		w->tc = is_yes(r, c->tc);
		w->name = work_word(d, r, c->name);
	}
	read_api(w, c);
}

static void
on_work(struct stage *st, struct rec *r)
{
	struct dldb *d = st->ctx;
	struct work w;
	int k;

	for (k = 0; types[k] != r->type; k++)
		;
	read_work(d, &w, (enum kind)k, r);
	if (w.op == NULL)
		d->n_no_op++;
	if (w.op != NULL && d->raw)
		raw_work(d, &w);
	if (w.op != NULL && d->aggregate)
		agg_work(d, &w);
	stage_pass(st, r);
}

static void
on_inst(struct stage *st, struct rec *r)
{
	struct dldb *d = st->ctx;
	struct run u = { 0 };
	int64_t op;
	int i;

	if (!rec_i64(r, ic.op_id, &op) || (u.op = ops_find(d, op)) == NULL)
		rec_die(r, "a run without its op");
	if (!rec_i64(r, ic.id, &u.id) || !rec_i64(r, ic.start, &u.start))
		rec_die(r, "a run without id or start");
	if (!rec_i64(r, ic.dur, &u.dur))
		u.dur = -1;
	u.pid = or_none(r, ic.pid);
	u.tid = or_none(r, ic.tid);
	u.iter = rec_iter(r, ic.iter);
	for (i = 0; i < N_METRIC; i++)
		u.has[i] = rec_i64(r, ic.v[i], &u.v[i]);
	if (d->raw)
		raw_run(d, &u);
	if (d->aggregate)
		agg_run(d, &u);
	stage_pass(st, r);
}

/* Long names, most of all of kernels. */
static void
on_str(struct stage *st, struct rec *r)
{
	struct dldb *d = st->ctx;
	int64_t id;

	if (d->raw && rec_i64(r, str_id, &id))
		*map_put(&d->strs, (uint64_t)id, NULL) =
		    work_word(d, r, str_text);
	stage_pass(st, r);
}

static void
bind_work(struct stage *st, enum kind k)
{
	struct work_cols *c = &work_cols[k];
	struct rec_type *t;
	enum rec_need gpu = k == K_CALL ? REC_OPT : REC_NEED;
	enum rec_need kern = k == K_KERN ? REC_NEED : REC_OPT;

	t = types[k] = stage_on(st, tags[k], on_work, NULL);
	c->id = rec_col(t, "id", REC_NEED);
	c->start = rec_col(t, "start_ns", REC_NEED);
	c->dur = rec_col(t, "dur_ns", REC_NEED);
	c->pid = rec_col(t, "pid", REC_OPT);
	c->tid = rec_col(t, "tid", REC_OPT);
	c->dev = rec_col(t, "dev", REC_OPT);
	c->op_id = rec_col(t, "op_id", REC_NEED);
	c->inst_id = rec_col(t, "inst_id", REC_NEED);
	c->api = rec_col(t, "api", REC_OPT);
	c->api_start = rec_col(t, "api_start_ns", gpu);
	c->api_dur = rec_col(t, "api_dur_ns", gpu);
	c->iter = rec_col(t, "iter", REC_OPT);
	c->tc = rec_col(t, "tc", kern);
	c->name = rec_col(t, "short", REC_OPT);
	c->name_id = rec_col(t, "name_id", REC_OPT);
	c->grid = rec_col(t, "grid", REC_OPT);
	c->block = rec_col(t, "block", REC_OPT);
	c->bytes = rec_col(t, "bytes", REC_OPT);
	c->kind = rec_col(t, "kind", REC_OPT);
	c->event = rec_col(t, "event", REC_OPT);
}

static void
bind_inst(struct stage *st)
{
	static const char *const names[] = { "dur_ns", "gpu_ns", "api_ns",
		"overhead_ns", "idle_ns" };
	struct rec_type *t = stage_on(st, "inst", on_inst, NULL);
	int i;

	ic.id = rec_col(t, "inst_id", REC_NEED);
	ic.op_id = rec_col(t, "op_id", REC_NEED);
	ic.start = rec_col(t, "start_ns", REC_NEED);
	ic.dur = rec_col(t, "dur_ns", REC_NEED);
	ic.pid = rec_col(t, "pid", REC_OPT);
	ic.tid = rec_col(t, "tid", REC_OPT);
	ic.iter = rec_col(t, "iter", REC_OPT);
	for (i = 0; i < N_METRIC; i++)
		ic.v[i] = rec_col(t, names[i], REC_NEED);
}

void
work_start(struct stage *st)
{
	struct rec_type *t = stage_on(st, "str", on_str, NULL);
	const struct dldb *d = st->ctx;
	int k;

	str_id = rec_col(t, "id", REC_NEED);
	str_text = rec_col(t, "text", REC_NEED);
	for (k = 0; k < K_N; k++)
		if (d->raw || agg_wants((enum kind)k))
			bind_work(st, (enum kind)k);
	bind_inst(st);
}
