/*
 * The summaries: durations (or sizes) by name. A group's key is what stands
 * behind the numbers in its row, the name first, as that is the order.
 */
#include <string.h>

#include "labels.h"
#include "num.h"
#include "reports.h"
#include "row.h"

#define STATS "#Avg (ns)", "#Med (ns)", "#Min (ns)", "#Max (ns)", "#StdDev (ns)"
#define SUM "#Time (%)", "#Total Time (ns)", "#Instances", STATS
#define COLS(v) (v), sizeof(v) / sizeof((v)[0])

static struct buf key, row;

static void
add(struct report *r, int64_t v)
{
	table_add(r->t, key.s, key.len, 0, &v);
	buf_clear(&key);
}

/* The length of the name that a key begins with. */
static size_t
key_name(const struct group *g)
{
	const char *tab = memchr(g->key, '\t', g->len);

	return tab != NULL ? (size_t)(tab - g->key) : g->len;
}

static void
put_sum(const struct print *p, const struct group *g)
{
	int64_t total = table_sum(p->r->t);

	if (total != 0)
		row_round(&row, (double)g->sum[0] * 100.0 / (double)total, 1);
	else
		row_none(&row);
	row_i64(&row, g->sum[0]);
	row_i64(&row, (int64_t)g->n);
	row_stats(&row, g);
}

static void
by_total(void *ctx, const struct group *g)
{
	struct print *p = ctx;

	put_sum(p, g);
	row_text(&row, g->key, g->len);
	order_add(p->order, ~g->sum[0], 0, &row);
}

/* The key is the name, by which equal rows are ordered, and what the row has
 * before it. */
static void
by_total_name(void *ctx, const struct group *g)
{
	struct print *p = ctx;
	size_t n = key_name(g);

	put_sum(p, g);
	row_text(&row, g->key + n + 1, g->len - n - 1);
	row_text(&row, g->key, n);
	order_add(p->order, ~g->sum[0], 0, &row);
}

#define NO 16 /* letters of a number */

/* Calls of several versions have rows of their own, of the same name. */
static void
by_total_api(void *ctx, const struct group *g)
{
	const struct text name = { g->key + NO, g->len - NO };
	struct print *p = ctx;

	put_sum(p, g);
	row_text(&row, name.s, api_len(&name));
	order_add(p->order, ~g->sum[0], 0, &row);
}

static void
by_total_os(void *ctx, const struct group *g)
{
	struct print *p = ctx;

	put_sum(p, g);
	row_text(&row, g->key + NO, g->len - NO);
	order_add(p->order, ~g->sum[0], 0, &row);
}

/* Of kernels with the same total, those of fewer instances come first. */
static void
by_total_count(void *ctx, const struct group *g)
{
	struct print *p = ctx;

	put_sum(p, g);
	row_text(&row, g->key, g->len);
	order_add(p->order, ~g->sum[0], (int64_t)g->n, &row);
}

/* Then by name, grid and block, as numbers. */
static void
by_total_gb(void *ctx, const struct group *g)
{
	struct print *p = ctx;
	size_t n = key_name(g);

	put_sum(p, g);
	put_wide_dim3(&row, g->key + n + 1);
	put_wide_dim3(&row, g->key + n + 1 + WIDE_DIM3);
	row_text(&row, g->key, n);
	order_add(p->order, ~g->sum[0], (int64_t)g->n, &row);
}

static void
by_size(void *ctx, const struct group *g)
{
	struct print *p = ctx;

	row_round(&row, (double)g->sum[0] / 1e6, 3);
	row_i64(&row, (int64_t)g->n);
	row_stats_mb(&row, g);
	row_text(&row, g->key, g->len);
	order_add(p->order, ~g->sum[0], 0, &row);
}

/* By number, in letters that are in its order, and name. */
static void
call(struct report *r, const struct call *x)
{
	int i;

	buf_reserve(&key, NO);
	for (i = 0; i < NO; i++)
		key.s[i] = (char)('a' + (x->no >> 4 * (NO - 1 - i) & 15));
	key.len = NO;
	buf_put(&key, x->name.s, x->name.s != NULL ? x->name.n : 0);
	add(r, x->dur);
}

