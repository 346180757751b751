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

static const char usage[] =
    "usage: dlp-gaps [-u] [-T types] [--drop TYPE[:COLUMNS]]... [file]\n"
    "Adds gap records to a dlp stream: when a device is idle, and why.\n"
    "  -T, --type types  what counts as work: default "
    "kern,copy,set,graph\n" DROP_USAGE
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

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
static const struct gaps_def {
	const char *tag;
	enum gaps_kind kind;
	const char *name;
} defs[] = {
	{ "kern", K_KERN, "short" },
	{ "copy", K_COPY, "kind" },
	{ "set", K_SET, NULL },
	{ "graph", K_GRAPH, "graph" },
	{ "sync", K_SYNC, NULL },
	{ "call", K_CALL, NULL },
	{ "inst", K_INST, "op" },
	{ "range", K_RANGE, "text" },
	{ "os", K_OS, "name" },
	{ "over", K_OVER, "name" },
};

/* A column whose texts become numbers in gaps.names. Most often the text that
 * was there last comes again, so it is kept. */
struct named_col {
	struct rec_col *col; /* NULL: the type has no such column */
	char last[64];
	size_t len; /* of last; 0: none is kept */
	uint32_t no;
};

struct gaps_type {
	const struct gaps_def *def;
	bool counts; /* as work (-T) */
	struct workrec_cols cols;
	struct rec_col *id, *corr, *dst, *op_start;
	struct named_col name, api, iter, phase, layer, op, code;
};

struct gaps_input {
	struct gaps gaps;
	struct gaps_type type[ARRAY_LEN(defs)];
	struct steps_cols cut;
	struct workrec_cols iter;
	struct namerules calls, texts; /* what a thread does, by names */
	struct buf low;
	struct { /* the newest call record, for the work that follows it */
		int64_t pid, corr, end;
		bool has;
	} call;
};

/* The number of a column's text. */
static uint32_t
name_of(struct gaps *g, const struct rec *r, struct named_col *c)
{
	struct mview v = { NULL, 0 };

	if (c->col != NULL)
		v = rec_view(r, c->col);
	if (v.s == NULL)
		return SMAP_NONE;
	if (v.n > 0 && c->len == v.n && memcmp(c->last, v.s, v.n) == 0)
		return c->no;
	if (v.n > sizeof(c->last))
		return smap_put_view(&g->names, v);
	c->len = v.n;
	memcpy(c->last, v.s, v.n);
	return c->no = smap_put_view(&g->names, v);
}

