/*
 * The stream's records to the engine, and back with columns added. Records
 * that have an op already (written by a reader of DLProf's own database, or
 * by this command) are passed on as they are.
 */
#include "feed.h"

#include "err.h"
#include "num.h"

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const char *const tags[W_N] = { "kern", "copy", "set", "sync", "graph",
	"call" };
static const char *const added[] = { "op_id", "inst_id", "op_start_ns", "mod",
	"op", "dir", "seq", "altseq", "sub", "layer", "phase", "phase_by",
	"why" };

struct cols { /* of one type of work */
	struct rec_type *type;
	struct rec_col *id, *start, *dur, *pid, *tid, *corr, *api, *name,
	    *api_start, *api_dur, *node, *op_id, *src;
	struct out_ext *ext;
	bool done; /* the input has ops already */
};

static struct cols in[W_N];

static void
read_times(struct work *w, const struct cols *k, const struct rec *r)
{
	int64_t dur;

	if (!rec_i64(r, k->start, &w->start))
		w->start = 0;
	w->has_gpu = rec_i64(r, k->dur, &dur) && dur >= 0;
	w->end = num_add(w->start, w->has_gpu ? dur : 0);
	if (w->type == W_CALL) {
		w->has_api = w->own_call = true;
		w->api_start = w->start;
		w->api_end = w->end;
		return;
	}
	w->has_api = rec_i64(r, k->api_start, &w->api_start);
	w->own_call = w->has_api && rec_i64(r, k->api_dur, &dur);
	if (w->own_call)
		w->api_end = num_add(w->api_start, dur);
}

static void
read_work(
    struct corr *c, struct work *w, enum work_type type, const struct rec *r)
{
	const struct cols *k = &in[type];
	int64_t tid;

	memset(w, 0, sizeof(*w));
	w->type = type;
	rec_i64(r, k->id, &w->id);
	read_times(w, k, r);
	rec_i64(r, k->corr, &w->corr);
	w->p = feed_proc(c, r, k->pid, k->src);
	if (w->has_api && rec_i64(r, k->tid, &tid))
		w->th = thread_of(c, w->p, tid);
	if (k->node != NULL)
		w->has_node = rec_i64(r, k->node, &w->node);
	w->what = feed_text(r, k->name);
	if (w->what.n == 0)
		w->what = feed_text(r, k->api);
	if (w->what.n == 0)
		w->what = (struct text){ tags[type], strlen(tags[type]) };
}

static void
put(struct text t)
{
	out_raw(t.s, t.n);
}

static void
put_phase(const struct place *pl)
{
	static const char *const by[] = { "range", "thread", "graph" };
	const char *w;

	if (pl->phase == 0) {
		out_unset();
		out_unset();
		return;
	}
	w = phase_word(pl->phase);
	out_raw(w, strlen(w));
	out_raw(by[pl->phase_by], strlen(by[pl->phase_by]));
}

static void
put_rest(const struct place *pl)
{
	const char *w = why_word(pl->why);

	if (pl->layer.n > 0)
		put(pl->layer);
	else
		out_unset();
	put_phase(pl);
	out_raw(w, w != NULL ? strlen(w) : 0);
}

static void
put_op(const struct corr *c, const struct place *pl)
{
	const struct op *op = op_get(c, pl->op);

	out_i64(pl->op);
	if (pl->in == NULL) {
		buf_puts(&out_buf, "\t-\t-\t-\t-\t-");
		return;
	}
	out_i64((int64_t)pl->in->id);
	out_i64(pl->in->start);
	put(op->f[OF_MOD]);
	put(op->f[OF_OP]);
	out_raw(op->bwd ? "bprop" : "fprop", 5);
}

/* As put_op, with PyProf's answers instead of the op's. */
static void
put_op_over(const struct place *pl, const struct pycols *o)
{
	out_i64(pl->op);
	out_opt(pl->in != NULL, pl->in != NULL ? (int64_t)pl->in->id : 0);
	out_opt(pl->in != NULL, pl->in != NULL ? pl->in->start : 0);
	put(o->mod);
	put(o->op);
	out_raw(o->bwd ? "bprop" : "fprop", 5);
}

static void
write_kern(
    struct corr *c, const struct work *w, const struct place *pl, struct rec *r)
{
	static struct pycols o;
	struct out_ext *x = in[W_KERN].ext;

	pyprof_kernel(c, w, pl, &o);
	out_ext_begin(x, r);
	if (o.over)
		put_op_over(pl, &o);
	else
		put_op(c, pl);
	out_opt(o.has_seq, o.seq);
	out_raw(o.alt.len > 0 ? o.alt.s : NULL, o.alt.len);
	out_opt(o.sub >= 0, o.sub);
	put_rest(pl);
	out_ext_end(x, r);
}

