/*
 * The traces, a row for each event by its start: of API calls, of GPU work, of
 * kernels with their calls; and the summary of the last.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "num.h"
#include "stats.h"

static void
exec_trace(struct report *r, const struct stats_gpu *g)
{
	struct buf *row = &r->row;
	int64_t queue;

	if (g->kind != GPU_KERN || !g->has_api)
		return;
	row_i64(row, g->api_start);
	row_i64(row, g->api_dur);
	if (gpu_queue(g, &queue)) {
		row_i64(row, num_sub(g->start, queue));
		row_i64(row, queue);
	} else {
		row_none(row);
		row_none(row);
	}
	row_i64(row, g->start);
	row_i64(row, g->dur);
	row_i64(row, gpu_total(g));
	row_i64(row, g->pid);
	row_i64(row, g->tid);
	row_i64(row, g->dev);
	row_text(row, g->api.s, api_len(&g->api));
	put_dim3(row, &g->grid);
	row_none(row);
	put_dim3(row, &g->block);
	row_none(row);
	put_gpu_name(row, g, r);
	row_none(row);
	order_add(r->rows, g->api_start, g->idx, row);
}

struct thread_name { /* of the section */
	char *label; /* priority and name, as values of a row */
	size_t len;
	size_t next; /* of the same thread, by number + 1; 0 if none */
};

void
trace_thread(struct trace_names *t, struct thread_id id,
    const struct mview *prio, const struct mview *name)
{
	bool fresh;
	size_t i = smap_put(&t->nos, (char *)&id, sizeof(id), &fresh);
	uint64_t *k = &t->nos.val[i];
	struct thread_name *x;
	struct buf b = { 0 };

	ARRAY_GROW(t->thread, t->n, t->cap);
	row_opt(&b, prio);
	row_opt(&b, name);
	x = &t->thread[t->n++];
	*x = (struct thread_name){ b.s, b.len, 0 };
	if (fresh) {
		*k = t->n;
		return;
	}
	for (i = *k - 1; t->thread[i].next != 0; i = t->thread[i].next - 1)
		;
	t->thread[i].next = t->n;
}

void
trace_section(struct trace_names *t)
{
	smap_clear(&t->devs);
	while (t->n > 0)
		free(t->thread[--t->n].label);
	smap_clear(&t->nos);
}

struct dev_id { /* the key of a map */
	int64_t file, dev;
};

void
trace_dev(
    struct trace_names *t, uint32_t file, int64_t dev, const struct mview *name)
{
	struct dev_id id = { file, dev };
	struct buf b = { 0 };
	uint32_t i = smap_put(&t->devs, (const char *)&id, sizeof(id), NULL);

	buf_put(&b, name->s, name->s != NULL ? name->n : 0);
	buf_printf(&b, " (%lld)", (long long)dev);
	t->devs.val[i] = smap_put(&t->labels, b.s, b.len, NULL);
	buf_free(&b);
}

static void
put_dev(struct buf *row, const struct trace_names *t, const struct stats_gpu *g)
{
	struct dev_id id = { g->file, g->dev };
	uint32_t i = smap_find(&t->devs, (const char *)&id, sizeof(id));
	size_t n;
	const char *s;

	if (i == SMAP_NONE) {
		buf_printf(row, " (%lld)\t", (long long)g->dev);
		return;
	}
	s = smap_str(&t->labels, (uint32_t)t->devs.val[i], &n);
	row_text(row, s, n);
}

/* 8192,1,1 as three values. */
static void
grid_fields(struct buf *row, const struct mview *t)
{
	size_t i;

	if (t->s == NULL) {
		buf_puts(row, "\t\t\t");
		return;
	}
	for (i = 0; i < t->n; i++)
		buf_putc(row, t->s[i] == ',' ? '\t' : t->s[i]);
	row_none(row);
}

static void
put_mb(struct buf *row, int64_t bytes)
{
	if (bytes >= 0)
		row_round(row, (double)bytes / 1e6, 3);
	else
		row_none(row);
}

