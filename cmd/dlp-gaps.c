/*
 * dlp-gaps: the times at which a GPU idles between two pieces of work, and
 * what the thread did that launched the second one. Here are the options and
 * the records that are read; gaps.h has the rest.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "drop.h"
#include "err.h"
#include "namerule.h"
#include "num.h"
#include "over.h"
#include "shipped.h"
#include "stage.h"
#include "words.h"
#include "workrec.h"
#include "dlp-gaps/gaps.h"

const struct did_words did_words[D_RANGE + 1] = {
	[D_DATA] = { "dataload", "dataloader" },
	[D_COMM] = { "comm", "comm-wait" },
	[D_OVER] = { "profiler", "profiler" },
	[D_ALLOC] = { "api", "allocation" },
	[D_LOAD] = { "api", "module-load" },
	[D_GRAPH] = { "api", "graph-update" },
	[D_SYNC] = { "api", "sync" },
	[D_OS] = { "os", "os-wait" },
	[D_API] = { "api", "launch-bound" },
	[D_OP] = { "op", "launch-bound" },
	[D_N] = { "nothing", "unknown" },
	[D_RANGE] = { "range", "host-only" },
};

enum gaps_kind {
	K_KERN,
	K_COPY,
	K_SET,
	K_GRAPH,
	K_SYNC,
	K_CALL,
	K_INST,
	K_RANGE,
	K_OS,
	K_OVER
};

/* The types that are read, and the column that names the record. */
static const struct gaps_type {
	const char *tag;
	enum gaps_kind kind;
	int name;
} types[] = {
	{ "kern", K_KERN, COL_short },
	{ "copy", K_COPY, COL_kind },
	{ "set", K_SET, COL_kind },
	{ "graph", K_GRAPH, COL_graph },
	{ "sync", K_SYNC, COL_kind },
	{ "call", K_CALL, COL_name },
	{ "inst", K_INST, COL_op },
	{ "range", K_RANGE, COL_text },
	{ "os", K_OS, COL_name },
	{ "over", K_OVER, COL_name },
};

/* Columns whose texts become numbers in gaps.names. */
enum { N_SHORT, N_API, N_ITER, N_PHASE, N_LAYER, N_OP, N_CODE, N_NAMES };
static const int name_cols[N_NAMES] = { COL_short, COL_api, COL_iter, COL_phase,
	COL_layer, COL_op, COL_code };

struct gaps_input {
	struct gaps gaps;
	unsigned counts; /* as work (-T): a bit by kind */
	struct { /* most often the text that was there last comes again */
		char text[64];
		size_t len; /* 0: none is kept */
		uint32_t no;
	} last[N_NAMES];
	struct namerules calls, texts; /* what a thread does, by names */
	struct buf low;
	struct { /* the newest call record, for the work that follows it */
		int64_t pid, corr, end;
		bool has;
	} call;
};

/* The number of a column's text. */
static uint32_t
name_of(struct gaps_input *in, const struct rec *r, int col)
{
	struct mview v = rec_get(r, name_cols[col]);

	if (v.s == NULL)
		return SMAP_NONE;
	if (v.n > 0 && in->last[col].len == v.n &&
	    memcmp(in->last[col].text, v.s, v.n) == 0)
		return in->last[col].no;
	if (v.n > sizeof(in->last[col].text))
		return smap_put_view(&in->gaps.names, v);
	in->last[col].len = v.n;
	memcpy(in->last[col].text, v.s, v.n);
	return in->last[col].no = smap_put_view(&in->gaps.names, v);
}

