/*
 * Ranges as they look on the GPU: projections, and kernels by range. Keys
 * are NAME, TAB, style. Those of kernels by range end in process and thread
 * with leading zeros, which puts them in order; those of projections, whose
 * order does not matter, begin with a hash, by which they are sorted sooner.
 */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "map.h"
#include "reports.h"
#include "row.h"
#include "textsort.h"

#define COLS(v) v, sizeof(v) / sizeof(v[0])

#define HASH sizeof(uint32_t)
#define ID 10 /* digits of a process or thread */

static struct buf key, row;

enum { V_PROJ, V_RANGE, V_OPS, V_LEVEL, V_CHILD };

static const char *
style(const struct range *r)
{
	return r->push ? "PushPop" : "StartEnd";
}

static void
proj_sum(struct report *r, const struct proj *p)
{
	int64_t v[TABLE_VALS];
	uint32_t hash;

	if (p->r == NULL)
		return;
	hash = (uint32_t)hash_bytes(p->r->name, p->r->name_len);
	buf_clear(&key);
	buf_put(&key, (const char *)&hash, HASH);
	row_text(&key, p->r->name, p->r->name_len);
	buf_puts(&key, style(p->r));
	v[V_PROJ] = p->hi - p->lo;
	v[V_RANGE] = p->r->end - p->r->start;
	v[V_OPS] = p->n_gpu;
	v[V_LEVEL] = p->level;
	v[V_CHILD] = p->n_child;
	table_add(r->t, key.s, key.len, 0, v);
}

static void
put_mean(const struct group *g, int i)
{
	if (g->n == 1) {
		buf_i64(&row, g->sum[i]);
		buf_puts(&row, ".0\t");
	} else
		row_round(&row, (double)g->sum[i] / (double)g->n, 1);
}

static void
proj_row(void *ctx, const struct group *g)
{
	struct print *p = ctx;

	row_text(&row, g->key + HASH, g->len - HASH);
	row_i64(&row, g->sum[V_PROJ]);
	row_i64(&row, g->sum[V_RANGE]);
	row_i64(&row, (int64_t)g->n);
	row_stats(&row, g);
	row_i64(&row, g->sum[V_OPS]);
	put_mean(g, V_OPS);
	put_mean(g, V_LEVEL);
	put_mean(g, V_CHILD);
	order_add_row(p->order, g->sum[V_PROJ], &row);
}

static void
proj_print(struct report *r)
{
	print_ordered(r, proj_row);
}

static void
put_id(int64_t id)
{
	if (id > 0)
		buf_i64(&row, id);
	row_none(&row);
}

/* Work in no range is a row without a name. */
static void
proj_trace(struct report *r, const struct proj *p)
{
	row_text(&row, p->r != NULL ? p->r->name : "",
	    p->r != NULL ? p->r->name_len : 0);
	row_i64(&row, p->lo);
	row_i64(&row, p->hi - p->lo);
	if (p->r != NULL) {
		row_i64(&row, p->r->start);
		row_i64(&row, p->r->end - p->r->start);
		row_text(&row, style(p->r), strlen(style(p->r)));
	} else
		buf_puts(&row, "\t\t\t");
	row_i64(&row, p->pid);
	row_i64(&row, p->tid);
	row_i64(&row, p->n_gpu);
	if (p->r != NULL)
		buf_i64(&row, p->level);
	row_none(&row);
	row_i64(&row, p->n_child);
	put_id(p->id);
	put_id(p->parent);
	row_opt(&row, &p->stack);
	order_add(r->t, p->lo, false, &row);
}

static void
proj_trace_print(struct report *r)
{
	order_put(r->t);
	r->t = NULL;
}

/* Unset is -1; they are never negative else. */
static void
put_padded(int64_t v)
{
	char s[ID + 1] = { '\t' };
	int i;

	for (i = ID; v >= 0 && i > 0; i--, v /= 10)
		s[i] = (char)('0' + v % 10);
	buf_put(&key, s, i < ID ? sizeof(s) : 1);
}

static void
rangekern_key(const struct range *x, const struct gpu *g)
{
	buf_clear(&key);
	if (x != NULL) {
		row_text(&key, x->name, x->name_len);
		buf_puts(&key, style(x));
	} else
		row_none(&key);
	put_padded(g->pid);
	put_padded(g->tid);
}

