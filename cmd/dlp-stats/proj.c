/*
 * Ranges as they look on the GPU, from the start of the first work in them to
 * the end of the last: by name, and one by one.
 */
#include <string.h>

#include "labels.h"
#include "ranges.h"
#include "reports.h"
#include "row.h"

#define COLS(v) (v), sizeof(v) / sizeof((v)[0])

static struct buf row;
static int64_t sum; /* of the row in the making */

static void
put_mean(const struct group *g, int i)
{
	if (g->n == 1) {
		buf_i64(&row, g->sum[i]);
		buf_puts(&row, ".0\t");
	} else
		row_round(&row, (double)g->sum[i] / (double)g->n, 1);
}

/* The times' group comes first, then that of the counts. */
static void
sum_part(void *ctx, const struct group *g)
{
	struct print *p = ctx;
	const char *style = range_style((g->part & RANGES_PUSH) != 0);

	if ((g->part & RANGES_OPS) == 0) {
		sum = g->sum[0];
		row_text(&row, g->key, g->len);
		row_text(&row, style, strlen(style));
		row_i64(&row, g->sum[0]);
		row_i64(&row, g->sum[1]);
		row_i64(&row, (int64_t)g->n);
		row_stats(&row, g);
		return;
	}
	row_i64(&row, g->sum[0]);
	put_mean(g, 0);
	put_mean(g, 1);
	put_mean(g, 2);
	order_add_text(p->order, ~sum, &row);
}

static void
sum_print(struct report *r)
{
	struct print p = { r, order_new() };

	ranges_each_proj(sum_part, &p);
	order_put(p.order);
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
	row_i64(&row, p->hi - p->lo);
	row_i64(&row, p->r->start);
	row_i64(&row, p->r->end - p->r->start);
	row_text(&row, style, strlen(style));
	row_i64(&row, p->r->pid);
	row_i64(&row, p->r->tid);
	row_i64(&row, p->n_gpu);
	row_i64(&row, p->level);
	row_i64(&row, p->n_child);
	put_id(p->id);
	put_id(p->parent);
	row_opt(&row, &p->stack);
	order_add(r->t, p->lo, ~(p->hi - p->lo), &row);
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