static void
write_other(
    struct corr *c, const struct work *w, const struct place *pl, struct rec *r)
{
	struct out_ext *x = in[w->type].ext;

	out_ext_begin(x, r);
	put_op(c, pl);
	out_opt(pl->in != NULL && pl->in->seq >= 0,
	    pl->in != NULL ? pl->in->seq : 0);
	out_unset();
	out_unset();
	put_rest(pl);
	out_ext_end(x, r);
}

static void
on_work(struct stage *st, struct rec *r, enum work_type type)
{
	struct corr *c = feed_corr(st);
	struct place pl;
	struct work w;

	if (in[type].done) {
		stage_pass(st, r);
		return;
	}
	read_work(c, &w, type, r);
	feed_time(c, w.has_api ? w.api_start : w.start);
	if (w.th != NULL)
		thread_sweep(c, w.th);
	work_place(c, &w, &pl);
	if (type == W_KERN)
		write_kern(c, &w, &pl, r);
	else
		write_other(c, &w, &pl, r);
	if (c->all_ranges && w.th != NULL)
		proj_work(c, w.th, &w);
}

static void
on_kern(struct stage *st, struct rec *r)
{
	on_work(st, r, W_KERN);
}

static void
on_copy(struct stage *st, struct rec *r)
{
	on_work(st, r, W_COPY);
}

static void
on_set(struct stage *st, struct rec *r)
{
	on_work(st, r, W_SET);
}

static void
on_sync(struct stage *st, struct rec *r)
{
	on_work(st, r, W_SYNC);
}

static void
on_graph(struct stage *st, struct rec *r)
{
	on_work(st, r, W_GRAPH);
}

static void
on_call(struct stage *st, struct rec *r)
{
	on_work(st, r, W_CALL);
}

static void
work_legend(struct stage *st, struct rec *r)
{
	int i;

	for (i = 0; i < W_N - 1 && in[i].type != r->type; i++)
		;
	in[i].done = in[i].op_id->pos >= 0;
	if (in[i].done)
		stage_pass(st, r);
	else
		out_ext_legend(in[i].ext, r);
}

static void
bind_work(struct stage *st, enum work_type type, stage_fn *fn)
{
	struct rec_type *t = stage_on(st, tags[type], fn, work_legend);
	struct cols *k = &in[type];
	bool gpu = type != W_CALL;

	k->type = t;
	k->id = rec_col(t, "id", REC_OPT);
	k->start = rec_col(t, "start_ns", REC_NEED);
	k->dur = rec_col(t, "dur_ns", REC_NEED);
	k->pid = rec_col(t, "pid", REC_OPT);
	k->tid = rec_col(t, "tid", REC_NEED);
	k->corr = rec_col(t, "corr", REC_OPT);
	k->api = rec_col(t, "api", REC_OPT);
	k->name = rec_col(t, "short", REC_OPT);
	k->op_id = rec_col(t, "op_id", REC_OPT);
	k->src = rec_col(t, "src", REC_OPT);
	k->api_start = rec_col(t, "api_start_ns", gpu ? REC_NEED : REC_OPT);
	k->api_dur = rec_col(t, "api_dur_ns", gpu ? REC_NEED : REC_OPT);
	if (gpu)
		k->node = rec_col(t, "node", REC_OPT);
	k->ext = out_ext(added, N(added));
}

/* The end of the recording, where markers end that were never popped. */
static void
on_meta(struct stage *st, struct rec *r)
{
	static const char key[] = "duration_ns\t";
	struct corr *c = feed_corr(st);
	size_t wlen, n;
	const char *rest, *w = rec_meta(r, &wlen, &rest, &n);
	size_t k = sizeof(key) - 1;

	if (wlen == 4 && memcmp(w, "info", 4) == 0 && n > k &&
	    memcmp(rest, key, k) == 0)
		c->has_end = num_i64(rest + k, n - k, &c->end);
}

static void
on_section(struct stage *st)
{
	int i;

	for (i = 0; i < W_N; i++)
		in[i].done = false;
	corr_reset(feed_corr(st));
}

static void
on_end(struct stage *st)
{
	corr_end(feed_corr(st));
}

void
feed_start(struct corr *c, struct stage *st)
{
	static stage_fn *const fn[W_N] = { on_kern, on_copy, on_set, on_sync,
		on_graph, on_call };
	int i;

	c->st = st;
	st->ctx = c;
	for (i = 0; i < W_N; i++)
		bind_work(st, (enum work_type)i, fn[i]);
	feed_bind_range(st);
	feed_bind_node(st);
	st->section = on_section;
	st->end = on_end;
	st->meta = on_meta;
}
