/*
 * Reads the stream's records (sections, work, ranges and graph nodes) and turns
 * each into the struct that the rest of the command uses. Work is GPU
 * activities and API calls. Records that already have ops (from this command,
 * or from the reader of DLProf's own database) are passed on unchanged.
 */
#include "corr.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "num.h"
#include "workrec.h"

struct work_type_cols {
	enum work_type type;
	struct workrec_cols cols;
	const struct rec_col *id, *api, *name, *name_id, *node, *op_id;
	bool done; /* the legend has op_id: the input already has ops */
};

struct range_cols {
	const struct rec_col *start, *dur, *pid, *tid, *src, *id, *end_tid,
	    *domain, *mode, *text, *level;
	struct buf text_buf, domain_buf; /* unescaped */
	struct buf rest;                 /* fields for the projection */
	struct nest_from nest;
};

struct node_cols {
	struct workrec_cols cols;
	const struct rec_col *node, *orig;
};

struct str_cols {
	const struct rec_col *id, *text;
};

struct alloc_cols {
	struct workrec_cols cols;
	const struct rec_col *tid, *at;
	bool pass; /* no thread, or the input has the columns already */
};

struct feed {
	struct str_cols str;
	struct work_type_cols work[W_N];
	struct range_cols range;
	struct node_cols node;
	struct alloc_cols alloc;
};

static struct corr *
feed_corr(struct stage *st)
{
	return st->ctx;
}

/* The raw text of a column; "" if it is unset. */
static struct escaped
raw_text(const struct rec *r, const struct rec_col *col)
{
	struct escaped t = { "", 0 };
	size_t n;
	const char *s = rec_raw(r, col, &n);

	return s != NULL ? (struct escaped){ s, n } : t;
}

/* Advances time to that of a record, which closes what has ended by then. A
 * record that is older than one before it is counted, and time stays. */
static void
feed_time(struct corr *c, int64_t t)
{
	if (t < c->threads.now)
		c->n.late++;
	else
		corr_now(c, t);
}

/* Work. */

static const char *const work_tags[W_N] = { "kern", "copy", "set", "sync",
	"graph", "call" };

static struct escaped
work_name(const struct rec *r, const struct work_type_cols *k)
{
	struct escaped t = raw_text(r, k->name);

	if (t.n == 0)
		t = raw_text(r, k->api);
	if (t.n == 0)
		t = (struct escaped){ work_tags[k->type],
			strlen(work_tags[k->type]) };
	return t;
}

/* A record of GPU work can have the times of its API call. own_call: they are
 * an interval, so the call has no record of its own. */
static void
read_times(struct corr_work *work, const struct workrec *u)
{
	work->start = u->start;
	work->has_gpu = u->has_dur;
	work->end = u->end;
	if (work->type == W_CALL) {
		work->has_api = work->own_call = true;
		work->api_start = work->start;
		work->api_end = work->end;
		return;
	}
	work->has_api = u->has_api;
	work->api_start = u->api;
	work->own_call = u->has_api_dur || u->api_end != u->api;
	work->api_end = u->api_end;
}

static void
make_work(struct corr *corr, struct corr_work *work,
    const struct work_type_cols *k, const struct rec *rec)
{
	struct workrec rec_work;

	memset(work, 0, sizeof(*work));
	work->type = k->type;
	workrec_read(&rec_work, &k->cols, rec);
	read_times(work, &rec_work);
	rec_i64(rec, k->id, &work->id);
	work->corr = rec_work.has_corr ? rec_work.corr : 0;
	work->dev = rec_work.dev;
	work->p = proc_of(&corr->threads, rec_work.src, rec_work.pid);
	if (work->has_api && rec_work.has_tid)
		work->th =
		    corr_thread_of(&corr->threads, work->p, rec_work.tid);
	if (k->node != NULL)
		work->has_node = rec_i64(rec, k->node, &work->node);
	work->what = work_name(rec, k);
	work->name_id = k->name_id != NULL ? rec_int(rec, k->name_id, -1) : -1;
	if (work->type == W_KERN && !corr->comms.off)
		work->comm = comm_of_name(
		    &corr->comms, work->name_id, work->what.s, work->what.n);
}

