/* From records to events: which columns of which type. */
#include <stdlib.h>

#include "err.h"
#include "read.h"
#include "reports.h"
#include "stack.h"

enum type {
	T_KERN,
	T_COPY,
	T_SET,
	T_SYNC,
	T_GRAPH,
	T_CALL,
	T_RANGE,
	T_OS,
	T_STR,
	T_DEV,
	T_N
};

static const char *const tags[T_N] = { "kern", "copy", "set", "sync", "graph",
	"call", "range", "os", "str", "dev" };

enum col {
	C_ID,
	C_START,
	C_DUR,
	C_PID,
	C_TID,
	C_DEV,
	C_CTX,
	C_STREAM,
	C_CORR,
	C_API,
	C_API_START,
	C_API_DUR,
	C_SHORT,
	C_NAME_ID,
	C_GRID,
	C_BLOCK,
	C_REGS,
	C_SMEM,
	C_DYNSMEM,
	C_KIND,
	C_BYTES,
	C_SRC_MEM,
	C_DST_MEM,
	C_MEM,
	C_N_GPU,
	C_END_TID,
	C_DOMAIN,
	C_MODE,
	C_TEXT,
	C_NAME,
	C_BASE,
	C_MANGLED,
	C_SRC,
	C_N
};

static const char *const names[C_N] = { "id", "start_ns", "dur_ns", "pid",
	"tid", "dev", "ctx", "stream", "corr", "api", "api_start_ns",
	"api_dur_ns", "short", "name_id", "grid", "block", "regs", "smem_bytes",
	"dynsmem_bytes", "kind", "bytes", "src_mem", "dst_mem", "mem", "n_gpu",
	"end_tid", "domain", "mode", "text", "name", "base", "mangled", "src" };

static struct {
	struct rec_type *type;
	struct rec_col *c[C_N];
} ty[T_N];

static bool wants_api, wants_stack, any;
static uint64_t no_dur;
static struct buf src; /* the file's name, if records have it */

/* Calls with several activities: those that follow lie at the same time. */
static struct several {
	int64_t pid, corr, start, dur;
} * several;
static size_t nseveral, severalcap;

static struct text
text(const struct rec *r, enum type t, enum col c)
{
	struct text x = { 0 };

	x.s = rec_raw(r, ty[t].c[c], &x.n);
	return x;
}

static int64_t
num(const struct rec *r, enum type t, enum col c, int64_t unset)
{
	int64_t v;

	return rec_i64(r, ty[t].c[c], &v) ? v : unset;
}

static void
keep_src(const struct rec *r, enum type t)
{
	size_t n;
	const char *s;

	if (src.len > 0)
		return;
	s = rec_raw(r, ty[t].c[C_SRC], &n);
	if (s != NULL)
		buf_put(&src, s, n);
}

static void
api(const struct text *name, int64_t dur)
{
	int i;

	for (i = 0; i < nreports; i++)
		if (reports[i].def->on_api != NULL)
			reports[i].def->on_api(&reports[i], name, dur);
}

static void
add_several(const struct rec *r, int64_t start, int64_t dur)
{
	if (nseveral > 0 && several[0].start < start)
		nseveral = 0;
	if (nseveral == severalcap) {
		severalcap = severalcap != 0 ? severalcap * 2 : 4;
		several = xrealloc(several, severalcap, sizeof(*several));
	}
	several[nseveral].pid = num(r, T_CALL, C_PID, -1);
	several[nseveral].corr = num(r, T_CALL, C_CORR, -1);
	several[nseveral].start = start;
	several[nseveral++].dur = dur;
}

static void
on_call(struct rec *r)
{
	struct text name = text(r, T_CALL, C_API);
	int64_t dur, start;

	if (!rec_i64(r, ty[T_CALL].c[C_DUR], &dur)) {
		no_dur++;
		return;
	}
	start = num(r, T_CALL, C_START, 0);
	if (num(r, T_CALL, C_N_GPU, 0) > 1)
		add_several(r, start, dur);
	if (wants_api)
		api(&name, dur);
}

