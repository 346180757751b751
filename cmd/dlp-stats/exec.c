/* Kernels with their API calls, and the traces of single activities. */
#include <string.h>

#include "map.h"
#include "num.h"
#include "reports.h"
#include "row.h"

#define COLS(v) v, sizeof(v) / sizeof(v[0])
#define SERIES(x)                                                              \
	"#" x "Avg (ns)", "#" x "Med (ns)", "#" x "Min (ns)",                  \
	    "#" x "Max (ns)", "#" x "StdDev (ns)"

/* Parts of the groups: from the call's begin to the end of both, the call,
 * from its end to the kernel's begin if that is later, the kernel. */
enum { TOTAL, API, QUEUE, KERNEL };

static struct buf key, row;

static int64_t
max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void
exec_sum(struct report *r, const struct gpu *g)
{
	struct table_key k = { 0 };
	int64_t api_end, v;

	if (g->kind != GPU_KERN || !g->has_api)
		return;
	api_end = num_add(g->api_start, g->api_dur);
	buf_clear(&key);
	row_i64(&key, g->pid);
	row_i64(&key, g->tid);
	row_i64(&key, g->dev);
	row_text(&key, g->api.s, api_len(&g->api));
	put_gpu_name(&key, g, r->mode);
	v = max(api_end, num_add(g->start, g->dur)) - g->api_start;
	table_add_to(r->t, &k, key.s, key.len, TOTAL, &v);
	table_add_to(r->t, &k, key.s, key.len, API, &g->api_dur);
	v = g->start - api_end;
	if (v > 0)
		table_add_to(r->t, &k, key.s, key.len, QUEUE, &v);
	table_add_to(r->t, &k, key.s, key.len, KERNEL, &g->dur);
}

/* The place behind the n-th TAB. */
static size_t
behind(const char *s, int n)
{
	const char *p = s;

	while (n-- > 0)
		p = strchr(p, '\t') + 1;
	return (size_t)(p - s);
}

static struct { /* the row in the making */
	struct buf nums, id;
	int64_t n, n_queue;
	double avg;
} x;

static void
exec_row(struct print *p)
{
	size_t k = behind(buf_str(&x.id), 3);

	row_text(&row, x.id.s, k - 1);
	row_i64(&row, x.n);
	row_i64(&row, x.n_queue);
	buf_put(&row, x.nums.s, x.nums.len);
	row_text(&row, x.id.s + k, x.id.len - k);
	order_add_f64(p->order, x.avg, &row);
}

static void
no_queue(void)
{
	buf_puts(&x.nums, "\t\t\t\t0.0\t");
}

static void
exec_part(void *ctx, const struct group *g)
{
	if (g->part == TOTAL) {
		buf_clear(&x.id);
		buf_clear(&x.nums);
		buf_put(&x.id, g->key, g->len);
		x.n = (int64_t)g->n;
		x.n_queue = 0;
		x.avg = g->avg;
	}
	if (g->part == QUEUE)
		x.n_queue = (int64_t)g->n;
	if (g->part == KERNEL && x.n_queue == 0)
		no_queue();
	row_stats(&x.nums, g);
	if (g->part == KERNEL)
		exec_row(ctx);
}

static void
exec_print(struct report *r)
{
	print_ordered(r, exec_part);
}

static void
trace_print(struct report *r)
{
	order_put(r->t);
	r->t = NULL;
}

static void
exec_trace(struct report *r, const struct gpu *g)
{
	int64_t api_end, end = num_add(g->start, g->dur);

	if (g->kind != GPU_KERN || !g->has_api)
		return;
	api_end = num_add(g->api_start, g->api_dur);
	row_i64(&row, g->api_start);
	row_i64(&row, g->api_dur);
	if (g->start > api_end) {
		row_i64(&row, api_end);
		row_i64(&row, g->start - api_end);
	} else {
		row_none(&row);
		row_none(&row);
	}
	row_i64(&row, g->start);
	row_i64(&row, g->dur);
	row_i64(&row, max(end, api_end) - g->api_start);
	row_i64(&row, g->pid);
	row_i64(&row, g->tid);
	row_i64(&row, g->dev);
	row_text(&row, g->api.s, api_len(&g->api));
	put_dim3(&row, &g->grid);
	row_none(&row);
	put_dim3(&row, &g->block);
	row_none(&row);
	put_gpu_name(&row, g, r->mode);
	row_none(&row);
	order_add(r->t, g->api_start, false, &row);
}

static struct map devs;    /* device -> number of its label */
static struct smap labels; /* "NVIDIA H200 (0)" */

void
trace_section(void)
{
	map_clear(&devs);
}

void
trace_dev(int64_t dev, const struct text *name)
{
	static struct buf b;

	buf_clear(&b);
	buf_put(&b, name->s, name->s != NULL ? name->n : 0);
	buf_printf(&b, " (%lld)", (long long)dev);
	*map_put(&devs, (uint64_t)dev, NULL) =
	    smap_put(&labels, b.s, b.len, NULL);
}