static void
rangekern(struct report *r, struct table_key *k, const struct range *x,
    const struct gpu *g, int64_t counts)
{
	int64_t v[2] = { g->dur, counts };

	if (!table_knows(r->t, k))
		rangekern_key(x, g);
	table_add_to(r->t, k, key.s, key.len, kname_id(g->kernel, r->mode), v);
}

static struct { /* the rows of a range, to be put in order */
	struct buf text;
	struct line {
		size_t at, len, name;
		int64_t sum;
	} * line;
	size_t n, cap;
	struct buf key;
} rk;

/* The greater sum first, then by name. */
static int
cmp_line(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	return text_cmp(rk.text.s + x->name, x->at + x->len - x->name,
	    rk.text.s + y->name, y->at + y->len - y->name);
}

static void
rk_flush(void)
{
	size_t i;

	if (rk.n > 1)
		qsort(rk.line, rk.n, sizeof(*rk.line), cmp_line);
	for (i = 0; i < rk.n; i++)
		sink_row(rk.text.s + rk.line[i].at, rk.line[i].len);
	rk.n = 0;
	buf_clear(&rk.text);
}

/* Without the zeros before the number. */
static const char *
put_number(const char *s, const char *e)
{
	const char *tab = memchr(s, '\t', (size_t)(e - s));

	if (tab == NULL)
		tab = e;
	while (s + 1 < tab && *s == '0')
		s++;
	row_text(&rk.text, s, (size_t)(tab - s));
	return tab + 1;
}

static void
put_range_key(const struct group *g)
{
	const char *s = g->key, *e = s + g->len, *p = s;
	int i;

	for (i = 0; i < 2; i++)
		p = (const char *)memchr(p, '\t', (size_t)(e - p)) + 1;
	buf_put(&rk.text, s, (size_t)(p - s));
	p = put_number(p, e);
	put_number(p, e);
}

static void
rk_row(void *ctx, const struct group *g)
{
	struct line *l;
	size_t n;
	const char *name = kname_text(g->part, &n);

	(void)ctx;
	if (rk.key.len != g->len || memcmp(rk.key.s, g->key, g->len) != 0) {
		rk_flush();
		buf_clear(&rk.key);
		buf_put(&rk.key, g->key, g->len);
	}
	if (rk.n == rk.cap) {
		rk.cap = rk.cap != 0 ? rk.cap * 2 : 64;
		rk.line = xrealloc(rk.line, rk.cap, sizeof(*rk.line));
	}
	l = &rk.line[rk.n++];
	l->at = rk.text.len;
	l->sum = g->sum[0];
	put_range_key(g);
	row_i64(&rk.text, g->sum[1] & 0xffffffff);
	row_i64(&rk.text, g->sum[1] >> 32);
	row_i64(&rk.text, g->sum[0]);
	row_stats(&rk.text, g);
	l->name = rk.text.len;
	buf_put(&rk.text, name, n);
	l->len = rk.text.len - l->at;
}

static void
rk_print(struct report *r)
{
	table_each(r->t, rk_row, NULL);
	rk_flush();
	buf_clear(&rk.key);
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
static const char *const kern_cols[] = { "NVTX Range", "Style", "#PID", "#TID",
	"#NVTX Inst", "#Kern Inst", "#Total Time (ns)", "#Avg (ns)",
	"#Med (ns)", "#Min (ns)", "#Max (ns)", "#StdDev (ns)", "Kernel Name" };

const struct report_def rep_proj_sum = {
	.name = "nvtx_gpu_proj_sum",
	.old = "nvtxgpuprojsum",
	.table = { "nvtx_gpu_proj_sum", "NVTX GPU Projection Summary",
	    COLS(proj_cols) },
	.nval = 5,
	.on_proj = proj_sum,
	.print = proj_print,
};
const struct report_def rep_proj_trace = {
	.name = "nvtx_gpu_proj_trace",
	.old = "nvtxgpuproj",
	.table = { "nvtx_gpu_proj_trace", "NVTX GPU Projection Trace",
	    COLS(trace_cols) },
	.on_proj = proj_trace,
	.print = proj_trace_print,
};
const struct report_def rep_nvtx_kern_sum = {
	.name = "nvtx_kern_sum",
	.old = "nvtxkernsum",
	.table = { "nvtx_kern_sum", "NVTX Range Kernel Summary",
	    COLS(kern_cols) },
	.nval = 2,
	.on_rangekern = rangekern,
	.print = rk_print,
	.kernels = true,
};