/* The call's times; its duration may be in its own record. */
static void
read_api(const struct rec *r, enum type t, struct gpu *g)
{
	size_t i;

	if (!rec_i64(r, ty[t].c[C_API_START], &g->api_start))
		return;
	g->has_api = rec_i64(r, ty[t].c[C_API_DUR], &g->api_dur);
	if (g->has_api)
		return;
	for (i = 0; i < nseveral && !g->has_api; i++)
		if (several[i].corr == g->corr && several[i].pid == g->pid) {
			g->has_api = true;
			g->api_dur = several[i].dur;
		}
}

static void
read_kern(const struct rec *r, struct gpu *g)
{
	struct text s = text(r, T_KERN, C_SHORT);

	g->kernel = kname_kernel(num(r, T_KERN, C_NAME_ID, -1), s.s, s.n);
	g->grid = text(r, T_KERN, C_GRID);
	g->block = text(r, T_KERN, C_BLOCK);
	g->regs = text(r, T_KERN, C_REGS);
	g->smem = num(r, T_KERN, C_SMEM, -1);
	g->dynsmem = num(r, T_KERN, C_DYNSMEM, -1);
}

static void
read_gpu(const struct rec *r, enum type t, struct gpu *g)
{
	g->kind = t == T_KERN ? GPU_KERN : t == T_COPY ? GPU_COPY : GPU_SET;
	g->start = num(r, t, C_START, 0);
	g->tid = num(r, t, C_TID, -1);
	g->dev = num(r, t, C_DEV, -1);
	g->ctx = text(r, t, C_CTX);
	g->stream = text(r, t, C_STREAM);
	if (t == T_KERN) {
		read_kern(r, g);
		return;
	}
	g->bytes = num(r, t, C_BYTES, -1);
	g->copy = text(r, t, C_KIND);
	g->src_mem = text(r, t, t == T_SET ? C_MEM : C_SRC_MEM);
	g->dst_mem = text(r, t, C_DST_MEM);
}

static void
on_gpu(enum type t, struct rec *r)
{
	struct gpu g = { .bytes = -1, .smem = -1, .dynsmem = -1 };
	bool own;
	int i;

	g.api = text(r, t, C_API);
	g.pid = num(r, t, C_PID, -1);
	g.corr = num(r, t, C_CORR, -1);
	read_api(r, t, &g);
	own = g.has_api && text(r, t, C_API_DUR).s != NULL;
	if (own && wants_api)
		api(&g.api, g.api_dur);
	if (t == T_SYNC || t == T_GRAPH)
		return;
	if (!rec_i64(r, ty[t].c[C_DUR], &g.dur)) {
		no_dur++;
		return;
	}
	read_gpu(r, t, &g);
	for (i = 0; i < nreports; i++)
		if (reports[i].def->on_gpu != NULL)
			reports[i].def->on_gpu(&reports[i], &g);
	if (wants_stack && g.has_api)
		stack_gpu(&g);
}

static void
on_range(struct rec *r)
{
	static struct buf name;
	struct text domain = text(r, T_RANGE, C_DOMAIN);
	struct text s = text(r, T_RANGE, C_TEXT);
	struct text mode = text(r, T_RANGE, C_MODE);
	struct range x = { 0 };
	int64_t dur;
	int i;

	if (!rec_i64(r, ty[T_RANGE].c[C_DUR], &dur))
		return; /* never ended */
	x.start = num(r, T_RANGE, C_START, 0);
	x.end = x.start + dur;
	x.pid = num(r, T_RANGE, C_PID, -1);
	x.tid = num(r, T_RANGE, C_TID, -1);
	x.push = mode.s == NULL || mode.n == 4;
	x.crosses = text(r, T_RANGE, C_END_TID).s != NULL;
	buf_clear(&name);
	buf_put(&name, domain.s, domain.s != NULL ? domain.n : 0);
	buf_putc(&name, ':');
	buf_put(&name, s.s, s.s != NULL ? s.n : 0);
	x.name = name.s;
	x.name_len = name.len;
	for (i = 0; i < nreports; i++)
		if (reports[i].def->on_range != NULL)
			reports[i].def->on_range(&reports[i], &x);
	if (wants_stack && !x.crosses)
		stack_range(&x);
}

