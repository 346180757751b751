/*
 * Runs of rows to groups: their first values come in order, so that equal
 * ones are counted, and the median is there at the end.
 */
#include <math.h>
#include <stdlib.h>

#include "err.h"
#include "merge.h"
#include "num.h"
#include "textsort.h"

struct acc { /* of a group */
	const struct merge *m;
	struct group g;
	struct buf key, code, text; /* key: what it is compared by */
	bool any;                   /* there is a key, */
	bool has_text;              /* and its text */
	bool packed;                /* keys are no texts */
	int64_t *val;               /* distinct first values */
	uint64_t *count;
	size_t n, cap;
	int nval;
};

static int
run_cmp(const struct run *a, const struct run *b)
{
	int c;

	if (a->chunk != b->chunk)
		return a->chunk < b->chunk ? -1 : 1;
	c = text_cmp(a->key.s, a->key.len, b->key.s, b->key.len);
	if (c != 0)
		return c;
	if (a->row[0] != b->row[0])
		return a->row[0] < b->row[0] ? -1 : 1;
	return a->row[1] < b->row[1] ? -1 : a->row[1] > b->row[1];
}

static void
sift(struct run **v, int n, int i)
{
	struct run *x = v[i];
	int k;

	while ((k = 2 * i + 1) < n) {
		if (k + 1 < n && run_cmp(v[k + 1], v[k]) < 0)
			k++;
		if (run_cmp(x, v[k]) <= 0)
			break;
		v[i] = v[k];
		i = k;
	}
	v[i] = x;
}

static bool
same_key(const struct acc *a, const struct run *r)
{
	return a->any && a->key.len == r->key.len &&
	       (r->key.len == 0 || memcmp(a->key.s, r->key.s, r->key.len) == 0);
}

static void
begin_key(struct acc *a, const struct run *r)
{
	buf_clear(&a->key);
	buf_put(&a->key, r->key.s, r->key.len);
	buf_clear(&a->code);
	buf_put(&a->code, r->code.s, r->code.n);
	a->any = true;
	a->has_text = false;
}

static void
begin(struct acc *a, const struct run *r)
{
	memset(&a->g, 0, sizeof(a->g));
	a->g.code =
	    (struct table_code){ a->code.s, a->code.len, r->code.packed };
	a->g.part = (uint32_t)r->row[0];
	a->g.min = r->row[1];
	a->n = 0;
}

static void
count(struct acc *a, int64_t v)
{
	if (a->n > 0 && a->val[a->n - 1] == v) {
		a->count[a->n - 1]++;
		return;
	}
	if (a->n == a->cap) {
		a->cap = a->cap != 0 ? a->cap * 2 : 64;
		a->val = xrealloc(a->val, a->cap, sizeof(*a->val));
		a->count = xrealloc(a->count, a->cap, sizeof(*a->count));
	}
	a->val[a->n] = v;
	a->count[a->n++] = 1;
}

static void
add(struct acc *a, const struct run *r)
{
	int i;

	for (i = 0; i < a->nval; i++)
		a->g.sum[i] = num_add(a->g.sum[i], r->row[i + 1]);
	a->g.n++;
	a->g.max = r->row[1];
	count(a, r->row[1]);
}

/* The value at a place in the order. */
static int64_t
nth(const struct acc *a, uint64_t k)
{
	size_t i;

	for (i = 0; k >= a->count[i]; i++)
		k -= a->count[i];
	return a->val[i];
}

/* Of a sample. */
static double
deviation(const struct acc *a)
{
	long double mean = (long double)a->g.sum[0] / (long double)a->g.n;
	long double d, m2 = 0;
	size_t i;

	for (i = 0; i < a->n; i++) {
		d = (long double)a->val[i] - mean;
		m2 += d * d * (long double)a->count[i];
	}
	return (double)sqrtl(m2 / (long double)(a->g.n - 1));
}

static void
set_key(struct acc *a)
{
	const struct buf *text = &a->key;

	if (a->packed && a->m->codes)
		return;
	if (a->packed)
		text = &a->text;
	if (a->packed && !a->has_text) {
		buf_clear(&a->text);
		buf_reserve(&a->text, 1);
		run_text(a->m->shapes, &a->g.code, &a->text);
		a->has_text = true;
	}
	a->g.key = text->s;
	a->g.len = text->len;
}

static void
finish(struct acc *a, table_fn *fn, void *ctx)
{
	struct group *g = &a->g;

	set_key(a);
	g->avg = g->med = (double)g->sum[0];
	g->sd = 0;
	if (g->n > 1) {
		g->avg /= (double)g->n;
		g->med = (double)nth(a, (g->n - 1) / 2);
		if (g->n % 2 == 0)
			g->med = (g->med + (double)nth(a, g->n / 2)) / 2;
		g->sd = deviation(a);
	}
	fn(ctx, g);
}

static void
merge(struct run **heap, int n, struct acc *a, table_fn *fn, void *ctx)
{
	struct run *r;
	bool same;

	while (n > 0) {
		r = heap[0];
		same = same_key(a, r);
		if (a->g.n > 0 && !(same && a->g.part == r->row[0])) {
			finish(a, fn, ctx);
			a->g.n = 0;
		}
		if (!same)
			begin_key(a, r);
		if (a->g.n == 0)
			begin(a, r);
		add(a, r);
		run_next(r);
		if (r->end)
			heap[0] = heap[--n];
		if (n > 1)
			sift(heap, n, 0);
	}
	if (a->g.n > 0)
		finish(a, fn, ctx);
}

/* Whether all keys are packed, and can be compared so. */
static bool
all_packed(const struct merge *m)
{
	int i;

	for (i = 0; i < m->n; i++)
		if (!m->runs[i].packed)
			return false;
	shapes_rank(m->shapes);
	return true;
}

void
merge_runs(const struct merge *m, table_fn *fn, void *ctx)
{
	struct run *runs = xcalloc((size_t)m->n + 1, sizeof(*runs));
	struct run **heap = xcalloc((size_t)m->n + 1, sizeof(struct run *));
	struct acc a = { .m = m, .nval = m->nval, .packed = all_packed(m) };
	int i, k = 0;

	for (i = 0; i < m->n; i++) {
		runs[i].nval = m->nval;
		runs[i].shapes = m->shapes;
		runs[i].packed = a.packed;
		runs[i].parts = m->parts;
		run_open(&runs[i], &m->runs[i]);
		if (!runs[i].end)
			heap[k++] = &runs[i];
	}
	for (i = k / 2; i-- > 0;)
		sift(heap, k, i);
	merge(heap, k, &a, fn, ctx);
	for (i = 0; i < m->n; i++)
		run_close(&runs[i]);
	buf_free(&a.key);
	buf_free(&a.code);
	buf_free(&a.text);
	free(a.val);
	free(a.count);
	free(heap);
	free(runs);
}
