/*
 * Reads the stream's records (sections, work, ranges and graph nodes) and turns
 * each into the struct that the rest of the command uses. Work is GPU
 * activities and API calls. Records that already have ops (from this command,
 * or from the reader of DLProf's own database) are passed on unchanged.
 */
#include "corr.h"

#include <string.h>

#include "num.h"
#include "stage.h"
#include "workrec.h"

/* A record of the process at that time: time goes on, which closes what has
 * ended by then. A record that is older than one before it is counted, and time
 * stays. Returns its thread, or NULL. */
static struct corr_thread *
arrive(struct corr *c, struct corr_proc *p, const int64_t *time,
    const int64_t *tid)
{
	struct corr_thread *th = NULL;

	if (time != NULL && *time < c->threads.now)
		c->n.late++;
	else if (time != NULL)
		corr_now(c, *time);
	if (tid != NULL) {
		th = corr_thread_of(&c->threads, p, *tid);
		thread_sweep(&c->threads, th);
	}
	return th;
}

static const char *const work_tags[W_N] = { "kern", "copy", "set", "sync",
	"graph", "call" };

static void
on_corr_work(struct stage *st, struct rec *rec)
{
	struct corr *c = st->ctx;
	struct out_ext **ext = rec_arg(rec);
	enum work_type type = (enum work_type)(ext - c->types.work);
	struct corr_place pl;
	struct corr_work work;
	struct workrec u;
	int64_t at;

	if (rec_has(rec->type, COL_op_id)) { /* the input already has ops */
		stage_pass(st, rec);
		return;
	}
	work_read(&u, rec);
	work = (struct corr_work){ .type = type,
		.start = u.start,
		.end = u.end,
		.has_gpu = u.has_dur,
		/* if the call is an interval, it has no record of its own */
		.has_api = u.has_api,
		.own_call = u.has_api_dur || u.api_end != u.api,
		.api_start = u.api,
		.api_end = u.api_end,
		.corr = u.has_corr ? u.corr : 0,
		.dev = u.dev,
		.name_id = rec_num_or(rec, COL_name_id, -1) };
	if (type == W_CALL) {
		work.has_api = work.own_call = true;
		work.api_start = u.start;
		work.api_end = u.end;
	}
	rec_num(rec, COL_id, &work.id);
	work.has_node = rec_num(rec, COL_node, &work.node);
	/* a graph is named after the call that launched it */
	work.what = rec_get(rec, type == W_GRAPH ? COL_api : COL_short);
	if (work.what.n == 0)
		work.what = rec_get(rec, COL_api);
	if (work.what.n == 0)
		work.what =
		    (struct mview){ work_tags[type], strlen(work_tags[type]) };
	work.p = proc_of(&c->threads, u.src, u.pid);
	at = work_launched(&work);
	work.th =
	    arrive(c, work.p, &at, work.has_api && u.has_tid ? &u.tid : NULL);
	if (type == W_KERN && !c->comms.off)
		work.comm = comm_of_name(&c->comms, work.name_id, work.what);
	if (type == W_KERN)
		dtype_copy(&c->dtypes, work.th, work.name_id);
	work_place(c, &work, &pl);
	write_work(c, &work, &pl, rec);
	if (c->all_ranges && work.th != NULL)
		proj_work(&c->projs, &work);
}

static void
work_legend(struct stage *st, struct rec *r)
{
	struct out_ext **ext = rec_arg(r);

	if (rec_has(r->type, COL_op_id))
		stage_pass(st, r);
	else
		out_ext_legend(*ext, r);
}

/* Strings: full names of kernels. */
static void
on_corr_str(struct stage *st, struct rec *r)
{
	struct corr *c = st->ctx;
	struct mview text = rec_get(r, COL_text);
	int64_t id;

	stage_pass(st, r);
	if (!rec_num(r, COL_id, &id))
		return;
	if (text_is_long(id)) {
		map_put(&c->texts.written, (uint64_t)id, NULL);
	} else if (!c->comms.off) {
		if (text.s == NULL)
			text.s = "";
		comm_string(&c->comms, id, text);
		dtype_string(&c->dtypes, id, text);
	}
}

static void
str_legend(struct stage *st, struct rec *r)
{
	struct corr *c = st->ctx;

	c->texts.n = rec_ncols(r->type);
	c->texts.id = r->type->at[COL_id];
	c->texts.text = r->type->at[COL_text];
	stage_pass(st, r);
}

