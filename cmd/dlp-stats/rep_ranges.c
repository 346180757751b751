/*
 * The table of ranges' names (stats.h), and its reports: ranges as the GPU saw
 * them, from the start of the first work in them to the end of the last, by
 * name and one by one; and kernels by range. And the trace of push/pop ranges.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "num.h"
#include "stats.h"
#include "textsort.h"

static void
put_mean(struct buf *row, int64_t sum, uint64_t n)
{
	if (n == 0)
		row_none(row);
	else if (n == 1) {
		buf_i64(row, sum);
		buf_puts(row, ".0\t");
	} else
		row_round(row, (double)sum / (double)n, 1);
}

static void
proj_sum(void *ctx, const struct group_stats *g)
{
	struct report *r = ctx;
	const char *style = range_style(g->part == RANGES_PROJ);
	struct buf *row = &r->row;

	row_text(row, g->key, g->len);
	row_text(row, style, strlen(style));
	row_i64(row, g->sum[0]);
	row_i64(row, g->sum[1]);
	row_i64(row, (int64_t)g->n);
	row_stats(row, g);
	row_i64(row, g->sum[2]);
	put_mean(row, g->sum[2], g->n);
	/* ranges without a level count in no mean */
	put_mean(row, g->sum[3] % RANGES_NO_LEVEL,
	    g->n - (uint64_t)(g->sum[3] / RANGES_NO_LEVEL));
	put_mean(row, g->sum[4], g->n);
	order_add(r->rows, ~g->sum[0], 0, row);
}

/* Unset is -1 or 0; no id has these values. */
static void
put_positive(struct buf *row, int64_t id)
{
	if (id > 0)
		buf_i64(row, id);
	row_none(row);
}

static void
proj_trace(struct report *r, const struct stats_proj *p)
{
	struct buf *row = &r->row;
	const char *style = range_style(p->r->push);

	row_text(row, p->r->name, p->r->name_len);
	row_i64(row, p->lo);
	row_i64(row, num_sub(p->hi, p->lo));
	row_i64(row, p->r->start);
	row_i64(row, num_sub(p->r->end, p->r->start));
	row_text(row, style, strlen(style));
	row_i64(row, p->r->pid);
	row_i64(row, p->r->tid);
	row_i64(row, p->n_gpu);
	if (p->level >= 0)
		buf_i64(row, p->level);
	row_none(row);
	row_i64(row, p->n_child);
	put_positive(row, p->id);
	put_positive(row, p->parent);
	row_opt(row, &p->stack);
	order_add(r->rows, p->id, 0, row);
}

static const char *const proj_cols[] = { "Range", "Style",
	"#Total Proj Time (ns)", "#Total Range Time (ns)", "#Range Instances",
	"#Proj Avg (ns)", "#Proj Med (ns)", "#Proj Min (ns)", "#Proj Max (ns)",
	"#Proj StdDev (ns)", "#Total GPU Ops", "#Avg GPU Ops", "#Avg Range Lvl",
	"#Avg Num Child" };
static const char *const trace_cols[] = { "Name", "#Projected Start (ns)",
	"#Projected Duration (ns)", "#Orig Start (ns)", "#Orig Duration (ns)",
	"Style", "#PID", "#TID", "#NumGPUOps", "#Lvl", "#NumChild", "#RangeId",
	"#ParentId", "RangeStack" };

const struct report_def rep_proj_sum = {
	{ "nvtx_gpu_proj_sum", "NVTX GPU Projection Summary", COLS(proj_cols) },
	"nvtxgpuprojsum", .types = "call,kern,copy,set,range",
	.needs = NEEDS_PROJ, .group = proj_sum
};
const struct report_def rep_proj_trace = { { "nvtx_gpu_proj_trace",
					       "NVTX GPU Projection Trace",
					       COLS(trace_cols) },
	"nvtxgpuproj", .types = "call,kern,copy,set,range",
	.needs = NEEDS_STACK, .on_proj = proj_trace };

/* nvtx_kern_sum: the rows of a range's name together, in order. */

struct range_kern {
	struct buf name; /* of the ranges */
	struct buf text;
	struct kern_line {
		size_t at, len;
		const struct ranges_kern *k;
		const struct kernel_names *names;
		int64_t sum;
	} * line;
	size_t n, cap;
};