/* pageable as Pageable, device-static as Device Static */
static void
put_memory(struct buf *row, const struct mview *t)
{
	size_t i;
	char c;

	for (i = 0; t->s != NULL && i < t->n; i++) {
		c = t->s[i];
		if ((i == 0 || t->s[i - 1] == '-') && c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		buf_putc(row, c == '-' ? ' ' : c);
	}
	row_none(row);
}

static void
put_shape(struct buf *row, const struct stats_gpu *g)
{
	int64_t often = g->dur != 0 ? 1000000000 / g->dur : 0;

	if (g->kind == GPU_KERN) {
		grid_fields(row, &g->grid);
		grid_fields(row, &g->block);
		row_opt(row, &g->regs);
		put_mb(row, g->smem);
		put_mb(row, g->dynsmem);
		buf_puts(row, "\t\t\t\t");
		return;
	}
	buf_puts(row, "\t\t\t\t\t\t\t\t\t");
	put_mb(row, g->bytes);
	/* the vendor's formula: bytes times the number of whole durations in a
	 * second */
	if (g->bytes >= 0 && g->dur != 0)
		row_round(row, (double)g->bytes * (double)often / 1e6, 3);
	else
		row_none(row);
	put_memory(row, &g->src_mem);
	put_memory(row, &g->dst_mem);
}

static void
gpu_trace(struct report *r, const struct stats_gpu *g)
{
	struct buf *row = &r->row;

	row_i64(row, g->start);
	row_i64(row, g->dur);
	if (g->corr >= 0)
		row_i64(row, g->corr);
	else
		row_none(row);
	put_shape(row, g);
	put_dev(row, &r->stats->traces, g);
	row_opt(row, &g->ctx);
	row_none(row);
	row_opt(row, &g->stream);
	put_gpu_name(row, g, r);
	row_none(row);
	order_add(r->rows, g->start, (int64_t)g->kind << 60 | g->idx, row);
}

static const char *const exec_cols[] = { "#API Start (ns)", "#API Dur (ns)",
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
	    COLS(exec_cols) },
	"kernexectrace", .types = "call,kern", .on_gpu = exec_trace,
	.kernels = true
};
const struct report_def rep_gpu_trace = {
	{ "cuda_gpu_trace", "CUDA GPU Trace", COLS(gpu_cols) }, "gputrace",
	.types = "kern,copy,set,dev", .on_gpu = gpu_trace, .kernels = true
};

static void
put_call_row(
    struct report *r, const struct stats_call *c, const char *label, size_t n)
{
	struct buf *row = &r->row;

	row_i64(row, c->start);
	row_i64(row, c->dur);
	row_text(row, c->name.s, api_len(&c->name));
	row_opt(row, &c->ret);
	row_opt(row, &c->corr);
	row_i64(row, c->pid);
	row_i64(row, c->tid);
	buf_put(row, label, n);
	order_add(r->rows, c->start, c->idx, row);
}

static void
api_trace(struct report *r, const struct stats_call *c)
{
	const struct trace_names *t = &r->stats->traces;
	struct thread_id id = { c->file, c->pid, c->tid };
	uint32_t no = smap_find(&t->nos, (const char *)&id, sizeof(id));
	const struct thread_name *x;
	size_t i;

	for (i = no != SMAP_NONE ? t->nos.val[no] : 0; i != 0; i = x->next) {
		x = &t->thread[i - 1];
		put_call_row(r, c, x->label, x->len);
	}
	if (no == SMAP_NONE)
		put_call_row(r, c, "\t\t", 2);
}

static const char *const api_cols[] = { "#Start (ns)", "#Duration (ns)", "Name",
	"#Result", "#CorrID", "#Pid", "#Tid", "#T-Pri", "Thread Name" };

