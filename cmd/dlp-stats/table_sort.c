/*
 * The rows of a table, sorted by key, part and first value, to a run.
 */
#include <stdlib.h>

#include "err.h"
#include "table_impl.h"

#define AHEAD 8
#define FEW 8

static uint32_t
key_of(const int64_t *row)
{
	return (uint32_t)((uint64_t)row[0] >> 32);
}

/* The rows of a key, brought together: first[k] is where those of key k
 * begin, first[n of keys] their number. */
static int64_t *
by_key(struct table *t)
{
	size_t size = (size_t)t->width * sizeof(*t->row), i, n, at = 0;
	uint32_t *first, k, nkeys = t->keys.n;

	t->sorted = xrealloc(t->sorted, t->nrows + 1, size);
	t->first = first =
	    xrealloc(t->first, (size_t)nkeys + 2, sizeof(*first));
	memset(first, 0, ((size_t)nkeys + 2) * sizeof(*first));
	for (i = 0; i < t->nrows; i++)
		first[key_of(table_row(t, t->row, i))]++;
	for (k = 0; k <= nkeys; k++) {
		n = first[k];
		first[k] = (uint32_t)at;
		at += n;
	}
	for (i = 0; i < t->nrows; i++) {
		const int64_t *r = table_row(t, t->row, i);

		memcpy(table_row(t, t->sorted, first[key_of(r)]++), r, size);
	}
	for (k = nkeys; k > 0; k--)
		first[k] = first[k - 1];
	first[0] = 0;
	return t->sorted;
}

/* By part, then by the first value. */
static int
cmp_row(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;
	uint32_t p = (uint32_t)a[0], q = (uint32_t)b[0];

	if (p != q)
		return p < q ? -1 : 1;
	return a[1] < b[1] ? -1 : a[1] > b[1];
}

/* Mostly a few. */
static void
sort_rows(const struct table *t, int64_t *row, uint32_t n)
{
	size_t size = (size_t)t->width * sizeof(*row);
	int64_t x[TABLE_VALS + 1];
	uint32_t i, k;

	if (n > FEW) {
		qsort(row, n, size, cmp_row);
		return;
	}
	for (i = 1; i < n; i++) {
		memcpy(x, table_row(t, row, i), size);
		for (k = i; k > 0 && cmp_row(table_row(t, row, k - 1), x) > 0;
		     k--)
			memcpy(table_row(t, row, k), table_row(t, row, k - 1),
			    size);
		memcpy(table_row(t, row, k), x, size);
	}
}

static void
put_key(struct table *t, struct run_out *o, const struct text_ref *x,
    int64_t *row, uint32_t n)
{
	size_t size = (size_t)t->width * sizeof(*row);
	uint32_t head[2], i;

	head[0] = x->n;
	head[1] = n;
	sort_rows(t, row, n);
	for (i = 0; i < n; i++)
		table_row(t, row, i)[0] = (uint32_t)table_row(t, row, i)[0];
	buf_put(&o->buf, (char *)head, sizeof(head));
	buf_put(&o->buf, x->s, x->n);
	buf_put(&o->buf, (char *)row, n * size);
	run_flush(o, false);
}

/* The rows of several keys with the same text, as those of one. */
static int64_t *
join(struct table *t, const int64_t *rows, const struct text_ref *v, uint32_t m,
    uint32_t *n)
{
	size_t size = (size_t)t->width * sizeof(*rows), k;
	const uint32_t *first = t->first;
	uint32_t i;

	for (i = *n = 0; i < m; i++) {
		k = first[v[i].id + 1] - first[v[i].id];
		if (*n + k > t->joined_cap) {
			t->joined_cap = (*n + k) * 2;
			t->joined = xrealloc(t->joined, t->joined_cap, size);
		}
		memcpy(table_row(t, t->joined, *n),
		    rows + (size_t)first[v[i].id] * (size_t)t->width, k * size);
		*n += (uint32_t)k;
	}
	return t->joined;
}

static uint32_t
same_texts(const struct text_ref *v, uint32_t n)
{
	uint32_t m = 1;

	while (m < n && v[m].n == v[0].n && memcmp(v[m].s, v[0].s, v[0].n) == 0)
		m++;
	return m;
}

/* Texts lie anywhere: ask for those to come. */
static void
prefetch(const struct table *t, const struct text_ref *v)
{
	__builtin_prefetch(v->s);
	__builtin_prefetch(v->s + 64);
	__builtin_prefetch(&t->first[v->id]);
}

void
table_sort(struct table *t, struct run_out *o)
{
	const struct text_ref *v = keyset_sorted(&t->keys);
	int64_t *rows = by_key(t), *row;
	uint32_t i, m, n, nkeys = t->keys.n;

	for (i = 0; i < nkeys; i += m) {
		m = 1;
		if (i + AHEAD < nkeys)
			prefetch(t, &v[i + AHEAD]);
		if (t->keys.apart)
			m = same_texts(&v[i], nkeys - i);
		row = table_row(t, rows, t->first[v[i].id]);
		n = t->first[v[i].id + 1] - t->first[v[i].id];
		if (m > 1)
			row = join(t, rows, &v[i], m, &n);
		put_key(t, o, &v[i], row, n);
	}
}
