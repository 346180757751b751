/* Kernels with their API calls. */
#include <string.h>

#include "labels.h"
#include "reports.h"
#include "round.h"
#include "row.h"

#define COLS(v) (v), sizeof(v) / sizeof((v)[0])
#define SERIES(x)                                                              \
	"#" x "Avg (ns)", "#" x "Med (ns)", "#" x "Min (ns)",                  \
	    "#" x "Max (ns)", "#" x "StdDev (ns)"

/* Parts of the groups: from the call's begin to the end of both, the call,
 * from its end to the kernel's begin if that is not before, the kernel. */
enum { TOTAL, API, QUEUE, KERNEL };

static struct buf key, row;

static void
exec_sum(struct report *r, const struct gpu *g)
{
	struct table_key k = { 0 };
	int64_t v;

	if (g->kind != GPU_KERN || !g->has_api)
		return;
	buf_clear(&key);
	row_i64(&key, g->pid);
	row_i64(&key, g->tid);
	row_i64(&key, g->dev);
	row_text(&key, g->api.s, api_len(&g->api));
	put_gpu_name(&key, g, r);
	v = gpu_total(g);
	table_add_to(r->t, &k, key.s, key.len, TOTAL, &v);
	table_add_to(r->t, &k, key.s, key.len, API, &g->api_dur);
	if (gpu_queue(g, &v))
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

/* Process, thread and device as one number in their order. */
static int64_t
thread_order(void)
{
	int64_t v[3]; /* process, thread, device */

	if (!three_nums(buf_str(&x.id), '\t', v))
		return 0;
	return (int64_t)((uint64_t)v[0] << 40 | (uint64_t)v[1] << 16 |
			 (uint64_t)v[2]);
}

static void
exec_row(struct print *p)
{
	size_t k = behind(buf_str(&x.id), 3);

	row_text(&row, x.id.s, k - 1);
	row_i64(&row, x.n);
	row_i64(&row, x.n_queue);
	buf_put(&row, x.nums.s, x.nums.len);
	row_text(&row, x.id.s + k, x.id.len - k);
	/* by the average as it is shown */
	order_add(
	    p->order, ~order_f64(round_units(x.avg, 1)), thread_order(), &row);
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

static const char *const sum_cols[] = { "#PID", "#TID", "#DevId", "#Count",
	"#QCount", SERIES("T"), SERIES("A"), SERIES("Q"), SERIES("K"),
	"API Name", "Kernel Name" };

const struct report_def rep_exec_sum = {
	{ "cuda_kern_exec_sum", "CUDA Kernel Launch & Exec Time Summary",
	    COLS(sum_cols) },
	"kernexecsum", .types = "call,kern", .on_gpu = exec_sum,
	.group = exec_part, .kernels = true
};