static void
on_corr_range(struct stage *st, struct rec *rec)
{
	struct corr *c = st->ctx;
	const struct corr_open *top;
	struct range_end taken;
	struct corr_range range;
	size_t level, layer_len, n;
	int64_t end_tid, dur, tid;
	struct mview mode;

	/* only a range that was correlated already has a level */
	if (rec_has(rec->type, COL_level)) {
		stage_pass(st, rec);
		return;
	}
	tid = -1;
	mode = rec_get(rec, COL_mode);
	memset(&range, 0, sizeof(range));
	rec_num(rec, COL_id, &range.id);
	rec_num(rec, COL_start_ns, &range.start);
	range.has_end = rec_num(rec, COL_dur_ns, &dur);
	range.end = range.has_end ? num_add(range.start, dur) : INT64_MAX;
	range.backwards = range.end < range.start;
	range.p = proc_of(
	    &c->threads, rec_get(rec, COL_src), rec_num_or(rec, COL_pid, -1));
	range.crossing = !rec_num(rec, COL_tid, &tid);
	if (rec_num(rec, COL_end_tid, &end_tid) && end_tid != tid)
		range.crossing = true;
	range.nests = mode.s == NULL || mode.s[0] != 's';
	range.text = rec_text(rec, COL_text, &c->text, &range.n);
	if (range.text == NULL)
		range.n = 0;
	range.domain = rec_text(rec, COL_domain, &c->domain_buf, &n);
	range.foreign =
	    c->domain != NULL &&
	    strcmp(range.domain != NULL ? range.domain : "", c->domain) != 0;
	range.th = arrive(c, range.p, &range.start, &tid);
	/* the range's own level and layer: those before range_begin() opens it
	 */
	level = range.th->open.n;
	top = thread_top(range.th);
	layer_len = top != NULL ? top->layer_len : 0;
	taken = range_begin(c, &range);
	if (c->all_ranges || taken.kind == MK_USER || taken.kind == MK_LAYER)
		write_range(c, range.th, taken.phase, level, layer_len, rec);
	else if (c->nested && !range.backwards && taken.inner)
		write_nest(&c->types, level, rec);
	if (c->all_ranges && !range.crossing && !range.backwards)
		c->n.unprojected += !proj_begin(&c->projs, &range, rec);
}

static void
range_legend(struct stage *st, struct rec *r)
{
	struct corr *c = st->ctx;

	if (rec_has(r->type, COL_level))
		stage_pass(st, r);
	else
		out_ext_legend(c->types.range, r);
}

/* The process of a record and, if it names one, its thread. */
static struct corr_thread *
read_place(struct corr *c, const struct rec *rec, struct corr_proc **proc)
{
	struct workrec w;

	work_read(&w, rec);
	*proc = proc_of(&c->threads, w.src, w.pid);
	return arrive(
	    c, *proc, w.has_start ? &w.start : NULL, w.has_tid ? &w.tid : NULL);
}

/* Nodes of CUDA graphs. */
static void
on_node(struct stage *st, struct rec *rec)
{
	struct corr *c = st->ctx;
	int64_t node, orig = 0;
	struct corr_thread *th;
	struct corr_proc *proc;
	bool has_orig;

	stage_pass(st, rec);
	th = read_place(c, rec, &proc);
	has_orig = rec_num(rec, COL_orig, &orig);
	if (rec_num(rec, COL_node, &node))
		graph_node(c, th, proc, node, has_orig, orig);
}

/* Memory of an allocator, which names the thread. Other memory has its API
 * call, by which dlp-mem finds where it is made. */

/* True if there is no thread, or the input has the columns already. */
static bool
passes_alloc(const struct rec_type *t)
{
	return !rec_has(t, COL_tid) || rec_has(t, COL_at);
}

static void
on_alloc(struct stage *st, struct rec *rec)
{
	struct corr *c = st->ctx;
	struct corr_thread *th;
	struct corr_proc *proc;

	if (passes_alloc(rec->type)) {
		stage_pass(st, rec);
		return;
	}
	th = read_place(c, rec, &proc);
	write_alloc(c, proc, th, rec);
}

static void
alloc_legend(struct stage *st, struct rec *rec)
{
	struct corr *c = st->ctx;

	if (passes_alloc(rec->type))
		stage_pass(st, rec);
	else
		out_ext_legend(c->types.alloc, rec);
}

/* ##info: duration_ns is the end of the recording. A marker that ends there was
 * never popped. */
static void
on_corr_meta(struct stage *st, struct rec *rec)
{
	static const char key[] = "duration_ns\t";
	struct corr *c = st->ctx;
	size_t wlen, n, k = sizeof(key) - 1;
	const char *rest, *w = rec_meta(rec, &wlen, &rest, &n);

	if (!text_is(w, wlen, "info"))
		return;
	if (c->ops.dl != NULL)
		dl_meta(c, (struct mview){ rest, n });
	c->ops.groups |=
	    c->ops.n_no == 0 && text_starts(rest, n, "process_groups\t");
	c->quiet |= text_is(rest, n, "markers\talternate");
	if (text_starts(rest, n, key))
		c->has_end = num_i64(rest + k, n - k, &c->end);
}

void
feed_start(struct corr *c, struct stage *st)
{
	int i;

	st->ctx = c;
	for (i = 0; i < W_N; i++)
		stage_on(st, work_tags[i], on_corr_work,
		    .need = i == W_CALL ? "start_ns dur_ns tid"
					: "start_ns dur_ns api_start_ns"
					  " api_dur_ns tid",
		    .opt = i == W_CALL   ? "pid corr src id api op_id short"
			   : i == W_KERN ? "pid corr src dev id api op_id short"
					   " node name_id"
					 : "pid corr src dev id api op_id short"
					   " node",
		    .legend = work_legend, .arg = &c->types.work[i]);
	stage_on(
	    st, "str", on_corr_str, .opt = "id text", .legend = str_legend);
	stage_on(st, "range", on_corr_range, .need = "start_ns dur_ns tid text",
	    .opt = "id pid src end_tid domain mode level",
	    .legend = range_legend);
	stage_on(st, "node", on_node, .need = "start_ns tid node orig",
	    .opt = "pid src");
	stage_on(st, "mem", on_alloc, .only_for = "mem", .need = "start_ns",
	    .opt = "pid tid src at", .legend = alloc_legend);
	st->section = corr_section;
	st->end = corr_end;
	st->meta = on_corr_meta;
}
