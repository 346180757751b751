/*
 * The table of ranges' names (stats.h), and its reports: ranges as the GPU saw
 * them, from the start of the first work in them to the end of the last, by
 * name and one by one; and kernels by range.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "num.h"
#include "stats.h"
#include "textsort.h"

#define RANGES_NO_LEVEL ((int64_t)1 << 40)

/*
 * rep_ranges.c: the table for nvtx_gpu_proj_sum and nvtx_kern_sum. Both use one
 * table, so that the names of ranges, which can be most of a profile, are
 * sorted only once. Keys are names. A projection is a row of part RANGES_PROJ +
 * style:
 *	projected duration, range's duration, GPU work,
 *	level or RANGES_NO_LEVEL, children with work
 * A kernel in a range is a row of a part that stands for the thread, the style
 * and the kernel's name:
 *	duration, 1 if it is the first of the range instance,
 *	1 if it is in no other range of that name
 * Kernels in no range have the empty name.
 */
enum {                    /* parts, in the order of rows of the same name */
	RANGES_PROJ = 0,  /* of push/pop ranges */
	RANGES_START = 1, /* of start/end ranges */
	RANGES_KERN = 2,  /* and greater ones */
};

#define VALS 5 /* values of a row */

void
ranges_section(struct range_groups *g)
{
	ranges_done(g);
	g->table = groups_new(VALS, false);
}

void
ranges_done(struct range_groups *g)
{
	groups_free(g->table);
	g->table = NULL;
	g->nkerns = 0;
	map_clear(&g->parts);
}

void
ranges_proj(
    struct range_groups *g, struct group_key *k, const struct stats_proj *p)
{
	const struct stats_range *r = p->r;
	const int64_t v[] = { num_sub(p->hi, p->lo), num_sub(r->end, r->start),
		p->n_gpu, p->level >= 0 ? p->level : RANGES_NO_LEVEL,
		p->n_child };

	groups_add_to(g->table, k, r->name, r->name_len,
	    r->push ? RANGES_PROJ : RANGES_START, v);
}

uint32_t
ranges_part(
    struct range_groups *g, uint32_t thread, const struct ranges_kern *x)
{
	uint64_t *n = map_put(&g->parts,
	    (uint64_t)thread << 35 | (uint64_t)x->push << 34 |
		(uint64_t)x->mode << 32 | x->name,
	    NULL);

	if (*n != 0)
		return RANGES_KERN + (uint32_t)*n - 1;
	ARRAY_GROW(g->kerns, g->nkerns, g->cap);
	g->kerns[g->nkerns++] = *x;
	*n = g->nkerns;
	return RANGES_KERN + (uint32_t)g->nkerns - 1;
}

void
ranges_add(struct range_groups *g, struct group_key *k,
    const struct stats_range *r, uint32_t part, int64_t dur, bool first,
    bool once)
{
	const int64_t v[VALS] = { dur, first, once };

	groups_add_to(g->table, k, r != NULL ? r->name : "",
	    r != NULL ? r->name_len : 0, part, v);
}

static const struct ranges_kern *
kern_of(const struct range_groups *g, uint32_t part)
{
	return &g->kerns[part - RANGES_KERN];
}

/*
 * nvtx_gpu_proj_sum: groups come sorted by name, with the names as codes, and
 * wait for their final order. A thread makes them while the merge goes on, and
 * the rows at the end.
 */
struct proj_sum {
	struct stats *stats;
	struct buf made; /* bytes that the thread gets next */
	/* Used only by the thread, from behind_row() to behind_end(): */
	struct row_order *order;
	struct buf row;
	struct stats_sink *sink;
};

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
sum_row(void *ctx, const char *s, size_t n)
{
	struct proj_sum *p = ctx;
	struct buf *row = &p->row;
	const char *style, *name;
	struct group_stats g;

	name = group_unpack(&g, s);
	style = range_style(g.part == RANGES_PROJ);
	row_text(row, name, n - (size_t)(name - s));
	row_text(row, style, strlen(style));
	row_i64(row, g.sum[0]);
	row_i64(row, g.sum[1]);
	row_i64(row, (int64_t)g.n);
	row_stats(row, &g);
	row_i64(row, g.sum[2]);
	put_mean(row, g.sum[2], g.n);
	/* ranges without a level count in no mean */
	put_mean(row, g.sum[3] % RANGES_NO_LEVEL,
	    g.n - (uint64_t)(g.sum[3] / RANGES_NO_LEVEL));
	put_mean(row, g.sum[4], g.n);
	sink_row_now(p->sink, row->s, row->len - 1);
	buf_clear(row);
}

static void
sum_order(void *ctx, const char *s, size_t n)
{
	struct proj_sum *p = ctx;
	struct group_stats g;

	(void)group_unpack(&g, s);
	buf_put(&p->row, s, n);
	order_add(p->order, ~g.sum[0], 0, &p->row);
}

static void
sum_group(void *ctx, const struct group_stats *g)
{
	struct proj_sum *p = ctx;
	struct buf *b = &p->made;

	buf_clear(b);
	group_pack(b, g);
	buf_put(b, g->code.s, g->code.n);
	behind_row(&p->stats->sink.behind, sum_order, p, b->s, b->len);
}

static void
sum_name(void *ctx, const char *s, size_t n)
{
	struct proj_sum *p = ctx;
	struct buf *b = &p->made;
	struct group_stats g;
	const char *code = group_unpack(&g, s);

	g.code.s = code;
	g.code.n = n - (size_t)(code - s);
	buf_clear(b);
	buf_put(b, s, (size_t)(code - s));
	groups_text(p->stats->ranges.table, &g.code, b);
	behind_row(&p->stats->sink.behind, sum_row, p, b->s, b->len);
}