static void
on_corr_work(struct stage *st, struct rec *rec)
{
	const struct work_type_cols *k = rec_arg(rec);
	struct corr *corr = feed_corr(st);
	struct corr_place pl;
	struct corr_work work;

	if (k->done) {
		stage_pass(st, rec);
		return;
	}
	make_work(corr, &work, k, rec);
	feed_time(corr, work.has_api ? work.api_start : work.start);
	if (work.th != NULL)
		thread_sweep(&corr->threads, work.th);
	if (work.type == W_KERN)
		dtype_copy(&corr->dtypes, work.th, work.name_id);
	work_place(corr, &work, &pl);
	write_work(corr, &work, &pl, rec);
	if (corr->all_ranges && work.th != NULL)
		proj_work(&corr->projs, &work);
}

static void
work_legend(struct stage *st, struct rec *r)
{
	struct work_type_cols *k = rec_arg(r);

	k->done = k->op_id->pos >= 0;
	if (k->done)
		stage_pass(st, r);
	else
		out_ext_legend(feed_corr(st)->types.work[k->type], r);
}

static void
bind_work(struct stage *st, struct work_type_cols *k, enum work_type type)
{
	struct rec_type *t =
	    stage_on(st, work_tags[type], on_corr_work, work_legend, k);
	unsigned opt = WORKREC_PID | WORKREC_CORR | WORKREC_SRC;
	unsigned need = WORKREC_SPAN | WORKREC_TID;
	bool gpu = type != W_CALL;

	k->type = type;
	if (gpu)
		workrec_bind(
		    &k->cols, t, need | WORKREC_CALL, opt | WORKREC_DEV);
	else
		workrec_bind(&k->cols, t, need, opt);
	k->id = rec_col(t, "id", REC_OPT);
	k->api = rec_col(t, "api", REC_OPT);
	k->op_id = rec_col(t, "op_id", REC_OPT);
	/* a graph is named after the call that launched it */
	k->name = rec_col(t, type == W_GRAPH ? "api" : "short", REC_OPT);
	if (gpu)
		k->node = rec_col(t, "node", REC_OPT);
	if (type == W_KERN)
		k->name_id = rec_col(t, "name_id", REC_OPT);
}

/* Strings: full names of kernels. */

static void
on_corr_str(struct stage *st, struct rec *r)
{
	struct corr *corr = feed_corr(st);
	struct escaped text = raw_text(r, corr->feed->str.text);
	int64_t id;

	stage_pass(st, r);
	if (!rec_i64(r, corr->feed->str.id, &id))
		return;
	if (write_is_text(id))
		map_put(&corr->threads.texts.written, (uint64_t)id, NULL);
	else if (!corr->comms.off) {
		comm_string(&corr->comms, id, text.s, text.n);
		dtype_string(&corr->dtypes, id, text.s, text.n);
	}
}

static void
str_legend(struct stage *st, struct rec *r)
{
	struct corr *corr = feed_corr(st);

	corr->threads.texts.n = rec_ncols(r->type);
	corr->threads.texts.id = corr->feed->str.id->pos;
	corr->threads.texts.text = corr->feed->str.text->pos;
	stage_pass(st, r);
}

static void
bind_str(struct stage *st, struct str_cols *k)
{
	struct rec_type *t = stage_on(st, "str", on_corr_str, str_legend, NULL);

	k->id = rec_col(t, "id", REC_OPT);
	k->text = rec_col(t, "text", REC_OPT);
}

/* Ranges. */

static void
read_range(struct corr *corr, struct corr_range *x, struct range_cols *k,
    const struct rec *rec)
{
	int64_t end_tid, dur, tid = -1;
	size_t n;

	memset(x, 0, sizeof(*x));
	rec_i64(rec, k->id, &x->id);
	rec_i64(rec, k->start, &x->start);
	x->has_end = rec_i64(rec, k->dur, &dur);
	x->end = x->has_end ? num_add(x->start, dur) : INT64_MAX;
	x->backwards = x->end < x->start;
	x->p = proc_of(
	    &corr->threads, rec_view(rec, k->src), rec_int(rec, k->pid, -1));
	x->crossing = !rec_i64(rec, k->tid, &tid);
	if (rec_i64(rec, k->end_tid, &end_tid) && end_tid != tid)
		x->crossing = true;
	x->nests = raw_text(rec, k->mode).s[0] != 's';
	x->th = corr_thread_of(&corr->threads, x->p, tid);
	x->text = rec_str(rec, k->text, &k->text_buf, &x->n);
	if (x->text == NULL)
		x->n = 0;
	x->domain = rec_str(rec, k->domain, &k->domain_buf, &n);
	x->foreign =
	    corr->domain != NULL &&
	    strcmp(x->domain != NULL ? x->domain : "", corr->domain) != 0;
}

