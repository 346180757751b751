/* From records to events. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "fields.h"
#include "num.h"
#include "read.h"
#include "reports.h"
#include "stack.h"

static bool wants_api, wants_stack, any;
static struct { /* of the section's file */
	bool no_nvtx;
	/* To when ranges last that never end, in sums and on the GPU. */
	bool has_end[2];
	int64_t end[2];
} told;
static uint64_t no_dur;
static struct buf src; /* the file's name, if records have it */

/* Calls with several activities: those that follow lie at the same time. */
static struct several {
	int64_t pid, corr, start, dur;
} * several;
static size_t nseveral, severalcap;

static void
keep_src(const struct rec *r, enum type t)
{
	struct text x;

	if (src.len > 0)
		return;
	x = field_text(r, t, C_SRC);
	if (x.s != NULL)
		buf_put(&src, x.s, x.n);
}

static struct name
name_of(const struct rec *r, enum type t, enum col c)
{
	return (
	    struct name){ field_text(r, t, c), field_num(r, t, C_NAME_NO, 0) };
}

static void
api(const struct name *name, int64_t dur)
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
	several[nseveral].pid = field_num(r, T_CALL, C_PID, -1);
	several[nseveral].corr = field_num(r, T_CALL, C_CORR, -1);
	several[nseveral].start = start;
	several[nseveral++].dur = dur;
}

static void
on_call(struct rec *r)
{
	struct name name = name_of(r, T_CALL, C_API);
	int64_t dur, start;

	if (!field_i64(r, T_CALL, C_DUR, &dur)) {
		no_dur++;
		return;
	}
	start = field_num(r, T_CALL, C_START, 0);
	if (field_num(r, T_CALL, C_N_GPU, 0) > 1)
		add_several(r, start, dur);
	if (wants_api)
		api(&name, dur);
}

/* The call's times; its duration may be in its own record. */
static void
read_api(const struct rec *r, enum type t, struct gpu *g)
{
	size_t i;

	if (!field_i64(r, t, C_API_START, &g->api_start))
		return;
	g->has_api = field_i64(r, t, C_API_DUR, &g->api_dur);
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
	struct text s = field_text(r, T_KERN, C_SHORT);

	g->kernel = kname_kernel(field_num(r, T_KERN, C_NAME_ID, -1), s.s, s.n);
	g->grid = field_text(r, T_KERN, C_GRID);
	g->block = field_text(r, T_KERN, C_BLOCK);
	g->regs = field_text(r, T_KERN, C_REGS);
	g->smem = field_num(r, T_KERN, C_SMEM, -1);
	g->dynsmem = field_num(r, T_KERN, C_DYNSMEM, -1);
}

static void
read_gpu(const struct rec *r, enum type t, struct gpu *g)
{
	g->kind = t == T_KERN ? GPU_KERN : t == T_COPY ? GPU_COPY : GPU_SET;
	g->start = field_num(r, t, C_START, 0);
	g->idx = field_num(r, t, C_IDX, 0);
	g->tid = field_num(r, t, C_TID, -1);
	g->dev = field_num(r, t, C_DEV, -1);
	g->ctx = field_text(r, t, C_CTX);
	g->stream = field_text(r, t, C_STREAM);
	if (t == T_KERN) {
		read_kern(r, g);
		return;
	}
	g->bytes = field_num(r, t, C_BYTES, -1);
	g->copy = field_text(r, t, C_KIND);
	g->src_mem = field_text(r, t, t == T_SET ? C_MEM : C_SRC_MEM);
	g->dst_mem = field_text(r, t, C_DST_MEM);
}

static void
on_gpu(enum type t, struct rec *r)
{
	struct gpu g = { .bytes = -1, .smem = -1, .dynsmem = -1 };
	struct name name = name_of(r, t, C_API);
	bool own;
	int i;

	g.api = name.text;
	g.pid = field_num(r, t, C_PID, -1);
	g.corr = field_num(r, t, C_CORR, -1);
	read_api(r, t, &g);
	own = g.has_api && field_text(r, t, C_API_DUR).s != NULL;
	if (own && wants_api)
		api(&name, g.api_dur);
	if (t == T_SYNC || t == T_GRAPH)
		return;
	if (!field_i64(r, t, C_DUR, &g.dur)) {
		no_dur++;
		return;
	}
	read_gpu(r, t, &g);
	if (wants_stack && g.has_api)
		stack_innermost(&g);
	for (i = 0; i < nreports; i++)
		if (reports[i].def->on_gpu != NULL)
			reports[i].def->on_gpu(&reports[i], &g);
	if (wants_stack && g.has_api)
		stack_gpu(&g);
	else if (wants_stack)
		stack_no_call(&g);
}