/* What GPU work is called: the kernel, or "copy HtoD", "graph 7", "set". */
static uint32_t
work_name(struct gaps *g, struct gaps_type *k, const struct rec *r)
{
	char text[64];
	size_t n = strlen(k->def->tag);
	struct mview v;

	if (k->def->kind == K_KERN)
		return name_of(g, r, &k->name);
	memcpy(text, k->def->tag, n);
	if (k->def->kind != K_SET) {
		text[n++] = ' ';
		v = rec_view(r, k->name.col);
		if (v.n >= sizeof(text) - n)
			v.n = 0;
		if (v.n > 0)
			memcpy(text + n, v.s, v.n);
		n += v.n;
	}
	return smap_put(&g->names, text, n, NULL);
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
did_of_call(struct gaps_input *in, struct gaps_type *k, const struct rec *r)
{
	if (rec_is(r, k->dst, "pageable"))
		return D_SYNC;
	return did_of_name(in, name_of(&in->gaps, r, &k->api), true);
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
add_open_op(struct gaps_input *in, struct gap_file *f, struct gaps_type *k,
    const struct rec *r, const struct workrec *w)
{
	struct act a = { .name = name_of(&in->gaps, r, &k->op),
		.end = w->api,
		.where = SMAP_NONE,
		.code = SMAP_NONE };

	if (a.name == SMAP_NONE || !rec_i64(r, k->op_start, &a.start))
		return;
	a.did = did_of_name(in, a.name, false);
	if (a.did == D_N)
		a.did = D_OP;
	add_did(&in->gaps, f, w, a);
}

static void
add_work(struct gaps_input *in, struct gap_file *f, struct gaps_type *k,
    const struct rec *r, const struct workrec *w)
{
	struct gaps *g = &in->gaps;
	struct gap_work x = { .pid = w->pid,
		.tid = w->tid,
		.has_tid = w->has_tid,
		.has_api = w->has_api,
		.api = w->api,
		.api_end = w->api_end };
	struct mview api = rec_view(r, k->api.col);

	x.call = name_of(g, r, &k->api);
	x.code = name_of(g, r, &k->code);
	x.did = did_of_call(in, k, r);
	x.of_graph = mv_starts(api, "cudaGraphLaunch") ||
		     mv_starts(api, "cuGraphLaunch");
	x.label =
	    (struct gap_label){ work_name(g, k, r), name_of(g, r, &k->iter),
		    name_of(g, r, &k->phase), name_of(g, r, &k->layer),
		    name_of(g, r, &k->op), rec_int(r, k->id, -1) };
	gaps_work(g, f, w->dev, w->start, w->end, &x);
}

/* What the thread does in a call. */
static void
add_call(struct gaps_input *in, struct gap_file *f, struct gaps_type *k,
    const struct rec *r, const struct workrec *w, int64_t start, int64_t end)
{
	struct gaps *g = &in->gaps;

	add_did(g, f, w,
	    (struct act){ .start = start,
		.end = end,
		.did = did_of_call(in, k, r),
		.name = name_of(g, r, &k->api),
		.where = name_of(g, r, &k->op),
		.code = name_of(g, r, &k->code) });
}

static void
read_gpu_work(struct stage *st, struct rec *r)
{
	struct gaps_input *in = st->ctx;
	struct gaps *g = &in->gaps;
	struct gaps_type *k = rec_arg(r);
	struct gap_file *f;
	struct workrec w;
	int64_t corr, now;
	bool ran;

	stage_pass(st, r);
	workrec_read(&w, &k->cols, r);
	f = gaps_file(g, w.src);
	/* the launch of a graph has its call's length only in the call's
	 * record, which is right before it */
	if (w.has_api && !w.has_api_dur && in->call.has &&
	    in->call.pid == w.pid && rec_i64(r, k->corr, &corr) &&
	    corr == in->call.corr)
		w.api_end = in->call.end;
	now = w.has_api ? w.api : w.start;
	g->now = now > g->now ? now : g->now;
	ran = w.has_dur && k->def->kind != K_SYNC;
	if (w.has_api)
		gaps_event(f, w.api, w.api_end);
	if (ran && w.has_dev)
		gaps_event(f, w.start, w.end);
	if (ran && f->steps.n > 0 && w.iter.s != NULL)
		steps_work(&f->steps, w.end);
	if (w.has_api)
		add_open_op(in, f, k, r, &w);
	if (k->counts && w.has_dur && w.has_dev)
		add_work(in, f, k, r, &w);
	if (w.has_api)
		add_call(in, f, k, r, &w, w.api, w.api_end);
}

static void
read_call(struct stage *st, struct rec *r)
{
	struct gaps_input *in = st->ctx;
	struct gaps *g = &in->gaps;
	struct gaps_type *k = rec_arg(r);
	struct gap_file *f;
	struct workrec w;

	stage_pass(st, r);
	workrec_read(&w, &k->cols, r);
	f = gaps_file(g, w.src);
	if (!w.has_start)
		return;
	g->now = w.start > g->now ? w.start : g->now;
	gaps_event(f, w.start, w.end);
	in->call.pid = w.pid;
	in->call.end = w.end;
	in->call.has = rec_i64(r, k->corr, &in->call.corr);
	add_call(in, f, k, r, &w, w.start, w.end);
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
	struct gaps_type *k = rec_arg(r);
	struct mview name = rec_view(r, k->name.col), head = name;
	struct act a = { .where = SMAP_NONE, .code = SMAP_NONE };
	struct gap_file *f;
	struct workrec w;

	stage_pass(st, r);
	workrec_read(&w, &k->cols, r);
	f = gaps_file(&in->gaps, w.src);
	if (!w.has_dur)
		return;
	if (k->def->kind == K_INST)
		gaps_event(f, w.start, w.end);
	a.start = w.start;
	a.end = w.end;
	if (name.s != NULL) /* without what makes each one differ */
		head.n = stem_len(name.s, name.n);
	a.name = smap_put_view(&in->gaps.names, head);
	if (k->def->kind == K_OS)
		a.did = D_OS;
	else if (k->def->kind == K_OVER)
		a.did =
		    name.s != NULL ? of_over[over_of(name.s, name.n)] : D_OVER;
	else if ((a.did = did_of_name(in, a.name, false)) == D_N)
		a.did = k->def->kind == K_INST ? D_OP : D_RANGE;
	if (a.did != D_N)
		add_did(&in->gaps, f, &w, a);
}

static void
read_cut(struct stage *st, struct rec *r)
{
	struct gaps_input *in = st->ctx;
	struct gap_file *f = gaps_file(&in->gaps, rec_view(r, in->cut.src));
	bool dropped;

	stage_pass(st, r);
	steps_read(&f->steps, &in->cut, r, &dropped);
}

/* The last iteration may end after all that happens in it. */
static void
read_iter(struct stage *st, struct rec *r)
{
	struct gaps_input *in = st->ctx;
	struct workrec w;

	stage_pass(st, r);
	workrec_read(&w, &in->iter, r);
	if (w.has_dur)
		gaps_event(gaps_file(&in->gaps, w.src), w.end, w.end);
}

static void
forget_gaps(struct stage *st)
{
	struct gaps_input *in = st->ctx;
	struct gaps_type *k;

	gaps_clear(&in->gaps);
	in->call.has = false;
	for (k = in->type; k < in->type + ARRAY_LEN(in->type); k++) {
		k->name.len = k->api.len = k->iter.len = 0;
		k->phase.len = k->layer.len = k->op.len = k->code.len = 0;
	}
}

static void
finish_gaps(struct stage *st)
{
	struct gaps_input *in = st->ctx;

	gaps_end(&in->gaps);
}

/* list: of types of GPU work that count; comma separated. It is changed. */
static void
count_types(struct gaps_input *in, const char *list)
{
	int i, n;
	char **v = cli_list(list, &n);
	size_t t;

	for (i = 0; i < n; i++) {
		for (t = 0; defs[t].kind < K_SYNC; t++)
			if (strcmp(v[i], defs[t].tag) == 0)
				break;
		if (defs[t].kind >= K_SYNC)
			die("-T: '%s' is none of kern, copy, set, graph", v[i]);
		in->type[t].counts = true;
	}
	free(v);
}

static void
listen_type(struct stage *st, struct gaps_type *k)
{
	stage_fn *fn = k->def->kind <= K_SYNC   ? read_gpu_work
		       : k->def->kind == K_CALL ? read_call
						: read_thread_time;
	unsigned opt = WORKREC_THREAD | WORKREC_SRC;
	struct rec_type *t = stage_on(st, k->def->tag, fn, NULL, k);

	if (k->def->kind <= K_SYNC)
		opt |= WORKREC_CALL | WORKREC_DEV | WORKREC_ITER;
	workrec_bind(&k->cols, t, WORKREC_SPAN, opt);
	REC_COLS(t, REC_OPT, { &k->id, "id" }, { &k->corr, "corr" },
	    { &k->dst, "dst_mem" }, { &k->op_start, "op_start_ns" },
	    { &k->api.col, "api" }, { &k->iter.col, "iter" },
	    { &k->phase.col, "phase" }, { &k->layer.col, "layer" },
	    { &k->op.col, "op" }, { &k->code.col, "code" });
	if (k->def->name != NULL)
		k->name.col = rec_col(t, k->def->name, REC_OPT);
}

static void
listen_all(struct stage *st, struct gaps_input *in)
{
	static const char *const notes[] = { "gaps_started_early",
		"gaps_past_forgotten", "gaps_undecided", NULL };
	size_t i;

	st->ctx = in;
	st->section = forget_gaps;
	st->end = finish_gaps;
	for (i = 0; i < ARRAY_LEN(defs); i++) {
		in->type[i].def = &defs[i];
		listen_type(st, &in->type[i]);
	}
	steps_bind(&in->cut, stage_on(st, "cut", read_cut, NULL, NULL));
	workrec_bind(&in->iter, stage_on(st, "iter", read_iter, NULL, NULL),
	    WORKREC_SPAN, WORKREC_SRC);
	stage_anew(st, notes);
}

int
main(int argc, char **argv)
{
	static const char *const words[] = { "CLASS" };
	const char *types = "kern,copy,set,graph";
	const struct cli_opt opts[] = {
		{ 'T', "type", .arg = &types },
		DROP_OPTION,
		{ 0 },
	};
	struct gaps_input in = { 0 };
	struct stage st;
	int rc;

	stage_start(&st, "dlp-gaps", usage, opts, argc, argv);
	count_types(&in, types);
	namerules_parse(&in.calls, "gap-calls.rules",
	    shipped_text("gap-calls.rules"), words, ARRAY_LEN(words));
	namerules_parse(&in.texts, "gap-texts.rules",
	    shipped_text("gap-texts.rules"), words, ARRAY_LEN(words));
	listen_all(&st, &in);
	rc = stage_run(&st);
	gaps_clear(&in.gaps);
	namerules_free(&in.calls);
	namerules_free(&in.texts);
	buf_free(&in.low);
	return out_finish(rc);
}
