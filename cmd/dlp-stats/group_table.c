/*
 * Values by group; see stats.h. New rows are kept by key. When they fill their
 * share of the memory, the rows of each key that agree in part and first value
 * become one, and go to common/xsort, which has the rest of the memory. The
 * share is small, so that the processor's caches hold most of it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "num.h"
#include "stats.h"
#include "xsort.h"

size_t groups_memory = (size_t)48 << 20;

#define SHARE(bytes) ((bytes) / 8) /* for new rows */
#define KEY_BYTES 64               /* of a key at most, besides its text */
#define FEW 8                      /* rows that are sorted without qsort() */

struct group_row { /* rows of a key with the same part and first value */
	uint64_t part, n;
	int64_t first, sum[GROUP_VALS];
};

struct group_rows {
	struct group_row *v;
	size_t n, cap;
};

struct groups {
	int nval;
	uint64_t gen; /* of the keys' numbers */
	int64_t sum;
	struct smap keys; /* their value: the last new row + 1 */
	size_t key_bytes;
	struct new_row {
		struct group_row row;
		uint32_t next; /* of the same key, + 1 */
	} * row;
	size_t n, cap;
	struct xsort sorted; /* by key: struct group_row, as many as there are
			      */
	struct group_rows rows; /* of one key */
};

struct groups *
groups_new(int nval)
{
	struct groups *t = xcalloc(1, sizeof(*t));

	t->nval = nval;
	t->gen = 1;
	xsort_open(
	    &t->sorted, runs_bytes, NULL, groups_memory - SHARE(groups_memory));
	return t;
}

void
groups_free(struct groups *t)
{
	if (t == NULL)
		return;
	smap_free(&t->keys);
	xsort_close(&t->sorted);
	free(t->row);
	free(t->rows.v);
	free(t);
}

/* By part, then by the first value. */
static int
cmp_row(const void *x, const void *y)
{
	const struct group_row *a = x, *b = y;

	return CMP2(a, b, part, first);
}

/* Sorts the rows and joins equal ones. */
static void
join_rows(struct group_rows *r, int nval)
{
	struct group_row x, *to = r->v;
	size_t i, k;
	int j;

	if (r->n > FEW)
		qsort(r->v, r->n, sizeof(x), cmp_row);
	for (i = 1; i < r->n && r->n <= FEW; i++) { /* as most keys have */
		x = r->v[i];
		for (k = i; k > 0 && cmp_row(&r->v[k - 1], &x) > 0; k--)
			r->v[k] = r->v[k - 1];
		r->v[k] = x;
	}
	for (i = 1; i < r->n; i++) {
		if (cmp_row(to, &r->v[i]) != 0) {
			*++to = r->v[i];
			continue;
		}
		to->n += r->v[i].n;
		for (j = 0; j < nval; j++)
			to->sum[j] = num_add(to->sum[j], r->v[i].sum[j]);
	}
	r->n = r->n > 0 ? (size_t)(to - r->v) + 1 : 0;
}

/* Gives the new rows to be sorted. */
static void
flush(struct groups *t)
{
	const char *s;
	uint32_t id;
	uint64_t i;
	size_t n;

	for (id = 0; id < t->keys.n; id++) {
		t->rows.n = 0;
		for (i = t->keys.val[id]; i != 0; i = t->row[i - 1].next) {
			ARRAY_GROW(t->rows.v, t->rows.n, t->rows.cap);
			t->rows.v[t->rows.n++] = t->row[i - 1].row;
		}
		join_rows(&t->rows, t->nval);
		s = smap_str(&t->keys, id, &n);
		xsort_put(&t->sorted, s, n, t->rows.v,
		    t->rows.n * sizeof(*t->rows.v));
	}
	smap_clear(&t->keys);
	t->key_bytes = t->n = 0;
	t->gen++;
}