/* What GPU work is called: the kernel, or "copy HtoD", "graph 7", "set". */
static uint32_t
work_name(struct gaps_input *in, const struct gaps_type *k, const struct rec *r)
{
	char text[64];
	size_t n = strlen(k->tag);
	struct mview v;

	if (k->kind == K_KERN)
		return name_of(in, r, N_SHORT);
	memcpy(text, k->tag, n);
	if (k->kind != K_SET) {
		text[n++] = ' ';
		v = rec_get(r, k->name);
		if (v.n >= sizeof(text) - n)
			v.n = 0;
		if (v.n > 0)
			memcpy(text + n, v.s, v.n);
		n += v.n;
	}
	return smap_put(&in->gaps.names, text, n, NULL);
}

/* What a name tells of a call (api), or of a range or op: found out once and
 * kept with the name, a byte each. */
static enum did
did_of_name(struct gaps_input *in, uint32_t no, bool api)
{
	const struct namerule *u;
	struct mview v;
	uint64_t *known;
	int shift = api ? 0 : 8, d = api ? D_API : D_N;

	if (no == SMAP_NONE)
		return (enum did)d;
	known = &in->gaps.names.val[no];
	if ((*known >> shift & 0xff) == 0) {
		v = smap_view(&in->gaps.names, no);
		buf_clear(&in->low);
		name_lower(&in->low, v.s, v.n);
		u = namerules_find(
		    api ? &in->calls : &in->texts, in->low.s, in->low.len);
		if (u != NULL)
			for (d = 0;
			     strcmp(did_words[d].class, u->word[0]) != 0;)
				d++;
		*known |= (uint64_t)(d + 1) << shift;
	}
	return (enum did)((*known >> shift & 0xff) - 1);
}

/* A copy to pageable memory returns when it is done. */
static enum did
did_of_call(struct gaps_input *in, const struct rec *r)
{
	if (mv_eq(rec_get(r, COL_dst_mem), "pageable"))
		return D_SYNC;
	return did_of_name(in, name_of(in, r, N_API), true);
}

static void
add_did(
    struct gaps *g, struct gap_file *f, const struct workrec *w, struct act a)
{
	a.tid = w->tid;
	if (w->has_tid && a.end > a.start)
		gaps_did(g, f, w->pid, a);
}

/* The op that is open at the launch. */
static void
add_open_op(struct gaps_input *in, struct gap_file *f, const struct rec *r,
    const struct workrec *w)
{
	struct act a = { .name = name_of(in, r, N_OP),
		.end = w->api,
		.where = SMAP_NONE,
		.code = SMAP_NONE };

	if (a.name == SMAP_NONE || !rec_num(r, COL_op_start_ns, &a.start))
		return;
	a.did = did_of_name(in, a.name, false);
	if (a.did == D_N)
		a.did = D_OP;
	add_did(&in->gaps, f, w, a);
}

static void
add_work(struct gaps_input *in, struct gap_file *f, const struct rec *r,
    const struct workrec *w)
{
	struct gap_work x = { .pid = w->pid,
		.tid = w->tid,
		.has_tid = w->has_tid,
		.has_api = w->has_api,
		.api = w->api,
		.api_end = w->api_end };
	struct mview api = rec_get(r, COL_api);

	map_put(&f->streams,
	    (uint64_t)w->dev << 48 ^ (uint64_t)rec_num_or(r, COL_stream, -1),
	    &x.first);
	x.call = name_of(in, r, N_API);
	x.code = name_of(in, r, N_CODE);
	x.did = did_of_call(in, r);
	x.of_graph = mv_starts(api, "cudaGraphLaunch") ||
		     mv_starts(api, "cuGraphLaunch");
	x.label = (struct gap_label){ work_name(in, rec_arg(r), r),
		name_of(in, r, N_ITER), name_of(in, r, N_PHASE),
		name_of(in, r, N_LAYER), name_of(in, r, N_OP),
		rec_num_or(r, COL_id, -1) };
	gaps_work(&in->gaps, f, w->dev, w->start, w->end, &x);
}

