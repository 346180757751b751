/* Records of work and of runs, for both halves; see feed.h. */
#include "feed.h"

#include "agg.h"
#include "ops.h"
#include "raw.h"

static struct rec_col *str_id, *str_text;
static struct {
	struct rec_col *id, *op_id, *start, *dur, *pid, *tid, *iter, *v[5];
} ic;

static void
on_work(struct stage *st, struct rec *r)
{
	struct dldb *d = st->ctx;
	struct work w;

	work_read(d, &w, r);
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
	u.pid = rec_int(r, ic.pid, -1);
	u.tid = rec_int(r, ic.tid, -1);
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
bind_inst(struct stage *st)
{
	static const char *const names[] = { "dur_ns", "gpu_ns", "api_ns",
		"overhead_ns", "idle_ns" };
	struct rec_type *t = stage_on(st, "inst", on_inst, NULL, NULL);
	int i;

	REC_COLS(t, REC_NEED, { &ic.id, "inst_id" }, { &ic.op_id, "op_id" },
	    { &ic.start, "start_ns" }, { &ic.dur, "dur_ns" });
	REC_COLS(t, REC_OPT, { &ic.pid, "pid" }, { &ic.tid, "tid" },
	    { &ic.iter, "iter" });
	for (i = 0; i < N_METRIC; i++)
		ic.v[i] = rec_col(t, names[i], REC_NEED);
}

void
feed_start(struct stage *st)
{
	struct rec_type *t = stage_on(st, "str", on_str, NULL, NULL);
	const struct dldb *d = st->ctx;
	int k;

	REC_COLS(t, REC_NEED, { &str_id, "id" }, { &str_text, "text" });
	for (k = 0; k < K_N; k++)
		if (d->raw || agg_wants((enum kind)k))
			work_on(st, (enum kind)k, on_work);
	bind_inst(st);
}
