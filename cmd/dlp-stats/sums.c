/*
 * The summaries: durations (or sizes) by name. A group's key is what stands
 * behind the numbers in its row.
 */
#include <string.h>

#include "reports.h"
#include "row.h"

#define STATS "#Avg (ns)", "#Med (ns)", "#Min (ns)", "#Max (ns)", "#StdDev (ns)"
#define SUM "#Time (%)", "#Total Time (ns)", "#Instances", STATS
#define COLS(v) v, sizeof(v) / sizeof(v[0])

static struct buf key, row;

static void
add(struct report *r, int64_t v)
{
	table_add(r->t, key.s, key.len, 0, &v);
}

static void
key_text(const char *s, size_t n)
{
	buf_clear(&key);
	buf_reserve(&key, 1);
	buf_put(&key, s, s != NULL ? n : 0);
}

static void
print_group(void *ctx, const struct group *g)
{
	struct print *p = ctx;
	int64_t total = table_sum(p->r->t);

	row_round(&row,
	    total != 0 ? (double)g->sum[0] * 100.0 / (double)total : 0, 1);
	row_i64(&row, g->sum[0]);
	row_i64(&row, (int64_t)g->n);
	row_stats(&row, g);
	row_text(&row, g->key, g->len);
	order_add(p->order, g->sum[0], true, &row);
}

static void
print_mb(void *ctx, const struct group *g)
{
	struct print *p = ctx;

	row_round(&row, (double)g->sum[0] / 1e6, 3);
	row_i64(&row, (int64_t)g->n);
	row_stats_mb(&row, g);
	row_text(&row, g->key, g->len);
	order_add(p->order, g->sum[0], true, &row);
}

void
print_ordered(struct report *r, table_fn *fn)
{
	struct print p = { r, order_new() };

	table_each(r->t, fn, &p);
	order_put(p.order);
}

static void
print(struct report *r)
{
	print_ordered(r, print_group);
}

static void
print_sizes(struct report *r)
{
	print_ordered(r, print_mb);
}

/* Without the version, where it is one of four digits, as the vendor has
 * it: cudaMemcpy_v3020, but cudaMallocAsync_v11020. */
size_t
api_len(const struct text *t)
{
	if (t->s == NULL)
		return 0;
	if (t->n > 6 && memcmp(t->s + t->n - 6, "_v", 2) == 0)
		return t->n - 6;
	return t->n;
}

static void
api(struct report *r, const struct text *t, int64_t dur)
{
	key_text(t->s, api_len(t));
	add(r, dur);
}

static void
os(struct report *r, const struct text *t, int64_t dur)
{
	key_text(t->s, t->n);
	add(r, dur);
}

/* As dlp-parse names the kinds of copies; others by that name. */
static const struct {
	const char *kind, *label;
} copies[] = {
	{ "HtoD", "Host-to-Device" },
	{ "DtoH", "Device-to-Host" },
	{ "HtoA", "Host-to-Array" },
	{ "AtoH", "Array-to-Host" },
	{ "AtoA", "Array-to-Array" },
	{ "AtoD", "Array-to-Device" },
	{ "DtoA", "Device-to-Array" },
	{ "DtoD", "Device-to-Device" },
	{ "HtoH", "Host-to-Host" },
	{ "PtoP", "Peer-to-Peer" },
	{ "UVM HtoD", "Unified Host-to-Device" },
	{ "UVM DtoH", "Unified Device-to-Host" },
	{ "UVM DtoD", "Unified Device-to-Device" },
	{ "unknown", "Unknown" },
};

void
put_gpu_name(struct buf *b, const struct gpu *g, enum kname mode)
{
	const char *s = g->copy.s;
	size_t n = g->copy.n, i;

	if (g->kind == GPU_KERN) {
		s = kname_text(kname_id(g->kernel, mode), &n);
		buf_put(b, s, n);
		return;
	}
	if (g->kind == GPU_SET) {
		buf_puts(b, "[CUDA memset]");
		return;
	}
	for (i = 0; s != NULL && i < sizeof(copies) / sizeof(copies[0]); i++)
		if (strlen(copies[i].kind) == n &&
		    memcmp(copies[i].kind, s, n) == 0) {
			s = copies[i].label;
			n = strlen(s);
		}
	buf_puts(b, "[CUDA memcpy ");
	buf_put(b, s != NULL ? s : "Unknown", s != NULL ? n : 7);
	buf_putc(b, ']');
}

static void
kern(struct report *r, const struct gpu *g)
{
	if (g->kind != GPU_KERN)
		return;
	buf_clear(&key);
	put_gpu_name(&key, g, r->mode);
	add(r, g->dur);
}

/* 256,1,1 as numbers four wide. */
void
put_dim3(struct buf *b, const struct text *t)
{
	long x = 0, y = 0, z = 0;
	char tmp[64];

	if (t->s == NULL || t->n >= sizeof(tmp))
		return;
	memcpy(tmp, t->s, t->n);
	tmp[t->n] = '\0';
	if (sscanf(tmp, "%ld,%ld,%ld", &x, &y, &z) == 3)
		buf_printf(b, "%4ld %4ld %4ld", x, y, z);
}

