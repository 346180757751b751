/*
 * The stream's records to the engine, and back with columns added. Records
 * that have an op already (written by a reader of DLProf's own database, or
 * by this command) are passed on as they are.
 */
#include "corr.h"
#include "feed.h"
#include "feed_put.h"
#include "feed_read.h"
#include "num.h"
#include "place.h"

static const char *const tags[W_N] = { "kern", "copy", "set", "sync", "graph",
	"call" };

struct cols { /* of one type of work */
	struct rec_type *type;
	struct rec_col *id, *start, *dur, *pid, *tid, *corr, *api, *name,
	    *api_start, *api_dur, *node, *dev, *op_id, *src;
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
	if (k->dev == NULL || !rec_i64(r, k->dev, &w->dev))
		w->dev = -1;
	w->p = feed_proc(c, r, k->pid, k->src);
	if (w->has_api && rec_i64(r, k->tid, &tid))
		w->th = thread_of(&c->threads, w->p, tid);
	if (k->node != NULL)
		w->has_node = rec_i64(r, k->node, &w->node);
	w->what = feed_text(r, k->name);
	if (w->what.n == 0)
		w->what = feed_text(r, k->api);
	if (w->what.n == 0)
		w->what = (struct text){ tags[type], strlen(tags[type]) };
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
		thread_sweep(&c->threads, w.th);
	work_place(c, &w, &pl);
	if (type == W_KERN)
		put_kern(in[type].ext, c, &w, &pl, r);
	else
		put_other(in[type].ext, c, &pl, r);
	if (c->all_ranges && w.th != NULL)
		proj_work(&w);
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
	struct rec_type *t = stage_on(st, tags[type], fn, work_legend, NULL);
	struct cols *k = &in[type];
	bool gpu = type != W_CALL;

	k->type = t;
	REC_COLS(t, REC_NEED, { &k->start, "start_ns" }, { &k->dur, "dur_ns" },
	    { &k->tid, "tid" });
	REC_COLS(t, gpu ? REC_NEED : REC_OPT, { &k->api_start, "api_start_ns" },
	    { &k->api_dur, "api_dur_ns" });
	REC_COLS(t, REC_OPT, { &k->id, "id" }, { &k->pid, "pid" },
	    { &k->corr, "corr" }, { &k->api, "api" }, { &k->op_id, "op_id" },
	    { &k->src, "src" });
	/* a graph is named after the call that ran it */
	k->name = rec_col(t, type == W_GRAPH ? "api" : "short", REC_OPT);
	if (gpu)
		REC_COLS(t, REC_OPT, { &k->node, "node" }, { &k->dev, "dev" });
	k->ext = put_ext(type);
}

void
feed_bind_work(struct stage *st)
{
	static stage_fn *const fn[W_N] = { on_kern, on_copy, on_set, on_sync,
		on_graph, on_call };
	int i;

	for (i = 0; i < W_N; i++)
		bind_work(st, (enum work_type)i, fn[i]);
}

void
feed_work_section(void)
{
	int i;

	for (i = 0; i < W_N; i++)
		in[i].done = false;
}
