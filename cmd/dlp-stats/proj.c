/*
 * Ranges as they look on the GPU, from the start of the first work in them to
 * the end of the last: by name, and one by one.
 */
#include <string.h>

#include "behind.h"
#include "labels.h"
#include "num.h"
#include "packed.h"
#include "ranges.h"
#include "reports.h"
#include "row.h"

#define COLS(v) (v), sizeof(v) / sizeof((v)[0])

#define SUMS 5 /* projected time, time, GPU work, levels, children */

static struct buf row;

static void
put_mean(int64_t sum, uint64_t n)
{
	if (n == 0)
		row_none(&row);
	else if (n == 1) {
		buf_i64(&row, sum);
		buf_puts(&row, ".0\t");
	} else
		row_round(&row, (double)sum / (double)n, 1);
}

static void
sum_row(const char *s, size_t n)
{
	const char *style, *name;
	struct group g;

	name = packed_get(&g, s);
	style = range_style(g.part == RANGES_PROJ);
	row_text(&row, name, n - (size_t)(name - s));
	row_text(&row, style, strlen(style));
	row_i64(&row, g.sum[0]);
	row_i64(&row, g.sum[1]);
	row_i64(&row, (int64_t)g.n);
	row_stats(&row, &g);
	row_i64(&row, g.sum[2]);
	put_mean(g.sum[2], g.n);
	/* ranges without a level count in none */
	put_mean(g.sum[3] % RANGES_NO_LEVEL,
	    g.n - (uint64_t)(g.sum[3] / RANGES_NO_LEVEL));
	put_mean(g.sum[4], g.n);
	row_put_now(&row);
}

/* Groups come by name, and wait for their order, the names as codes; it is
 * made beside the merge that they come from, as are the rows in the end. */
static struct xsort *order;

static void
sum_order(const char *s, size_t n)
{
	struct group g;

	(void)packed_get(&g, s);
	buf_put(&row, s, n);
	order_add(order, ~g.sum[0], 0, &row);
}

static void
sum_group(void *ctx, const struct group *g)
{
	static struct buf b;

	(void)ctx;
	buf_clear(&b);
	packed_put(&b, g);
	buf_put(&b, g->code.s, g->code.n);
	behind_row(sum_order, b.s, b.len);
}

static void
sum_name(const char *s, size_t n)
{
	static struct buf b;
	struct group g;
	const char *code = packed_get(&g, s);

	g.code.s = code;
	g.code.n = n - (size_t)(code - s);
	buf_clear(&b);
	buf_put(&b, s, (size_t)(code - s));
	ranges_name(&g.code, &b);
	behind_row(sum_row, b.s, b.len);
}

static void
sum_print(struct report *r)
{
	(void)r;
	order = order_new();
	ranges_each_proj(sum_group, NULL);
	behind_end();
	order_each(order, sum_name);
}

static void
put_id(int64_t id)
{
	if (id > 0)
		buf_i64(&row, id);
	row_none(&row);
}

static void
proj_trace(struct report *r, const struct proj *p)
{
	const char *style = range_style(p->r->push);

	row_text(&row, p->r->name, p->r->name_len);
	row_i64(&row, p->lo);
	row_i64(&row, num_sub(p->hi, p->lo));
	row_i64(&row, p->r->start);
	row_i64(&row, num_sub(p->r->end, p->r->start));
	row_text(&row, style, strlen(style));
	row_i64(&row, p->r->pid);
	row_i64(&row, p->r->tid);
	row_i64(&row, p->n_gpu);
	if (p->level >= 0)
		buf_i64(&row, p->level);
	row_none(&row);
	row_i64(&row, p->n_child);
	put_id(p->id);
	put_id(p->parent);
	row_opt(&row, &p->stack);
	order_add(r->rows, p->id, 0, &row);
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
	.needs = NEEDS_PROJ, .print = sum_print
};
const struct report_def rep_proj_trace = { { "nvtx_gpu_proj_trace",
					       "NVTX GPU Projection Trace",
					       COLS(trace_cols) },
	"nvtxgpuproj", .types = "call,kern,copy,set,range",
	.needs = NEEDS_STACK, .on_proj = proj_trace };
