/* From records to events. */
#include "err.h"
#include "fields.h"
#include "num.h"
#include "read.h"
#include "read_call.h"
#include "reports.h"
#include "stack.h"
#include "told.h"

static bool wants_stack, any;
static uint64_t no_dur;
static struct buf src; /* the file's name, if records have it */

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
	int i;

	g.api = field_text(r, t, C_API);
	g.pid = field_num(r, t, C_PID, -1);
	g.corr = field_num(r, t, C_CORR, -1);
	call_of_gpu(r, t, &g);
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

	x.start = field_num(r, T_RANGE, C_START, 0);
	if (ends)
		x.end = num_add(x.start, dur);
	else if (!told_end(TOLD_SUM, &x.end))
		return;
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
	if (x.push && (ends || told_end(TOLD_PUSH, &x.end)))
		for (i = 0; i < nreports; i++)
			if (reports[i].def->on_push != NULL)
				reports[i].def->on_push(&reports[i], &x);
	if (wants_stack && !x.crosses && (ends || told_end(TOLD_GPU, &x.end)))
		stack_range(&x);
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
on_thread(struct rec *r)
{
	struct text name = field_text(r, T_THREAD, C_NAME);
	struct text prio = field_text(r, T_THREAD, C_PRIO);

	calls_thread(field_num(r, T_THREAD, C_PID, -1),
	    field_num(r, T_THREAD, C_TID, -1), &prio, &name);
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
		no_dur += !call_api(r);
	else if (t == T_RANGE)
		on_range(r);
	else if (t == T_OS)
		no_dur += !call_os(r);
	else if (t == T_STR)
		on_str(r);
	else if (t == T_THREAD)
		on_thread(r);
	else
		on_dev(r);
}

static void
on_section(struct stage *st)
{
	(void)st;
	kname_section();
	trace_section();
	calls_section();
	told_section();
	call_section();
	any = false;
	buf_clear(&src);
	reports_section();
}

static void
on_end(struct stage *st)
{
	stack_end();
	if (!st->complete && !any)
		return; /* a profile that could not be read */
	reports_print(src.len > 0 ? buf_str(&src) : NULL, told_nvtx());
	if (told_fewer_ranges() && reports_need("range"))
		warn("dlp-correlate left ranges out, which tables of ranges"
		     " lack: its option -r keeps them");
	if (no_dur > 0)
		warn("%llu records without a duration are left out",
		    (unsigned long long)no_dur);
	no_dur = 0;
}

void
read_open(struct stage *st)
{
	fields_open(st, on_rec);
	call_open();
	wants_stack = stack_wanted();
	st->section = on_section;
	st->meta = told_meta;
	st->end = on_end;
}