static int
cmp(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* By process, thread, sum (the greatest first), style, and kernel. */
static int
cmp_line(const void *p, const void *q)
{
	const struct kern_line *a = p, *b = q;
	const char *s, *t;
	size_t n, m;
	int c = cmp(a->k->pid, b->k->pid);

	if (c == 0)
		c = cmp(a->k->tid, b->k->tid);
	if (c == 0)
		c = cmp(b->sum, a->sum);
	if (c == 0) /* PushPop, StartEnd */
		c = b->k->push - a->k->push;
	if (c != 0)
		return c;
	s = kname_text(a->names, a->k->name, &n);
	t = kname_text(b->names, b->k->name, &m);
	return text_cmp(s, n, t, m);
}

static void
write_lines(struct report *r)
{
	struct range_kern *x = r->state;
	size_t i;

	if (x->n > 1)
		qsort(x->line, x->n, sizeof(*x->line), cmp_line);
	for (i = 0; i < x->n; i++)
		sink_row(
		    &r->stats->sink, x->text.s + x->line[i].at, x->line[i].len);
	x->n = 0;
	buf_clear(&x->text);
}

/* Unset is -1; other values are never negative. */
static void
put_id(struct buf *row, int64_t id)
{
	if (id >= 0)
		buf_i64(row, id);
	row_none(row);
}

static void
kern_group(void *ctx, const struct group_stats *g)
{
	struct report *r = ctx;
	const struct kernel_names *names = &r->stats->names;
	const struct ranges_kern *k =
	    &r->stats->ranges.kerns[g->part - RANGES_KERN];
	const char *s = g->len > 0 ? range_style(k->push) : "";
	struct range_kern *x = r->state;
	struct buf *row = &x->text;
	size_t n, at;

	if (k->mode != r->mode)
		return;
	if (x->name.len != g->len ||
	    (g->len > 0 && memcmp(x->name.s, g->key, g->len) != 0)) {
		write_lines(r);
		buf_clear(&x->name);
		buf_put(&x->name, g->key, g->len);
	}
	at = row->len;
	row_text(row, g->key, g->len);
	row_text(row, s, strlen(s));
	put_id(row, k->pid);
	put_id(row, k->tid);
	row_i64(row, g->sum[1]);
	row_i64(row, g->sum[2]);
	row_i64(row, g->sum[0]);
	row_stats(row, g);
	s = kname_text(names, k->name, &n);
	buf_put(row, s, n);
	ARRAY_GROW(x->line, x->n, x->cap);
	x->line[x->n++] =
	    (struct kern_line){ at, row->len - at, k, names, g->sum[0] };
}

static void
kern_print(struct report *r)
{
	struct range_kern *x = r->state;

	groups_each(
	    r->stats->ranges.table, RANGES_KERN, UINT32_MAX, kern_group, r);
	write_lines(r);
	buf_clear(&x->name);
}

static const char *const kern_cols[] = { "NVTX Range", "Style", "#PID", "#TID",
	"#NVTX Inst", "#Kern Inst", "#Total Time (ns)", "#Avg (ns)",
	"#Med (ns)", "#Min (ns)", "#Max (ns)", "#StdDev (ns)", "Kernel Name" };

const struct report_def rep_nvtx_kern_sum = {
	{ "nvtx_kern_sum", "NVTX Range Kernel Summary", COLS(kern_cols) },
	"nvtxkernsum", .types = "call,kern,range", .needs = NEEDS_KERN,
	.print = kern_print, .kernels = true, .state = sizeof(struct range_kern)
};

/* The trace of push/pop ranges. The children of a range are known when it ends;
 * its parent, the shortest range around it, when it begins. */

struct push_range { /* an open range */
	struct stats_range r;
	struct push_range *up;
	int64_t id, level, n_child, child_dur;
	int64_t parent; /* id of up, which may be closed first; 0 if none */
	bool loose;     /* has the same times as another range, or is inside
			 * such a range */
	struct buf name, stack;
};

struct push_open { /* on a thread */
	struct openrange span;
	struct push_range *p;
};

struct push_trace {
	struct openranges *thread;
	struct smap nos; /* of threads: by struct thread_id */
	int64_t ids;
};

static struct openranges *
thread_of(struct push_trace *t, const struct stats_range *x)
{
	struct thread_id id = { x->file, x->pid, x->tid };
	bool fresh;
	uint32_t i = smap_put(&t->nos, (char *)&id, sizeof(id), &fresh);

	if (!fresh)
		return &t->thread[i];
	t->thread = xrealloc(t->thread, t->nos.n, sizeof(*t->thread));
	openranges_init(&t->thread[i], sizeof(struct push_open));
	return &t->thread[i];
}

static int64_t
push_len(const struct push_range *p)
{
	return num_sub(p->r.end, p->r.start);
}

static void
put_range_row(struct report *r, const struct push_range *p)
{
	struct buf *row = &r->row;
	int64_t i;

	row_i64(row, p->r.start);
	row_i64(row, p->r.end);
	row_i64(row, push_len(p));
	row_i64(row, p->child_dur);
	row_i64(row, num_sub(push_len(p), p->child_dur));
	row_text(row, p->name.s, p->name.len);
	row_i64(row, p->r.pid);
	row_i64(row, p->r.tid);
	row_i64(row, p->level);
	row_i64(row, p->n_child);
	row_i64(row, p->id);
	if (p->parent > 0)
		buf_i64(row, p->parent);
	row_none(row);
	row_text(row, p->stack.s, p->stack.len);
	for (i = 0; i < p->level; i++)
		buf_puts(row, "--");
	row_text(row, p->name.s, p->name.len);
	order_add_at(
	    r->rows, p->r.start, p->r.end, p->level << 48 | p->id, row);
}

static void
close_range(void *ctx, void *open)
{
	struct push_range *p = ((struct push_open *)open)->p;

	if (!p->loose)
		put_range_row(ctx, p);
	buf_free(&p->name);
	buf_free(&p->stack);
	free(p);
}

static void
count_in(struct push_range *up, const struct push_range *p, int64_t sign)
{
	if (up == NULL)
		return;
	up->n_child += sign;
	up->child_dur = num_add(up->child_dur, sign * push_len(p));
}

static void
find_parent(const struct openranges *th, struct push_range *p)
{
	struct push_range *x;
	size_t i;

	for (i = 0; i < th->n; i++) {
		x = ((struct push_open *)openranges_at(th, i))->p;
		if (x->r.end >= p->r.end &&
		    (p->up == NULL || push_len(x) < push_len(p->up)))
			p->up = x;
	}
	if (p->up == NULL)
		return;
	if (push_len(p->up) == push_len(p) && !p->up->loose) {
		p->up->loose = true;
		count_in(p->up->up, p->up, -1);
	}
	p->loose = p->up->loose;
	if (!p->loose)
		count_in(p->up, p, 1);
}

static void
push(struct report *r, const struct stats_range *x)
{
	struct push_trace *t = r->state;
	struct openranges *th = thread_of(t, x);
	struct push_range *p = xcalloc(1, sizeof(*p));
	struct push_open *o;

	openranges_sweep(th, stats_before(x->start), close_range, r);
	p->r = *x;
	p->id = x->idx > 0 ? x->idx : ++t->ids;
	buf_put(&p->name, x->name, x->name_len);
	find_parent(th, p);
	if (p->up != NULL) {
		p->level = p->up->level + 1;
		p->parent = p->up->id;
		buf_put(&p->stack, p->up->stack.s, p->up->stack.len);
	}
	buf_putc(&p->stack, ':');
	buf_i64(&p->stack, p->id);
	o = openranges_push(th, x->start, x->end);
	o->p = p;
}

static void
push_print(struct report *r)
{
	struct push_trace *t = r->state;
	size_t i;

	for (i = 0; i < t->nos.n; i++) {
		openranges_sweep(&t->thread[i], INT64_MAX, close_range, r);
		openranges_free(&t->thread[i]);
	}
	free(t->thread);
	smap_free(&t->nos);
	memset(t, 0, sizeof(*t));
	order_put(r->rows, &r->stats->sink);
	r->rows = NULL;
}

static const char *const push_cols[] = { "#Start (ns)", "#End (ns)",
	"#Duration (ns)", "#DurChild (ns)", "#DurNonChild (ns)", "Name", "#PID",
	"#TID", "#Lvl", "#NumChild", "#RangeId", "#ParentId", "RangeStack",
	"NameTree" };

const struct report_def rep_pushpop_trace = {
	{ "nvtx_pushpop_trace", "NVTX Push/Pop Range Trace", COLS(push_cols) },
	"nvtxpptrace", .types = "range", .on_push = push, .print = push_print,
	.state = sizeof(struct push_trace)
};