const struct report_def rep_api_trace = {
	{ "cuda_api_trace", "CUDA API Trace", COLS(api_cols) }, "cudaapitrace",
	.types = "call,kern,copy,set,sync,graph,thread", .on_api = api_trace
};

/* Kernels with their API calls. */

#define SERIES(x)                                                              \
	"#" x "Avg (ns)", "#" x "Med (ns)", "#" x "Min (ns)",                  \
	    "#" x "Max (ns)", "#" x "StdDev (ns)"

/* Parts of the groups: from the start of the call to the end of both, the call,
 * from its end to the kernel's start if that is not earlier, the kernel. */
enum { TOTAL, API, QUEUE, KERNEL };

static void
exec_sum(struct report *r, const struct stats_gpu *g)
{
	struct group_key k = { 0 };
	int64_t v;

	if (g->kind != GPU_KERN || !g->has_api)
		return;
	buf_clear(&r->key);
	row_i64(&r->key, g->pid);
	row_i64(&r->key, g->tid);
	row_i64(&r->key, g->dev);
	row_text(&r->key, g->api.s, api_len(&g->api));
	put_gpu_name(&r->key, g, r);
	v = gpu_total(g);
	groups_add(r->t, &k, r->key.s, r->key.len, TOTAL, &v);
	groups_add(r->t, &k, r->key.s, r->key.len, API, &g->api_dur);
	if (gpu_queue(g, &v))
		groups_add(r->t, &k, r->key.s, r->key.len, QUEUE, &v);
	groups_add(r->t, &k, r->key.s, r->key.len, KERNEL, &g->dur);
}

struct exec_row { /* the row that is being made */
	struct buf nums, id;
	int64_t n, n_queue;
	double avg;
};

static void
exec_row(struct report *r)
{
	struct exec_row *x = r->state;
	const char *id = buf_str(&x->id), *names = id;
	int64_t v[3] = { 0 }; /* process, thread, device */
	int i;

	for (i = 0; i < 3; i++)
		names = strchr(names, '\t') + 1;
	(void)three_nums(id, '\t', v);
	row_text(&r->row, id, (size_t)(names - id) - 1);
	row_i64(&r->row, x->n);
	row_i64(&r->row, x->n_queue);
	buf_put(&r->row, x->nums.s, x->nums.len);
	row_text(&r->row, names, x->id.len - (size_t)(names - id));
	/* by the average as printed, then by process, thread and device as one
	 * number that sorts like them */
	order_add(r->rows, ~order_f64(round_units(x->avg, 1)),
	    (int64_t)((uint64_t)v[0] << 40 | (uint64_t)v[1] << 16 |
		      (uint64_t)v[2]),
	    &r->row);
}

static void
exec_part(void *ctx, const struct group_stats *g)
{
	struct report *r = ctx;
	struct exec_row *x = r->state;

	if (g->part == TOTAL) {
		buf_clear(&x->id);
		buf_clear(&x->nums);
		buf_put(&x->id, g->key, g->len);
		x->n = (int64_t)g->n;
		x->n_queue = 0;
		x->avg = g->avg;
	}
	if (g->part == QUEUE)
		x->n_queue = (int64_t)g->n;
	if (g->part == KERNEL && x->n_queue == 0)
		buf_puts(&x->nums, "\t\t\t\t0.0\t");
	row_stats(&x->nums, g);
	if (g->part == KERNEL)
		exec_row(r);
}

static const char *const sum_cols[] = { "#PID", "#TID", "#DevId", "#Count",
	"#QCount", SERIES("T"), SERIES("A"), SERIES("Q"), SERIES("K"),
	"API Name", "Kernel Name" };

const struct report_def rep_exec_sum = {
	{ "cuda_kern_exec_sum", "CUDA Kernel Launch & Exec Time Summary",
	    COLS(sum_cols) },
	"kernexecsum", .types = "call,kern", .on_gpu = exec_sum,
	.group = exec_part, .kernels = true, .state = sizeof(struct exec_row)
};
