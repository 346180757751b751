/*
 * The summaries: durations (or sizes) by name. A group's key has the row's
 * texts after the numbers, with the name first, because rows are sorted by it.
 */
#include <string.h>

#include "num.h"
#include "stats.h"

#define STATS "#Avg (ns)", "#Med (ns)", "#Min (ns)", "#Max (ns)", "#StdDev (ns)"
#define SUM "#Time (%)", "#Total Time (ns)", "#Instances", STATS

static void
add_value(struct report *r, int64_t v)
{
	struct group_key k = { 0 };

	groups_add(r->t, &k, r->key.s, r->key.len, 0, &v);
	buf_clear(&r->key);
}

#define NO 16 /* letters per number */

/* A row from its group, after the order of the vendor: by total, the greatest
 * first; kernels with the same total by number of instances, the fewer first;
 * then by key. */
static void
by_total(void *ctx, const struct group_stats *g)
{
	struct report *r = ctx;
	struct buf *row = &r->row;
	int64_t total = groups_sum(r->t), then = 0;
	/* a key begins with the name */
	const char *tab = memchr(g->key, '\t', g->len);
	struct mview name = { g->key,
		tab != NULL ? (size_t)(tab - g->key) : g->len };
	const char *rest = g->key + name.n + 1;

	if (total != 0)
		row_round(row, (double)g->sum[0] * 100.0 / (double)total, 1);
	else
		row_none(row);
	row_i64(row, g->sum[0]);
	row_i64(row, (int64_t)g->n);
	row_stats(row, g);
	switch (r->def->key) {
	case KEY_KERNEL:
		then = (int64_t)g->n;
		break;
	case KEY_GRID: /* and by name, grid and block, as numbers */
		then = (int64_t)g->n;
		put_wide_dim3(row, rest);
		put_wide_dim3(row, rest + WIDE_DIM3);
		break;
	case KEY_NAME_FIRST:
		row_text(row, rest, g->len - name.n - 1);
		break;
	case KEY_CALL: /* versions have a row each, with the same name */
		name = (struct mview){ g->key + NO, g->len - NO };
		if (r->def->on_api != NULL)
			name.n = api_len(&name);
		break;
	case KEY_NAME:
		break;
	}
	row_text(row, name.s, name.n);
	order_add(r->rows, ~g->sum[0], then, row);
}

static void
by_size(void *ctx, const struct group_stats *g)
{
	struct report *r = ctx;

	row_round(&r->row, (double)g->sum[0] / 1e6, 3);
	row_i64(&r->row, (int64_t)g->n);
	row_stats_mb(&r->row, g);
	row_text(&r->row, g->key, g->len);
	order_add(r->rows, ~g->sum[0], 0, &r->row);
}

/* By number, in letters that sort like it, and name. */
static void
call(struct report *r, const struct stats_call *x)
{
	int i;

	buf_reserve(&r->key, NO);
	for (i = 0; i < NO; i++)
		r->key.s[i] = (char)('a' + (x->no >> 4 * (NO - 1 - i) & 15));
	r->key.len = NO;
	buf_put(&r->key, x->name.s, x->name.s != NULL ? x->name.n : 0);
	add_value(r, x->dur);
}

static void
kern(struct report *r, const struct stats_gpu *g)
{
	if (g->kind != GPU_KERN)
		return;
	put_gpu_name(&r->key, g, r);
	add_value(r, g->dur);
}

static void
kern_gb(struct report *r, const struct stats_gpu *g)
{
	if (g->kind != GPU_KERN)
		return;
	put_gpu_name(&r->key, g, r);
	row_none(&r->key);
	wide_dim3(&r->key, &g->grid);
	wide_dim3(&r->key, &g->block);
	add_value(r, g->dur);
}

static void
mem_time(struct report *r, const struct stats_gpu *g)
{
	if (g->kind == GPU_KERN)
		return;
	put_gpu_name(&r->key, g, r);
	add_value(r, g->dur);
}

static void
mem_size(struct report *r, const struct stats_gpu *g)
{
	if (g->kind == GPU_KERN || g->bytes < 0)
		return;
	put_gpu_name(&r->key, g, r);
	add_value(r, g->bytes);
}

static void
gpu(struct report *r, const struct stats_gpu *g)
{
	put_gpu_name(&r->key, g, r);
	row_none(&r->key);
	buf_puts(&r->key, g->kind == GPU_KERN ? "CUDA_KERNEL" : "MEMORY_OPER");
	add_value(r, g->dur);
}

static void
api_name(struct report *r, const struct stats_call *x)
{
	buf_reserve(&r->key, 1);
	buf_put(&r->key, x->name.s, api_len(&x->name));
	row_none(&r->key);
	buf_puts(&r->key, "CUDA_API");
	add_value(r, x->dur);
}