static void
on_range(struct rec *r)
{
	static struct buf name;
	struct text domain = field_text(r, T_RANGE, C_DOMAIN);
	struct text s = field_text(r, T_RANGE, C_TEXT);
	struct text mode = field_text(r, T_RANGE, C_MODE);
	struct range x = { 0 };
	int64_t dur;
	bool ends = field_i64(r, T_RANGE, C_DUR, &dur);
	int i;

	if (!ends && !told.has_end[0])
		return;
	x.start = field_num(r, T_RANGE, C_START, 0);
	x.end = ends ? num_add(x.start, dur) : told.end[0];
	x.idx = field_num(r, T_RANGE, C_IDX, 0);
	x.pid = field_num(r, T_RANGE, C_PID, -1);
	x.tid = field_num(r, T_RANGE, C_TID, -1);
	x.push = mode.s == NULL || mode.n == 4;
	x.crosses = field_text(r, T_RANGE, C_END_TID).s != NULL;
	buf_clear(&name);
	buf_put(&name, domain.s, domain.s != NULL ? domain.n : 0);
	x.domain_len = name.len;
	buf_putc(&name, ':');
	buf_put(&name, s.s, s.s != NULL ? s.n : 0);
	x.name = name.s;
	x.name_len = name.len;
	for (i = 0; i < nreports; i++)
		if (reports[i].def->on_range != NULL)
			reports[i].def->on_range(&reports[i], &x);
	if (!ends && !told.has_end[1])
		return;
	x.end = ends ? x.end : told.end[1];
	if (wants_stack && !x.crosses)
		stack_range(&x);
}

static void
on_os(struct rec *r)
{
	struct name name = name_of(r, T_OS, C_NAME);
	int64_t dur;
	int i;

	if (!field_i64(r, T_OS, C_DUR, &dur)) {
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
		struct text x = field_text(r, T_STR, cols[i]);

		t[i] = (struct kname_text){ x.s, x.s != NULL ? x.n : 0 };
	}
	if (field_i64(r, T_STR, C_ID, &id))
		kname_str(id, t);
}

static void
on_dev(struct rec *r)
{
	struct text name = field_text(r, T_DEV, C_NAME);
	int64_t dev;

	if (field_i64(r, T_DEV, C_DEV, &dev))
		trace_dev(dev, &name);
}

static void
on_rec(struct stage *st, struct rec *r)
{
	enum type t = fields_type(r);

	(void)st;
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
	(void)st;
	kname_section();
	trace_section();
	memset(&told, 0, sizeof(told));
	nseveral = 0;
	any = false;
	buf_clear(&src);
	reports_section();
}

/* Of several files the latest end. */
static void
told_end(int i, const char *s, size_t n)
{
	int64_t v;

	if (!num_i64(s, n, &v) || (told.has_end[i] && told.end[i] >= v))
		return;
	told.has_end[i] = true;
	told.end[i] = v;
}

/* What dlp-parse --rows tells. */
static void
on_meta(struct stage *st, struct rec *r)
{
	static const char *const ends[] = { "##info\tnvtx_end_ns\t",
		"##info\trange_end_ns\t" };
	static const char none[] = "##info\tnvtx\tnone";
	size_t n;
	int i;

	(void)st;
	told.no_nvtx |=
	    r->len == sizeof(none) - 1 && memcmp(r->line, none, r->len) == 0;
	for (i = 0; i < 2; i++) {
		n = strlen(ends[i]);
		if (r->len > n && memcmp(r->line, ends[i], n) == 0)
			told_end(i, r->line + n, r->len - n);
	}
}

static void
on_end(struct stage *st)
{
	stack_end();
	if (!st->complete && !any)
		return; /* a profile that could not be read */
	reports_print(src.len > 0 ? buf_str(&src) : NULL, !told.no_nvtx);
	if (no_dur > 0)
		warn("%llu records without a duration are left out",
		    (unsigned long long)no_dur);
	no_dur = 0;
}

void
read_open(struct stage *st)
{
	int i;

	fields_open(st, on_rec);
	for (i = 0; i < nreports; i++)
		wants_api |= reports[i].def->on_api != NULL;
	wants_stack = stack_wanted();
	st->section = on_section;
	st->meta = on_meta;
	st->end = on_end;
}