/* Copies the fields pid to text of the range's record for its projection, the
 * record (--ranges) of the GPU time of the work launched inside the range. */
static void
range_rest(struct range_cols *k, const struct rec *rec)
{
	const struct rec_col *const col[] = { k->pid, k->tid, k->domain,
		k->mode, k->text };
	const char *s;
	size_t n, i;

	buf_clear(&k->rest);
	for (i = 0; i < ARRAY_LEN(col); i++) {
		buf_putc(&k->rest, '\t');
		s = rec_raw(rec, col[i], &n);
		if (s != NULL)
			buf_put(&k->rest, s, n);
		else
			buf_putc(&k->rest, '-');
	}
}

static void
on_corr_range(struct stage *st, struct rec *rec)
{
	struct range_cols *k = rec_arg(rec);
	struct corr *corr = feed_corr(st);
	const struct corr_open *top;
	struct range_end taken;
	struct corr_range range;
	size_t level, layer_len;

	/* only a range that was correlated already has a level */
	if (k->level->pos >= 0) {
		stage_pass(st, rec);
		return;
	}
	read_range(corr, &range, k, rec);
	feed_time(corr, range.start);
	thread_sweep(&corr->threads, range.th);
	/* the range's own level and layer: those before range_begin() opens it
	 */
	level = range.th->open.n;
	top = thread_top(range.th);
	layer_len = top != NULL ? top->layer_len : 0;
	taken = range_begin(corr, &range);
	if (corr->all_ranges || taken.kind == MK_USER || taken.kind == MK_LAYER)
		write_range(corr, range.th, taken.phase, level, layer_len, rec);
	else if (corr->nested && !range.backwards && taken.inner)
		write_nest(&corr->types, &k->nest, level, rec);
	if (corr->all_ranges && !range.crossing && !range.backwards) {
		range_rest(k, rec);
		proj_begin(&corr->projs, &range, &k->rest);
	}
}

static void
range_legend(struct stage *st, struct rec *r)
{
	const struct range_cols *k = rec_arg(r);

	if (k->level->pos >= 0)
		stage_pass(st, r);
	else
		out_ext_legend(feed_corr(st)->types.range, r);
}

static void
bind_range(struct stage *st, struct range_cols *k)
{
	struct rec_type *t =
	    stage_on(st, "range", on_corr_range, range_legend, k);

	k->start = rec_col(t, "start_ns", REC_NEED);
	k->dur = rec_col(t, "dur_ns", REC_NEED);
	k->tid = rec_col(t, "tid", REC_NEED);
	k->text = rec_col(t, "text", REC_NEED);
	k->id = rec_col(t, "id", REC_OPT);
	k->pid = rec_col(t, "pid", REC_OPT);
	k->src = rec_col(t, "src", REC_OPT);
	k->end_tid = rec_col(t, "end_tid", REC_OPT);
	k->domain = rec_col(t, "domain", REC_OPT);
	k->mode = rec_col(t, "mode", REC_OPT);
	k->level = rec_col(t, "level", REC_OPT);
	k->nest = (struct nest_from){ k->start, k->dur, k->pid, k->tid, k->text,
		k->src };
}

/* Nodes of CUDA graphs. */

static void
on_node(struct stage *st, struct rec *rec)
{
	const struct node_cols *k = rec_arg(rec);
	struct corr *corr = feed_corr(st);
	struct corr_thread *th = NULL;
	struct corr_proc *proc;
	int64_t node, orig = 0;
	struct workrec rec_work;
	bool has_orig;

	stage_pass(st, rec);
	workrec_read(&rec_work, &k->cols, rec);
	proc = proc_of(&corr->threads, rec_work.src, rec_work.pid);
	if (rec_work.has_start)
		feed_time(corr, rec_work.start);
	if (rec_work.has_tid) {
		th = corr_thread_of(&corr->threads, proc, rec_work.tid);
		thread_sweep(&corr->threads, th);
	}
	has_orig = rec_i64(rec, k->orig, &orig);
	if (rec_i64(rec, k->node, &node))
		graph_node(corr, th, proc, node, has_orig, orig);
}