static void
any_range(struct report *r, const struct stats_range *x)
{
	buf_put(&r->key, x->name, x->name_len);
	row_none(&r->key);
	buf_puts(&r->key, range_style(x->push));
	add_value(r, num_sub(x->end, x->start));
}

static void
range_of(struct report *r, const struct stats_range *x, bool push)
{
	if (x->push != push)
		return;
	buf_put(&r->key, x->name, x->name_len);
	add_value(r, num_sub(x->end, x->start));
}

static void
pushpop(struct report *r, const struct stats_range *x)
{
	range_of(r, x, true);
}

static void
startend(struct report *r, const struct stats_range *x)
{
	range_of(r, x, false);
}

static const char *const kern_cols[] = { SUM, "Name" };
static const char *const gb_cols[] = { SUM, "GridXYZ", "BlockXYZ", "Name" };
static const char *const call_cols[] = { "#Time (%)", "#Total Time (ns)",
	"#Num Calls", STATS, "Name" };
static const char *const mem_cols[] = { "#Time (%)", "#Total Time (ns)",
	"#Count", STATS, "Operation" };
static const char *const size_cols[] = { "#Total (MB)", "#Count", "#Avg (MB)",
	"#Med (MB)", "#Min (MB)", "#Max (MB)", "#StdDev (MB)", "Operation" };
static const char *const gpu_cols[] = { SUM, "Category", "Operation" };
static const char *const nvtx_cols[] = { SUM, "Style", "Range" };
static const char *const range_cols[] = { SUM, "Range" };

const struct report_def rep_kern_sum = {
	{ "cuda_gpu_kern_sum", "CUDA GPU Kernel Summary", COLS(kern_cols) },
	"gpukernsum", .types = "kern", .on_gpu = kern, .group = by_total,
	.key = KEY_KERNEL, .kernels = true
};
const struct report_def rep_kern_gb_sum = {
	{ "cuda_gpu_kern_gb_sum", "CUDA GPU Kernel/Grid/Block Summary",
	    COLS(gb_cols) },
	"gpukerngbsum", .types = "kern", .on_gpu = kern_gb, .group = by_total,
	.key = KEY_GRID, .kernels = true
};
const struct report_def rep_api_sum = { { "cuda_api_sum", "CUDA API Summary",
					    COLS(call_cols) },
	"cudaapisum", .types = "call,kern,copy,set,sync,graph", .on_api = call,
	.group = by_total, .key = KEY_CALL };
const struct report_def rep_mem_time_sum = {
	{ "cuda_gpu_mem_time_sum", "CUDA GPU MemOps Summary (by Time)",
	    COLS(mem_cols) },
	"gpumemtimesum", .types = "copy,set", .on_gpu = mem_time,
	.group = by_total
};
const struct report_def rep_mem_size_sum = {
	{ "cuda_gpu_mem_size_sum", "CUDA GPU MemOps Summary (by Size)",
	    COLS(size_cols) },
	"gpumemsizesum", .types = "copy,set", .on_gpu = mem_size,
	.group = by_size
};
const struct report_def rep_gpu_sum = {
	{ "cuda_gpu_sum", "CUDA GPU Summary (Kernels/MemOps)", COLS(gpu_cols) },
	"gpusum", .types = "kern,copy,set", .on_gpu = gpu, .group = by_total,
	.key = KEY_NAME_FIRST, .kernels = true
};
const struct report_def rep_api_gpu_sum = {
	{ "cuda_api_gpu_sum", "CUDA Summary (API/Kernels/MemOps)",
	    COLS(gpu_cols) },
	"apigpusum", .types = "call,kern,copy,set,sync,graph",
	.on_api = api_name, .on_gpu = gpu, .group = by_total,
	.key = KEY_NAME_FIRST, .kernels = true
};
const struct report_def rep_nvtx_sum = { { "nvtx_sum", "NVTX Range Summary",
					     COLS(nvtx_cols) },
	"nvtxsum", .types = "range", .on_range = any_range, .group = by_total,
	.key = KEY_NAME_FIRST };
const struct report_def rep_pushpop_sum = {
	{ "nvtx_pushpop_sum", "NVTX Push/Pop Range Summary", COLS(range_cols) },
	"nvtxppsum", .types = "range", .on_range = pushpop, .group = by_total
};
const struct report_def rep_startend_sum = {
	{ "nvtx_startend_sum", "NVTX Start/End Range Summary",
	    COLS(range_cols) },
	"nvtxsesum", .types = "range", .on_range = startend, .group = by_total
};
const struct report_def rep_osrt_sum = {
	{ "osrt_sum", "OS Runtime Summary", COLS(call_cols) }, "osrtsum",
	.types = "os", .on_os = call, .group = by_total, .key = KEY_CALL
};