/* What the thread does in a call. */
static void
add_call(struct gaps_input *in, struct gap_file *f, const struct rec *r,
    const struct workrec *w)
{
	add_did(&in->gaps, f, w,
	    (struct act){ .start = w->api,
		.end = w->api_end,
		.did = did_of_call(in, r),
		.name = name_of(in, r, N_API),
		.where = name_of(in, r, N_OP),
		.code = name_of(in, r, N_CODE) });
}

static void
read_gpu_work(struct stage *st, struct rec *r)
{
	struct gaps_input *in = st->ctx;
	struct gaps *g = &in->gaps;
	const struct gaps_type *k = rec_arg(r);
	struct gap_file *f;
	struct workrec w;
	int64_t now;
	bool ran;

	stage_pass(st, r);
	work_read(&w, r);
	f = gaps_file(g, w.src);
	/* the launch of a graph has its call's length only in the call's
	 * record, which is right before it */
	if (w.has_api && !w.has_api_dur && in->call.has &&
	    in->call.pid == w.pid && w.has_corr && w.corr == in->call.corr)
		w.api_end = in->call.end;
	now = w.has_api ? w.api : w.start;
	g->now = now > g->now ? now : g->now;
	ran = w.has_dur && k->kind != K_SYNC;
	if (w.has_api)
		extent_add(&f->event, w.api, w.api_end);
	if (ran && w.has_dev)
		extent_add(&f->event, w.start, w.end);
	if (ran && f->steps.n > 0 && w.iter.s != NULL)
		steps_work(&f->steps, w.end);
	if (w.has_api)
		add_open_op(in, f, r, &w);
	if ((in->counts >> k->kind & 1) != 0 && w.has_dur && w.has_dev)
		add_work(in, f, r, &w);
	if (w.has_api)
		add_call(in, f, r, &w);
}

static void
read_call(struct stage *st, struct rec *r)
{
	struct gaps_input *in = st->ctx;
	struct gaps *g = &in->gaps;
	struct gap_file *f;
	struct workrec w;

	stage_pass(st, r);
	work_read(&w, r);
	f = gaps_file(g, w.src);
	if (!w.has_start)
		return;
	g->now = w.start > g->now ? w.start : g->now;
	extent_add(&f->event, w.start, w.end);
	in->call.pid = w.pid;
	in->call.end = w.end;
	in->call.corr = w.corr;
	in->call.has = w.has_corr;
	w.api = w.start;
	w.api_end = w.end;
	add_call(in, f, r, &w);
}

/* What a thread does outside of calls. Runs of ops come when they end, the
 * others when they begin. */
static void
read_thread_time(struct stage *st, struct rec *r)
{
	static const enum did of_over[] = {
		[OVER_PROFILER] = D_OVER,
		[OVER_LOAD] = D_LOAD,
		[OVER_QUEUE] = D_SYNC,
		[OVER_UNKNOWN] = D_N,
	};
	struct gaps_input *in = st->ctx;
	const struct gaps_type *k = rec_arg(r);
	struct mview name = rec_get(r, k->name), head = name;
	struct act a = { .where = SMAP_NONE, .code = SMAP_NONE };
	struct gap_file *f;
	struct workrec w;

	stage_pass(st, r);
	work_read(&w, r);
	f = gaps_file(&in->gaps, w.src);
	if (!w.has_dur)
		return;
	if (k->kind == K_INST)
		extent_add(&f->event, w.start, w.end);
	a.start = w.start;
	a.end = w.end;
	if (name.s != NULL) /* without what makes each one differ */
		head.n = stem_len(name.s, name.n);
	a.name = smap_put_view(&in->gaps.names, head);
	if (k->kind == K_OS)
		a.did = D_OS;
	else if (k->kind == K_OVER)
		a.did =
		    name.s != NULL ? of_over[over_of(name.s, name.n)] : D_OVER;
	else if ((a.did = did_of_name(in, a.name, false)) == D_N)
		a.did = k->kind == K_INST ? D_OP : D_RANGE;
	if (a.did != D_N)
		add_did(&in->gaps, f, &w, a);
}