static void
on_os(struct rec *r)
{
	struct text name = text(r, T_OS, C_NAME);
	int64_t dur;
	int i;

	if (!rec_i64(r, ty[T_OS].c[C_DUR], &dur)) {
		no_dur++;
		return;
	}
	for (i = 0; i < nreports; i++)
		if (reports[i].def->on_os != NULL)
			reports[i].def->on_os(&reports[i], &name, dur);
}

static void
on_str(struct rec *r)
{
	static const enum col cols[KN_N] = { C_TEXT, C_BASE, C_MANGLED };
	struct kname_text t[KN_N];
	int64_t id;
	int i;

	for (i = 0; i < KN_N; i++) {
		struct text x = text(r, T_STR, cols[i]);

		t[i] = (struct kname_text){ x.s, x.s != NULL ? x.n : 0 };
	}
	if (rec_i64(r, ty[T_STR].c[C_ID], &id))
		kname_str(id, t);
}

static void
on_dev(struct rec *r)
{
	struct text name = text(r, T_DEV, C_NAME);
	int64_t dev;

	if (rec_i64(r, ty[T_DEV].c[C_DEV], &dev))
		trace_dev(dev, &name);
}

static void
on_rec(struct stage *st, struct rec *r)
{
	enum type t;

	(void)st;
	for (t = 0; ty[t].type != r->type; t++)
		;
	any = true;
	keep_src(r, t);
	if (t <= T_GRAPH)
		on_gpu(t, r);
	else if (t == T_CALL)
		on_call(r);
	else if (t == T_RANGE)
		on_range(r);
	else if (t == T_OS)
		on_os(r);
	else if (t == T_STR)
		on_str(r);
	else
		on_dev(r);
}

static void
on_section(struct stage *st)
{
	int i;

	(void)st;
	kname_section();
	trace_section();
	nseveral = 0;
	any = false;
	buf_clear(&src);
	for (i = 0; i < nreports; i++) {
		table_free(reports[i].t);
		reports[i].t = table_new(
		    reports[i].def->nval > 0 ? reports[i].def->nval : 1,
		    reports[i].def->nval == 0);
	}
}

static void
print_report(struct report *r, const char *file)
{
	if (table_empty(r->t))
		warn("%s: nothing of this in %s", r->def->name,
		    file != NULL ? file : "the profile");
	sink_begin(&r->def->table, file);
	r->def->print(r);
	sink_end();
	table_free(r->t);
	r->t = NULL;
}

static void
on_end(struct stage *st)
{
	int i;

	stack_end();
	if (!st->complete && !any)
		return; /* a profile that could not be read */
	for (i = 0; i < nreports; i++)
		print_report(&reports[i], src.len > 0 ? buf_str(&src) : NULL);
	if (no_dur > 0)
		warn("%llu records without a duration are left out",
		    (unsigned long long)no_dur);
	no_dur = 0;
}

static void
bind(struct stage *st, enum type t)
{
	struct rec_type *x = stage_on(st, tags[t], on_rec, NULL);
	int i;

	ty[t].type = x;
	for (i = 0; i < C_N; i++)
		ty[t].c[i] = rec_col(
		    x, names[i], i == C_DUR && t < T_STR ? REC_NEED : REC_OPT);
}

void
read_open(struct stage *st)
{
	enum type t;
	int i;

	for (t = 0; t < T_N; t++)
		bind(st, t);
	for (i = 0; i < nreports; i++) {
		wants_api |= reports[i].def->on_api != NULL;
		wants_stack |= reports[i].def->on_proj != NULL ||
			       reports[i].def->on_rangekern != NULL;
	}
	st->section = on_section;
	st->end = on_end;
}