static void
sum_print(struct report *r)
{
	struct proj_sum *p = r->state;
	struct behind *b = &r->stats->sink.behind;

	p->stats = r->stats;
	p->sink = &r->stats->sink;
	p->order = order_new();
	groups_each_code(
	    r->stats->ranges.table, RANGES_PROJ, RANGES_KERN - 1, sum_group, p);
	behind_end(b);
	order_each(p->order, sum_name, p);
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
	.needs = NEEDS_PROJ, .print = sum_print,
	.state = sizeof(struct proj_sum)
};
const struct report_def rep_proj_trace = { { "nvtx_gpu_proj_trace",
					       "NVTX GPU Projection Trace",
					       COLS(trace_cols) },
	"nvtxgpuproj", .types = "call,kern,copy,set,range",
	.needs = NEEDS_STACK, .on_proj = proj_trace };

/* nvtx_kern_sum: the rows of a range's name together, in order. A thread makes
 * them while the groups are merged. */

struct kern_lines { /* used only by the thread, until behind_end() */
	const struct range_groups *ranges; /* does not change meanwhile */
	const struct kernel_names *names;  /* nor does this */
	struct stats_sink *sink;
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

struct range_kern {
	struct kern_lines lines;
	struct buf made; /* bytes that the thread gets next */
	struct buf last; /* the name of the group before */
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
write_lines(struct kern_lines *x)
{
	size_t i;

	if (x->n > 1)
		qsort(x->line, x->n, sizeof(*x->line), cmp_line);
	for (i = 0; i < x->n; i++)
		sink_row_now(
		    x->sink, x->text.s + x->line[i].at, x->line[i].len);
	x->n = 0;
	buf_clear(&x->text);
}

static struct kern_line *
new_line(struct kern_lines *x)
{
	ARRAY_GROW(x->line, x->n, x->cap);
	return &x->line[x->n++];
}

/* Unset is -1; other values are never negative. */
static void
put_id(struct kern_lines *x, int64_t id)
{
	if (id >= 0)
		buf_i64(&x->text, id);
	row_none(&x->text);
}

static void
put_line(struct kern_lines *x, const struct group_stats *g)
{
	const struct ranges_kern *k = kern_of(x->ranges, g->part);
	const char *s = x->name.len > 0 ? range_style(k->push) : "";
	struct kern_line *l = new_line(x);
	size_t n;

	l->at = x->text.len;
	l->sum = g->sum[0];
	l->k = k;
	l->names = x->names;
	row_text(&x->text, x->name.s, x->name.len);
	row_text(&x->text, s, strlen(s));
	put_id(x, k->pid);
	put_id(x, k->tid);
	row_i64(&x->text, g->sum[1]);
	row_i64(&x->text, g->sum[2]);
	row_i64(&x->text, g->sum[0]);
	row_stats(&x->text, g);
	s = kname_text(x->names, k->name, &n);
	buf_put(&x->text, s, n);
	l->len = x->text.len - l->at;
}

/* A group, with its name if it differs from the name before. */
enum { SAME, OTHER };

static void
line(void *ctx, const char *s, size_t n)
{
	struct kern_lines *x = &((struct range_kern *)ctx)->lines;
	const char *e = s + n;
	bool other = *s++ == OTHER;
	struct group_stats g;

	s = group_unpack(&g, s);
	if (other) {
		write_lines(x);
		buf_clear(&x->name);
		buf_put(&x->name, s, (size_t)(e - s));
	}
	put_line(x, &g);
}

static void
group(void *ctx, const struct group_stats *g)
{
	struct report *r = ctx;
	struct range_kern *x = r->state;
	struct buf *b = &x->made, *name = &x->last;

	if (kern_of(&r->stats->ranges, g->part)->mode != r->mode)
		return;
	buf_clear(b);
	if (name->len == g->len &&
	    (g->len == 0 || memcmp(name->s, g->key, g->len) == 0)) {
		buf_putc(b, SAME);
		group_pack(b, g);
	} else {
		buf_putc(b, OTHER);
		group_pack(b, g);
		buf_put(b, g->key, g->len);
		buf_clear(name);
		buf_put(name, g->key, g->len);
	}
	behind_row(&r->stats->sink.behind, line, x, b->s, b->len);
}

static void
kern_print(struct report *r)
{
	struct range_kern *x = r->state;
	struct stats *s = r->stats;

	x->lines.ranges = &s->ranges;
	x->lines.names = &s->names;
	x->lines.sink = &s->sink;
	groups_each(s->ranges.table, RANGES_KERN, UINT32_MAX, group, r);
	behind_end(&s->sink.behind);
	write_lines(&x->lines);
	buf_clear(&x->lines.name);
	buf_clear(&x->last);
}

static const char *const kern_cols[] = { "NVTX Range", "Style", "#PID", "#TID",
	"#NVTX Inst", "#Kern Inst", "#Total Time (ns)", "#Avg (ns)",
	"#Med (ns)", "#Min (ns)", "#Max (ns)", "#StdDev (ns)", "Kernel Name" };

const struct report_def rep_nvtx_kern_sum = {
	{ "nvtx_kern_sum", "NVTX Range Kernel Summary", COLS(kern_cols) },
	"nvtxkernsum", .types = "call,kern,range", .needs = NEEDS_KERN,
	.print = kern_print, .kernels = true, .state = sizeof(struct range_kern)
};
