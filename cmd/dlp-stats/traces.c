/* The traces of GPU work: a row each, by start. */
#include <string.h>

#include "labels.h"
#include "map.h"
#include "num.h"
#include "reports.h"
#include "row.h"

#define COLS(v) (v), sizeof(v) / sizeof((v)[0])

static struct buf row;

static void
exec_trace(struct report *r, const struct gpu *g)
{
	int64_t queue;

	if (g->kind != GPU_KERN || !g->has_api)
		return;
	row_i64(&row, g->api_start);
	row_i64(&row, g->api_dur);
	if (gpu_queue(g, &queue)) {
		row_i64(&row, num_sub(g->start, queue));
		row_i64(&row, queue);
	} else {
		row_none(&row);
		row_none(&row);
	}
	row_i64(&row, g->start);
	row_i64(&row, g->dur);
	row_i64(&row, gpu_total(g));
	row_i64(&row, g->pid);
	row_i64(&row, g->tid);
	row_i64(&row, g->dev);
	row_text(&row, g->api.s, api_len(&g->api));
	put_dim3(&row, &g->grid);
	row_none(&row);
	put_dim3(&row, &g->block);
	row_none(&row);
	put_gpu_name(&row, g, r);
	row_none(&row);
	order_add(r->rows, g->api_start, g->idx, &row);
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
		buf_printf(&row, " (%lld)\t", (long long)dev);
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

/* The vendor's: bytes as often as the duration goes into a second, the rest
 * dropped. */
static void
put_throughput(const struct gpu *g)
{
	int64_t often = g->dur != 0 ? 1000000000 / g->dur : 0;

	if (g->bytes >= 0 && g->dur != 0)
		row_round(&row, (double)g->bytes * (double)often / 1e6, 3);
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
	put_throughput(g);
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
	put_gpu_name(&row, g, r);
	row_none(&row);
	order_add(r->rows, g->start, (int64_t)g->kind << 60 | g->idx, &row);
}

static const char *const trace_cols[] = { "#API Start (ns)", "#API Dur (ns)",
	"#Queue Start (ns)", "#Queue Dur (ns)", "#Kernel Start (ns)",
	"#Kernel Dur (ns)", "#Total Dur (ns)", "#PID", "#TID", "#DevId",
	"API Function", "GridXYZ", "BlockXYZ", "Kernel Name" };
static const char *const gpu_cols[] = { "#Start (ns)", "#Duration (ns)",
	"#CorrId", "#GrdX", "#GrdY", "#GrdZ", "#BlkX", "#BlkY", "#BlkZ",
	"#Reg/Trd", "#StcSMem (MB)", "#DymSMem (MB)", "#Bytes (MB)",
	"#Throughput (MB/s)", "SrcMemKd", "DstMemKd", "Device", "#Ctx",
	"#GreenCtx", "#Strm", "Name" };

const struct report_def rep_exec_trace = {
	{ "cuda_kern_exec_trace", "CUDA Kernel Launch & Exec Time Trace",
	    COLS(trace_cols) },
	"kernexectrace", .types = "call,kern", .on_gpu = exec_trace,
	.kernels = true
};
const struct report_def rep_gpu_trace = {
	{ "cuda_gpu_trace", "CUDA GPU Trace", COLS(gpu_cols) }, "gputrace",
	.types = "kern,copy,set,dev", .on_gpu = gpu_trace, .kernels = true
};