static void
bind_node(struct stage *st, struct node_cols *k)
{
	struct rec_type *t = stage_on(st, "node", on_node, NULL, k);

	workrec_bind(&k->cols, t, WORKREC_START | WORKREC_TID,
	    WORKREC_PID | WORKREC_SRC);
	k->node = rec_col(t, "node", REC_NEED);
	k->orig = rec_col(t, "orig", REC_NEED);
}

/* Memory of an allocator, which names the thread. Other memory has its API
 * call, by which dlp-mem finds where it is made. */

static void
on_alloc(struct stage *st, struct rec *rec)
{
	const struct alloc_cols *k = rec_arg(rec);
	struct corr *corr = feed_corr(st);
	struct corr_thread *th = NULL;
	struct corr_proc *proc;
	struct workrec w;

	if (k->pass) {
		stage_pass(st, rec);
		return;
	}
	workrec_read(&w, &k->cols, rec);
	proc = proc_of(&corr->threads, w.src, w.pid);
	if (w.has_start)
		feed_time(corr, w.start);
	if (w.has_tid) {
		th = corr_thread_of(&corr->threads, proc, w.tid);
		thread_sweep(&corr->threads, th);
	}
	write_alloc(corr, proc, th, rec);
}

static void
alloc_legend(struct stage *st, struct rec *rec)
{
	struct alloc_cols *k = rec_arg(rec);

	k->pass = k->tid->pos < 0 || k->at->pos >= 0;
	if (k->pass)
		stage_pass(st, rec);
	else
		out_ext_legend(feed_corr(st)->types.alloc, rec);
}

static void
bind_alloc(struct stage *st, struct alloc_cols *k)
{
	struct rec_type *t = stage_on(st, "mem", on_alloc, alloc_legend, k);

	workrec_bind(&k->cols, t, WORKREC_START,
	    WORKREC_PID | WORKREC_TID | WORKREC_SRC);
	k->tid = rec_col(t, "tid", REC_OPT);
	k->at = rec_col(t, "at", REC_OPT);
}

/* ##info: duration_ns is the end of the recording. A marker that ends there was
 * never popped. */
static void
on_corr_meta(struct stage *st, struct rec *rec)
{
	static const char key[] = "duration_ns\t";
	struct corr *corr = feed_corr(st);
	size_t wlen, n, k = sizeof(key) - 1;
	const char *rest, *w = rec_meta(rec, &wlen, &rest, &n);

	if (!text_is(w, wlen, "info"))
		return;
	if (corr->hooks.meta != NULL)
		corr->hooks.meta(corr, rest, n);
	corr->ops.groups |=
	    corr->ops.n_no == 0 && text_starts(rest, n, "process_groups\t");
	if (text_starts(rest, n, key))
		corr->has_end = num_i64(rest + k, n - k, &corr->end);
}

/* A section is one profile of the stream, with legends of its own. */
static void
begin_section(struct stage *st)
{
	struct corr *c = feed_corr(st);
	int i;

	for (i = 0; i < W_N; i++)
		c->feed->work[i].done = false;
	map_clear(&c->threads.texts.written);
	c->threads.texts.n = 0;
	corr_reset(c);
}

static void
end_section(struct stage *st)
{
	corr_end(feed_corr(st));
}

void
feed_start(struct corr *corr, struct stage *st)
{
	int i;

	corr->feed = xcalloc(1, sizeof(*corr->feed));
	st->ctx = corr;
	for (i = 0; i < W_N; i++)
		bind_work(st, &corr->feed->work[i], (enum work_type)i);
	bind_str(st, &corr->feed->str);
	bind_range(st, &corr->feed->range);
	bind_node(st, &corr->feed->node);
	bind_alloc(st, &corr->feed->alloc);
	st->section = begin_section;
	st->end = end_section;
	st->meta = on_corr_meta;
}

void
feed_free(struct corr *c)
{
	buf_free(&c->feed->range.text_buf);
	buf_free(&c->feed->range.domain_buf);
	buf_free(&c->feed->range.rest);
	free(c->feed);
}