static void
put_dev(int64_t dev)
{
	const uint64_t *k = map_get(&devs, (uint64_t)dev);
	size_t n;
	const char *s;

	if (k == NULL) {
		buf_printf(&row, "(%lld)\t", (long long)dev);
		return;
	}
	s = smap_str(&labels, (uint32_t)*k, &n);
	row_text(&row, s, n);
}

/* 8192,1,1 as three values. */
static void
put_dims(const struct text *t)
{
	size_t i;

	if (t->s == NULL) {
		buf_puts(&row, "\t\t\t");
		return;
	}
	for (i = 0; i < t->n; i++)
		buf_putc(&row, t->s[i] == ',' ? '\t' : t->s[i]);
	row_none(&row);
}

static void
put_mb(int64_t bytes)
{
	if (bytes >= 0)
		row_round(&row, (double)bytes / 1e6, 3);
	else
		row_none(&row);
}

/* pageable as Pageable, device-static as Device Static */
static void
put_memory(const struct text *t)
{
	size_t i;
	char c;

	for (i = 0; t->s != NULL && i < t->n; i++) {
		c = t->s[i];
		if ((i == 0 || t->s[i - 1] == '-') && c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		buf_putc(&row, c == '-' ? ' ' : c);
	}
	row_none(&row);
}

static void
put_shape(const struct gpu *g)
{
	if (g->kind == GPU_KERN) {
		put_dims(&g->grid);
		put_dims(&g->block);
		row_opt(&row, &g->regs);
		put_mb(g->smem);
		put_mb(g->dynsmem);
		buf_puts(&row, "\t\t\t\t");
		return;
	}
	buf_puts(&row, "\t\t\t\t\t\t\t\t\t");
	put_mb(g->bytes);
	if (g->bytes >= 0 && g->dur > 0)
		row_round(&row, (double)g->bytes * 1e3 / (double)g->dur, 3);
	else
		row_none(&row);
	put_memory(&g->src_mem);
	put_memory(&g->dst_mem);
}

static void
gpu_trace(struct report *r, const struct gpu *g)
{
	row_i64(&row, g->start);
	row_i64(&row, g->dur);
	if (g->corr >= 0)
		row_i64(&row, g->corr);
	else
		row_none(&row);
	put_shape(g);
	put_dev(g->dev);
	row_opt(&row, &g->ctx);
	row_none(&row);
	row_opt(&row, &g->stream);
	put_gpu_name(&row, g, r->mode);
	row_none(&row);
	order_add(r->t, g->start, false, &row);
}

static const char *const sum_cols[] = { "#PID", "#TID", "#DevId", "#Count",
	"#QCount", SERIES("T"), SERIES("A"), SERIES("Q"), SERIES("K"),
	"API Name", "Kernel Name" };
static const char *const trace_cols[] = { "#API Start (ns)", "#API Dur (ns)",
	"#Queue Start (ns)", "#Queue Dur (ns)", "#Kernel Start (ns)",
	"#Kernel Dur (ns)", "#Total Dur (ns)", "#PID", "#TID", "#DevId",
	"API Function", "GridXYZ", "BlockXYZ", "Kernel Name" };
static const char *const gpu_cols[] = { "#Start (ns)", "#Duration (ns)",
	"#CorrId", "#GrdX", "#GrdY", "#GrdZ", "#BlkX", "#BlkY", "#BlkZ",
	"#Reg/Trd", "#StcSMem (MB)", "#DymSMem (MB)", "#Bytes (MB)",
	"#Throughput (MB/s)", "SrcMemKd", "DstMemKd", "Device", "#Ctx",
	"#GreenCtx", "#Strm", "Name" };

const struct report_def rep_exec_sum = {
	.name = "cuda_kern_exec_sum",
	.old = "kernexecsum",
	.table = { "cuda_kern_exec_sum",
	    "CUDA Kernel Launch & Exec Time Summary", COLS(sum_cols) },
	.nval = 1,
	.on_gpu = exec_sum,
	.print = exec_print,
	.kernels = true,
};
const struct report_def rep_exec_trace = {
	.name = "cuda_kern_exec_trace",
	.old = "kernexectrace",
	.table = { "cuda_kern_exec_trace",
	    "CUDA Kernel Launch & Exec Time Trace", COLS(trace_cols) },
	.on_gpu = exec_trace,
	.print = trace_print,
	.kernels = true,
};
const struct report_def rep_gpu_trace = {
	.name = "cuda_gpu_trace",
	.old = "gputrace",
	.table = { "cuda_gpu_trace", "CUDA GPU Trace", COLS(gpu_cols) },
	.on_gpu = gpu_trace,
	.print = trace_print,
	.kernels = true,
};
