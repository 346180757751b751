/*
 * The stream's records: sections, work, ranges and graph nodes, each made into
 * what the rest of the command works on. Records that have been correlated
 * already (by this command, or by a reader of DLProf's own database) are
 * passed on as they are.
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
	const struct rec_col *id, *api, *name, *node, *op_id;
	bool done; /* the input has ops already */
};

struct range_cols {
	const struct rec_col *start, *dur, *pid, *tid, *src, *id, *end_tid,
	    *domain, *mode, *text, *level;
	struct buf text_buf, domain_buf; /* unescaped */
	struct buf rest;                 /* fields for the projection */
};

struct node_cols {
	struct workrec_cols cols;
	const struct rec_col *node, *orig;
};

struct feed {
	struct work_type_cols work[W_N];
	struct range_cols range;
	struct node_cols node;
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

/* A record that stands at time t. */
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

static void
read_times(struct corr_work *w, const struct workrec *u)
{
	w->start = u->start;
	w->has_gpu = u->has_dur;
	w->end = u->end;
	if (w->type == W_CALL) {
		w->has_api = w->own_call = true;
		w->api_start = w->start;
		w->api_end = w->end;
		return;
	}
	w->has_api = u->has_api;
	w->api_start = u->api;
	w->own_call = u->has_api_dur || u->api_end != u->api;
	w->api_end = u->api_end;
}

static void
read_work(struct corr *c, struct corr_work *w, const struct work_type_cols *k,
    const struct rec *r)
{
	struct workrec u;

	memset(w, 0, sizeof(*w));
	w->type = k->type;
	workrec_read(&u, &k->cols, r);
	read_times(w, &u);
	rec_i64(r, k->id, &w->id);
	w->corr = u.has_corr ? u.corr : 0;
	w->dev = u.dev;
	w->p = proc_of(&c->threads, u.src, u.pid);
	if (w->has_api && u.has_tid)
		w->th = corr_thread_of(&c->threads, w->p, u.tid);
	if (k->node != NULL)
		w->has_node = rec_i64(r, k->node, &w->node);
	w->what = work_name(r, k);
}

static void
on_corr_work(struct stage *st, struct rec *r)
{
	const struct work_type_cols *k = rec_arg(r);
	struct corr *c = feed_corr(st);
	struct corr_place pl;
	struct corr_work w;

	if (k->done) {
		stage_pass(st, r);
		return;
	}
	read_work(c, &w, k, r);
	feed_time(c, w.has_api ? w.api_start : w.start);
	if (w.th != NULL)
		thread_sweep(&c->threads, w.th);
	work_place(c, &w, &pl);
	write_work(c, &w, &pl, r);
	if (c->all_ranges && w.th != NULL)
		proj_work(&c->projs, &w);
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
	/* a graph is named after the call that ran it */
	k->name = rec_col(t, type == W_GRAPH ? "api" : "short", REC_OPT);
	if (gpu)
		k->node = rec_col(t, "node", REC_OPT);
}

/* Ranges. */

static void
read_range(struct corr *c, struct corr_range *x, struct range_cols *k,
    const struct rec *r)
{
	int64_t end_tid, dur, tid = -1;
	size_t n;

	memset(x, 0, sizeof(*x));
	rec_i64(r, k->id, &x->id);
	rec_i64(r, k->start, &x->start);
	x->has_end = rec_i64(r, k->dur, &dur);
	x->end = x->has_end ? num_add(x->start, dur) : INT64_MAX;
	x->backwards = x->end < x->start;
	x->p =
	    proc_of(&c->threads, rec_view(r, k->src), rec_int(r, k->pid, -1));
	x->crossing = !rec_i64(r, k->tid, &tid);
	if (rec_i64(r, k->end_tid, &end_tid) && end_tid != tid)
		x->crossing = true;
	x->nests = raw_text(r, k->mode).s[0] != 's';
	x->th = corr_thread_of(&c->threads, x->p, tid);
	x->text = rec_str(r, k->text, &k->text_buf, &x->n);
	if (x->text == NULL)
		x->n = 0;
	x->domain = rec_str(r, k->domain, &k->domain_buf, &n);
	x->foreign = c->domain != NULL &&
		     strcmp(x->domain != NULL ? x->domain : "", c->domain) != 0;
}

/* The projection's fields pid to text, as they stand in the range's record. */
static void
range_rest(struct range_cols *k, const struct rec *r)
{
	const struct rec_col *const col[] = { k->pid, k->tid, k->domain,
		k->mode, k->text };
	const char *s;
	size_t n, i;

	buf_clear(&k->rest);
	for (i = 0; i < ARRAY_LEN(col); i++) {
		buf_putc(&k->rest, '\t');
		s = rec_raw(r, col[i], &n);
		if (s != NULL)
			buf_put(&k->rest, s, n);
		else
			buf_putc(&k->rest, '-');
	}
}

static void
on_corr_range(struct stage *st, struct rec *r)
{
	struct range_cols *k = rec_arg(r);
	struct corr *c = feed_corr(st);
	const struct corr_open *top;
	struct range_end taken;
	struct corr_range x;
	size_t level, layer_len;

	if (k->level->pos >= 0) { /* correlated already */
		stage_pass(st, r);
		return;
	}
	read_range(c, &x, k, r);
	feed_time(c, x.start);
	thread_sweep(&c->threads, x.th);
	level = x.th->open.n;
	top = thread_top(x.th);
	layer_len = top != NULL ? top->layer_len : 0;
	taken = range_begin(c, &x);
	if (c->all_ranges || taken.kind == MK_USER || taken.kind == MK_LAYER)
		write_range(c, x.th, taken.phase, level, layer_len, r);
	if (c->all_ranges && !x.crossing && !x.backwards) {
		range_rest(k, r);
		proj_begin(&c->projs, &x, &k->rest);
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
}

/* Nodes of CUDA graphs. */

static void
on_node(struct stage *st, struct rec *r)
{
	const struct node_cols *k = rec_arg(r);
	struct corr *c = feed_corr(st);
	struct corr_thread *th = NULL;
	struct corr_proc *p;
	int64_t node, orig = 0;
	struct workrec u;
	bool has_orig;

	stage_pass(st, r);
	workrec_read(&u, &k->cols, r);
	p = proc_of(&c->threads, u.src, u.pid);
	if (u.has_start)
		feed_time(c, u.start);
	if (u.has_tid) {
		th = corr_thread_of(&c->threads, p, u.tid);
		thread_sweep(&c->threads, th);
	}
	has_orig = rec_i64(r, k->orig, &orig);
	if (rec_i64(r, k->node, &node))
		graph_node(c, th, p, node, has_orig, orig);
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

/* The end of the recording, where markers end that were never popped. */
static void
on_corr_meta(struct stage *st, struct rec *r)
{
	static const char key[] = "duration_ns\t";
	struct corr *c = feed_corr(st);
	size_t wlen, n, k = sizeof(key) - 1;
	const char *rest, *w = rec_meta(r, &wlen, &rest, &n);

	if (!text_is(w, wlen, "info"))
		return;
	if (c->hooks.meta != NULL)
		c->hooks.meta(c, rest, n);
	if (text_starts(rest, n, key))
		c->has_end = num_i64(rest + k, n - k, &c->end);
}

static void
begin_section(struct stage *st)
{
	struct corr *c = feed_corr(st);
	int i;

	for (i = 0; i < W_N; i++)
		c->feed->work[i].done = false;
	corr_reset(c);
}

static void
end_section(struct stage *st)
{
	corr_end(feed_corr(st));
}

void
feed_start(struct corr *c, struct stage *st)
{
	int i;

	c->feed = xcalloc(1, sizeof(*c->feed));
	st->ctx = c;
	for (i = 0; i < W_N; i++)
		bind_work(st, &c->feed->work[i], (enum work_type)i);
	bind_range(st, &c->feed->range);
	bind_node(st, &c->feed->node);
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