static void
kern(struct report *r, const struct gpu *g)
{
	if (g->kind != GPU_KERN)
		return;
	put_gpu_name(&key, g, r);
	add(r, g->dur);
}

static void
kern_gb(struct report *r, const struct gpu *g)
{
	if (g->kind != GPU_KERN)
		return;
	put_gpu_name(&key, g, r);
	row_none(&key);
	wide_dim3(&key, &g->grid);
	wide_dim3(&key, &g->block);
	add(r, g->dur);
}

static void
mem_time(struct report *r, const struct gpu *g)
{
	if (g->kind == GPU_KERN)
		return;
	put_gpu_name(&key, g, r);
	add(r, g->dur);
}

static void
mem_size(struct report *r, const struct gpu *g)
{
	if (g->kind == GPU_KERN || g->bytes < 0)
		return;
	put_gpu_name(&key, g, r);
	add(r, g->bytes);
}

static void
gpu(struct report *r, const struct gpu *g)
{
	put_gpu_name(&key, g, r);
	row_none(&key);
	buf_puts(&key, g->kind == GPU_KERN ? "CUDA_KERNEL" : "MEMORY_OPER");
	add(r, g->dur);
}

static void
api_name(struct report *r, const struct call *x)
{
	buf_reserve(&key, 1);
	buf_put(&key, x->name.s, api_len(&x->name));
	row_none(&key);
	buf_puts(&key, "CUDA_API");
	add(r, x->dur);
}

static void
range(struct report *r, const struct range *x)
{
	buf_put(&key, x->name, x->name_len);
	row_none(&key);
	buf_puts(&key, range_style(x->push));
	add(r, num_sub(x->end, x->start));
}

static void
range_of(struct report *r, const struct range *x, bool push)
{
	if (x->push != push)
		return;
	buf_put(&key, x->name, x->name_len);
	add(r, num_sub(x->end, x->start));
}

static void
pushpop(struct report *r, const struct range *x)
{
	range_of(r, x, true);
}

static void
startend(struct report *r, const struct range *x)
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
	"gpukernsum", .types = "kern", .on_gpu = kern, .group = by_total_count,
	.kernels = true
};
const struct report_def rep_kern_gb_sum = {
	{ "cuda_gpu_kern_gb_sum", "CUDA GPU Kernel/Grid/Block Summary",
	    COLS(gb_cols) },
	"gpukerngbsum", .types = "kern", .on_gpu = kern_gb,
	.group = by_total_gb, .kernels = true
};
const struct report_def rep_api_sum = { { "cuda_api_sum", "CUDA API Summary",
					    COLS(call_cols) },
	"cudaapisum", .types = "call,kern,copy,set,sync,graph", .on_api = call,
	.group = by_total_api };
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
	"gpusum", .types = "kern,copy,set", .on_gpu = gpu,
	.group = by_total_name, .kernels = true
};
const struct report_def rep_api_gpu_sum = {
	{ "cuda_api_gpu_sum", "CUDA Summary (API/Kernels/MemOps)",
	    COLS(gpu_cols) },
	"apigpusum", .types = "call,kern,copy,set,sync,graph",
	.on_api = api_name, .on_gpu = gpu, .group = by_total_name,
	.kernels = true
};
const struct report_def rep_nvtx_sum = {
	{ "nvtx_sum", "NVTX Range Summary", COLS(nvtx_cols) }, "nvtxsum",
	.types = "range", .on_range = range, .group = by_total_name
};
const struct report_def rep_pushpop_sum = {
	{ "nvtx_pushpop_sum", "NVTX Push/Pop Range Summary", COLS(range_cols) },
	"nvtxppsum", .types = "range", .on_range = pushpop, .group = by_total
};
const struct report_def rep_startend_sum = {
	{ "nvtx_startend_sum", "NVTX Start/End Range Summary",
	    COLS(range_cols) },
	"nvtxsesum", .types = "range", .on_range = startend, .group = by_total
};
const struct report_def rep_osrt_sum = { { "osrt_sum", "OS Runtime Summary",
					     COLS(call_cols) },
	"osrtsum", .types = "os", .on_os = call, .group = by_total_os };