static void
read_cut(struct stage *st, struct rec *r)
{
	struct gaps *g = &((struct gaps_input *)st->ctx)->gaps;
	bool dropped;

	stage_pass(st, r);
	steps_read(&gaps_file(g, rec_get(r, COL_src))->steps, r, &dropped);
}

/* The last iteration may end after all that happens in it. */
static void
read_iter(struct stage *st, struct rec *r)
{
	struct gaps_input *in = st->ctx;
	struct workrec w;

	stage_pass(st, r);
	work_read(&w, r);
	if (w.has_dur)
		extent_add(&gaps_file(&in->gaps, w.src)->event, w.end, w.end);
}

static void
forget_gaps(struct stage *st)
{
	struct gaps_input *in = st->ctx;
	size_t i;

	gaps_clear(&in->gaps);
	in->call.has = false;
	for (i = 0; i < N_NAMES; i++)
		in->last[i].len = 0;
}

static void
finish_gaps(struct stage *st)
{
	gaps_end(&((struct gaps_input *)st->ctx)->gaps);
}

/* list: of types of GPU work that count, comma separated. */
static void
count_types(struct gaps_input *in, const char *list)
{
	int i, n;
	char **v = cli_list(list, &n);
	size_t t;

	for (i = 0; i < n; i++) {
		for (t = 0; types[t].kind < K_SYNC; t++)
			if (strcmp(v[i], types[t].tag) == 0)
				break;
		if (types[t].kind >= K_SYNC)
			die("-T: '%s' is not one of kern, copy, set, graph",
			    v[i]);
		in->counts |= 1u << types[t].kind;
	}
	free(v);
}

#define TIME_COLS "pid tid src short kind graph name text op"
#define CALL_COLS TIME_COLS " corr dst_mem api code"
#define WORK_COLS                                                              \
	CALL_COLS                                                              \
	" api_start_ns api_dur_ns dev stream iter id op_start_ns phase layer"

static void
listen_all(struct stage *st)
{
	static const char *const notes[] = { "gaps_started_early",
		"gaps_past_forgotten", "gaps_undecided", NULL };
	const struct gaps_type *t;

	for (t = types; t < types + ARRAY_LEN(types); t++)
		stage_on(st, t->tag,
		    t->kind <= K_SYNC   ? read_gpu_work
		    : t->kind == K_CALL ? read_call
					: read_thread_time,
		    .need = "start_ns dur_ns",
		    .opt = t->kind <= K_SYNC   ? WORK_COLS
			   : t->kind == K_CALL ? CALL_COLS
					       : TIME_COLS,
		    .arg = (void *)t);
	stage_on(st, "cut", read_cut, .need = "start_ns", .opt = STEPS_COLS);
	stage_on(
	    st, "iter", read_iter, .need = "start_ns dur_ns", .opt = "src");
	stage_anew(st, notes);
}

int
main(int argc, char **argv)
{
	static const char *const words[] = { "CLASS" };
	const char *list = "kern,copy,set,graph";
	const struct cli_opt opts[] = {
		{ 'T', "type", .arg = &list },
		DROP_OPTION,
		{ 0 },
	};
	struct gaps_input in = { 0 };
	struct stage st;
	int rc;

	stage_start(&st, "dlp-gaps", opts, argc, argv);
	count_types(&in, list);
	namerules_parse(&in.calls, "gap-calls.rules",
	    shipped_text("gap-calls.rules"), words, ARRAY_LEN(words));
	namerules_parse(&in.texts, "gap-texts.rules",
	    shipped_text("gap-texts.rules"), words, ARRAY_LEN(words));
	st.ctx = &in;
	st.section = forget_gaps;
	st.end = finish_gaps;
	listen_all(&st);
	rc = stage_run(&st);
	gaps_clear(&in.gaps);
	namerules_free(&in.calls);
	namerules_free(&in.texts);
	buf_free(&in.low);
	return out_finish(rc);
}