void
groups_add(struct groups *t, struct group_key *k, const char *key, size_t n,
    uint32_t part, const int64_t *v)
{
	struct new_row *x;
	bool is_new;

	if (t->key_bytes + t->n * sizeof(*x) > SHARE(groups_memory))
		flush(t);
	if (k->gen != t->gen) {
		k->id = smap_put(&t->keys, key, n, &is_new);
		k->gen = t->gen;
		if (is_new)
			t->key_bytes += n + KEY_BYTES;
	}
	ARRAY_GROW(t->row, t->n, t->cap);
	x = &t->row[t->n++];
	x->row = (struct group_row){ part, 1, v[0], { 0 } };
	memcpy(x->row.sum, v, (size_t)t->nval * sizeof(*v));
	x->next = (uint32_t)t->keys.val[k->id];
	t->keys.val[k->id] = t->n;
	t->sum = num_add(t->sum, v[0]);
}

int64_t
groups_sum(const struct groups *t)
{
	return t->sum;
}

/* The first value at a place in the order. */
static double
nth(const struct group_row *v, uint64_t k)
{
	for (; k >= v->n; v++)
		k -= v->n;
	return (double)v->first;
}

/* A group of n rows, which have the same key and part. */
static struct group_stats
make_group(const struct group_row *v, size_t n, int nval)
{
	struct group_stats g = { .part = (uint32_t)v->part,
		.min = v[0].first,
		.max = v[n - 1].first };
	long double mean, d, m2 = 0;
	size_t i;
	int k;

	for (i = 0; i < n; i++) {
		g.n += v[i].n;
		for (k = 0; k < nval; k++)
			g.sum[k] = num_add(g.sum[k], v[i].sum[k]);
	}
	g.avg = g.med = (double)g.sum[0];
	if (g.n == 1)
		return g;
	g.avg /= (double)g.n;
	g.med = nth(v, (g.n - 1) / 2);
	if (g.n % 2 == 0)
		g.med = (g.med + nth(v, g.n / 2)) / 2;
	mean = (long double)g.sum[0] / (long double)g.n;
	for (i = 0; i < n; i++) {
		d = (long double)v[i].first - mean;
		m2 += d * d * (long double)v[i].n;
	}
	g.sd = (double)sqrtl(m2 / (long double)(g.n - 1));
	return g;
}

void
groups_each(
    struct groups *t, uint32_t from, uint32_t to, group_fn *fn, void *ctx)
{
	struct group_rows *x = &t->rows;
	size_t i, n, joined;
	struct group_stats g;
	struct buf key = { 0 };
	struct runs_rec r;
	bool more;

	flush(t);
	xsort_again(&t->sorted);
	buf_reserve(&key, 1);
	more = xsort_next(&t->sorted, &r);
	while (more) {
		buf_clear(&key);
		buf_put(&key, r.key, r.nkey);
		x->n = joined = 0;
		do { /* all rows of that key */
			for (i = 0; i < r.nval / sizeof(*x->v); i++) {
				ARRAY_GROW(x->v, x->n, x->cap);
				memcpy(&x->v[x->n++], r.val + i * sizeof(*x->v),
				    sizeof(*x->v));
			}
			if (x->n > 2 * joined + FEW) {
				join_rows(x, t->nval);
				joined = x->n;
			}
			more = xsort_next(&t->sorted, &r);
		} while (more && r.nkey == key.len &&
			 (r.nkey == 0 || memcmp(r.key, key.s, r.nkey) == 0));
		join_rows(x, t->nval);
		for (i = 0; i < x->n; i += n) {
			for (n = 1; i + n < x->n; n++)
				if (x->v[i + n].part != x->v[i].part)
					break;
			if (x->v[i].part < from || x->v[i].part > to)
				continue;
			g = make_group(&x->v[i], n, t->nval);
			g.key = key.s;
			g.len = key.len;
			fn(ctx, &g);
		}
	}
	buf_free(&key);
}