static void
kern_gb(struct report *r, const struct gpu *g)
{
	if (g->kind != GPU_KERN)
		return;
	buf_clear(&key);
	put_dim3(&key, &g->grid);
	buf_putc(&key, '\t');
	put_dim3(&key, &g->block);
	buf_putc(&key, '\t');
	put_gpu_name(&key, g, r->mode);
	add(r, g->dur);
}

static void
mem_time(struct report *r, const struct gpu *g)
{
	if (g->kind == GPU_KERN)
		return;
	buf_clear(&key);
	put_gpu_name(&key, g, r->mode);
	add(r, g->dur);
}

static void
mem_size(struct report *r, const struct gpu *g)
{
	if (g->kind == GPU_KERN || g->bytes < 0)
		return;
	buf_clear(&key);
	put_gpu_name(&key, g, r->mode);
	add(r, g->bytes);
}

static void
gpu(struct report *r, const struct gpu *g)
{
	buf_clear(&key);
	buf_puts(&key, g->kind == GPU_KERN ? "CUDA_KERNEL\t" : "MEMORY_OPER\t");
	put_gpu_name(&key, g, r->mode);
	add(r, g->dur);
}

static void
range(struct report *r, const struct range *x)
{
	buf_clear(&key);
	buf_puts(&key, x->push ? "PushPop\t" : "StartEnd\t");
	buf_put(&key, x->name, x->name_len);
	add(r, x->end - x->start);
}

static void
pushpop(struct report *r, const struct range *x)
{
	if (!x->push)
		return;
	key_text(x->name, x->name_len);
	add(r, x->end - x->start);
}

static void
startend(struct report *r, const struct range *x)
{
	if (x->push)
		return;
	key_text(x->name, x->name_len);
	add(r, x->end - x->start);
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
	.name = "cuda_gpu_kern_sum",
	.old = "gpukernsum",
	.table = { "cuda_gpu_kern_sum", "CUDA GPU Kernel Summary",
	    COLS(kern_cols) },
	.nval = 1,
	.on_gpu = kern,
	.print = print,
	.kernels = true,
};
const struct report_def rep_kern_gb_sum = {
	.name = "cuda_gpu_kern_gb_sum",
	.old = "gpukerngbsum",
	.table = { "cuda_gpu_kern_gb_sum", "CUDA GPU Kernel/Grid/Block Summary",
	    COLS(gb_cols) },
	.nval = 1,
	.on_gpu = kern_gb,
	.print = print,
	.kernels = true,
};
const struct report_def rep_api_sum = {
	.name = "cuda_api_sum",
	.old = "cudaapisum",
	.table = { "cuda_api_sum", "CUDA API Summary", COLS(call_cols) },
	.nval = 1,
	.on_api = api,
	.print = print,
};
const struct report_def rep_mem_time_sum = {
	.name = "cuda_gpu_mem_time_sum",
	.old = "gpumemtimesum",
	.table = { "cuda_gpu_mem_time_sum", "CUDA GPU MemOps Summary (by Time)",
	    COLS(mem_cols) },
	.nval = 1,
	.on_gpu = mem_time,
	.print = print,
};
const struct report_def rep_mem_size_sum = {
	.name = "cuda_gpu_mem_size_sum",
	.old = "gpumemsizesum",
	.table = { "cuda_gpu_mem_size_sum", "CUDA GPU MemOps Summary (by Size)",
	    COLS(size_cols) },
	.nval = 1,
	.on_gpu = mem_size,
	.print = print_sizes,
};
const struct report_def rep_gpu_sum = {
	.name = "cuda_gpu_sum",
	.old = "gpusum",
	.table = { "cuda_gpu_sum", "CUDA GPU Summary (Kernels/MemOps)",
	    COLS(gpu_cols) },
	.nval = 1,
	.on_gpu = gpu,
	.print = print,
	.kernels = true,
};
const struct report_def rep_nvtx_sum = {
	.name = "nvtx_sum",
	.old = "nvtxsum",
	.table = { "nvtx_sum", "NVTX Range Summary", COLS(nvtx_cols) },
	.nval = 1,
	.on_range = range,
	.print = print,
};
const struct report_def rep_pushpop_sum = {
	.name = "nvtx_pushpop_sum",
	.old = "nvtxppsum",
	.table = { "nvtx_pushpop_sum", "NVTX Push/Pop Range Summary",
	    COLS(range_cols) },
	.nval = 1,
	.on_range = pushpop,
	.print = print,
};
const struct report_def rep_startend_sum = {
	.name = "nvtx_startend_sum",
	.old = "nvtxsesum",
	.table = { "nvtx_startend_sum", "NVTX Start/End Range Summary",
	    COLS(range_cols) },
	.nval = 1,
	.on_range = startend,
	.print = print,
};
const struct report_def rep_osrt_sum = {
	.name = "osrt_sum",
	.old = "osrtsum",
	.table = { "osrt_sum", "OS Runtime Summary", COLS(call_cols) },
	.nval = 1,
	.on_os = os,
	.print = print,
};
