/* Kernels by range: the rows of a range's name together, in order. */
#include <stdlib.h>
#include <string.h>

#include "behind.h"
#include "err.h"
#include "labels.h"
#include "packed.h"
#include "ranges.h"
#include "reports.h"
#include "row.h"
#include "textsort.h"

#define COLS(v) (v), sizeof(v) / sizeof((v)[0])

static struct {
	struct buf name; /* of the ranges */
	struct buf text;
	struct line {
		size_t at, len;
		const struct ranges_kern *k;
		int64_t sum;
	} * line;
	size_t n, cap;
} x;

static int
cmp(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* By process, thread, the greater sum first, style, and kernel. */
static int
cmp_line(const void *p, const void *q)
{
	const struct line *a = p, *b = q;
	const char *s, *t;
	size_t n, m;
	int c = cmp(a->k->pid, b->k->pid);

	if (c == 0)
		c = cmp(a->k->tid, b->k->tid);
	if (c == 0)
		c = cmp(b->sum, a->sum);
	if (c == 0) /* PushPop, StartEnd */
		c = b->k->push - a->k->push;
	if (c != 0)
		return c;
	s = kname_text(a->k->name, &n);
	t = kname_text(b->k->name, &m);
	return text_cmp(s, n, t, m);
}

static void
flush(void)
{
	size_t i;

	if (x.n > 1)
		qsort(x.line, x.n, sizeof(*x.line), cmp_line);
	for (i = 0; i < x.n; i++)
		sink_row_now(x.text.s + x.line[i].at, x.line[i].len);
	x.n = 0;
	buf_clear(&x.text);
}

static struct line *
new_line(void)
{
	if (x.n == x.cap) {
		x.cap = x.cap != 0 ? x.cap * 2 : 64;
		x.line = xrealloc(x.line, x.cap, sizeof(*x.line));
	}
	return &x.line[x.n++];
}

/* Unset is -1; they are never negative else. */
static void
put_id(int64_t id)
{
	if (id >= 0)
		buf_i64(&x.text, id);
	row_none(&x.text);
}

static void
put_line(const struct group *g)
{
	const struct ranges_kern *k = ranges_kern_of(g->part);
	const char *s = x.name.len > 0 ? range_style(k->push) : "";
	struct line *l = new_line();
	size_t n;

	l->at = x.text.len;
	l->sum = g->sum[0];
	l->k = k;
	row_text(&x.text, x.name.s, x.name.len);
	row_text(&x.text, s, strlen(s));
	put_id(k->pid);
	put_id(k->tid);
	row_i64(&x.text, g->sum[1]);
	row_i64(&x.text, g->sum[2]);
	row_i64(&x.text, g->sum[0]);
	row_stats(&x.text, g);
	s = kname_text(k->name, &n);
	buf_put(&x.text, s, n);
	l->len = x.text.len - l->at;
}

/* A group, with its name where that is another one than before. */
enum { SAME, OTHER };

static void
line(const char *s, size_t n)
{
	const char *e = s + n;
	bool other = *s++ == OTHER;
	struct group g;

	s = packed_get(&g, s);
	if (other) {
		flush();
		buf_clear(&x.name);
		buf_put(&x.name, s, (size_t)(e - s));
	}
	put_line(&g);
}

static struct {
	struct buf name; /* of the last group */
	struct buf b;
} last;

static void
group(void *ctx, const struct group *g)
{
	const struct report *r = ctx;
	struct buf *b = &last.b, *name = &last.name;

	if (ranges_kern_of(g->part)->mode != r->mode)
		return;
	buf_clear(b);
	if (name->len == g->len &&
	    (g->len == 0 || memcmp(name->s, g->key, g->len) == 0)) {
		buf_putc(b, SAME);
		packed_put(b, g);
	} else {
		buf_putc(b, OTHER);
		packed_put(b, g);
		buf_put(b, g->key, g->len);
		buf_clear(name);
		buf_put(name, g->key, g->len);
	}
	behind_row(line, b->s, b->len);
}

/* The lines are made beside the merge. */
static void
print(struct report *r)
{
	ranges_each_kern(group, r);
	behind_end();
	flush();
	buf_clear(&x.name);
	buf_clear(&last.name);
}

static const char *const kern_cols[] = { "NVTX Range", "Style", "#PID", "#TID",
	"#NVTX Inst", "#Kern Inst", "#Total Time (ns)", "#Avg (ns)",
	"#Med (ns)", "#Min (ns)", "#Max (ns)", "#StdDev (ns)", "Kernel Name" };

const struct report_def rep_nvtx_kern_sum = {
	{ "nvtx_kern_sum", "NVTX Range Kernel Summary", COLS(kern_cols) },
	"nvtxkernsum", .types = "call,kern,range", .needs = NEEDS_KERN,
	.print = print, .kernels = true
};
