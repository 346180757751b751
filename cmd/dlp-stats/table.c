/*
 * Groups of values, sorted and merged; see table.h. Keys are kept once per
 * run, or where they do not repeat once per row; rows hold their numbers.
 */
#include <stdlib.h>
#include <unistd.h>

#include "err.h"
#include "keyset.h"
#include "merge.h"
#include "num.h"
#include "run.h"
#include "table.h"
#include "temp.h"

#define AHEAD 8
#define FEW 8

struct table {
	int nval, width; /* words in a row: key and part, values */
	bool distinct;
	uint64_t gen; /* of the keys' numbers */
	struct keyset keys;
	int64_t *row;
	size_t nrows, rowcap;
	/* for sorting, as large as the last time */
	int64_t *sorted, *joined;
	size_t joined_cap;
	uint32_t *first;
	int64_t sum;
	bool closed;
	struct run_out *run;
	int nruns;
};

struct table *
table_new(int nval, bool distinct)
{
	struct table *t = xcalloc(1, sizeof(*t));

	t->nval = nval;
	t->width = nval + 1;
	t->distinct = distinct;
	t->gen = 1;
	return t;
}

static void
free_rows(struct table *t)
{
	keyset_free(&t->keys);
	free(t->row);
	free(t->sorted);
	free(t->joined);
	free(t->first);
	t->first = NULL;
	t->row = t->sorted = t->joined = NULL;
}

void
table_free(struct table *t)
{
	int i;

	if (t == NULL)
		return;
	free_rows(t);
	for (i = 0; i < t->nruns; i++) {
		buf_free(&t->run[i].buf);
		if (t->run[i].fd >= 0)
			close(t->run[i].fd);
	}
	free(t->run);
	free(t);
}

static int64_t *
row_at(const struct table *t, int64_t *rows, size_t i)
{
	return rows + i * (size_t)t->width;
}

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
		first[key_of(row_at(t, t->row, i))]++;
	for (k = 0; k <= nkeys; k++) {
		n = first[k];
		first[k] = (uint32_t)at;
		at += n;
	}
	for (i = 0; i < t->nrows; i++) {
		const int64_t *r = row_at(t, t->row, i);

		memcpy(row_at(t, t->sorted, first[key_of(r)]++), r, size);
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
		memcpy(x, row_at(t, row, i), size);
		for (k = i; k > 0 && cmp_row(row_at(t, row, k - 1), x) > 0; k--)
			memcpy(row_at(t, row, k), row_at(t, row, k - 1), size);
		memcpy(row_at(t, row, k), x, size);
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
		row_at(t, row, i)[0] = (uint32_t)row_at(t, row, i)[0];
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
		memcpy(row_at(t, t->joined, *n),
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

static void
put_keys(struct table *t, struct run_out *o)
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
		row = row_at(t, rows, t->first[v[i].id]);
		n = t->first[v[i].id + 1] - t->first[v[i].id];
		if (m > 1)
			row = join(t, rows, &v[i], m, &n);
		put_key(t, o, &v[i], row, n);
	}
}

/* The rows to a run: in a file, or at the end, when they are the only ones,
 * in memory. */
static void
spill(struct table *t, bool file)
{
	struct run_out *o;

	t->run = xrealloc(t->run, (size_t)t->nruns + 1, sizeof(*t->run));
	o = &t->run[t->nruns++];
	memset(o, 0, sizeof(*o));
	o->fd = file ? temp_fd() : -1;
	put_keys(t, o);
	run_flush(o, true);
	if (file)
		buf_free(&o->buf);
	keyset_clear(&t->keys);
	t->nrows = 0;
	t->gen++;
}

static void
add_row(struct table *t, uint32_t key, uint32_t part, const int64_t *v)
{
	int64_t *r;
	int i;

	if (t->nrows == t->rowcap) {
		t->rowcap = t->rowcap != 0 ? t->rowcap * 2 : 256;
		t->row = xrealloc(
		    t->row, t->rowcap * (size_t)t->width, sizeof(*t->row));
	}
	r = row_at(t, t->row, t->nrows++);
	r[0] = (int64_t)((uint64_t)key << 32 | part);
	for (i = 0; i < t->nval; i++)
		r[i + 1] = v[i];
	t->sum = num_add(t->sum, v[0]);
}

/* What sorting takes, too. */
static bool
full(const struct table *t)
{
	return keyset_bytes(&t->keys) + t->nrows * (size_t)t->width * 16 >
	       TABLE_BYTES;
}

bool
table_knows(const struct table *t, const struct table_key *k)
{
	return k->gen == t->gen && !full(t);
}

void
table_add_to(struct table *t, struct table_key *k, const char *key, size_t n,
    uint32_t part, const int64_t *v)
{
	if (full(t))
		spill(t, true);
	if (k->gen != t->gen) {
		k->id = t->distinct ? keyset_new(&t->keys, key, n)
				    : keyset_put(&t->keys, key, n);
		k->gen = t->gen;
	}
	add_row(t, k->id, part, v);
}

void
table_add(
    struct table *t, const char *key, size_t n, uint32_t part, const int64_t *v)
{
	struct table_key k = { 0 };

	table_add_to(t, &k, key, n, part, v);
}

int64_t
table_sum(const struct table *t)
{
	return t->sum;
}

bool
table_close(struct table *t)
{
	if (!t->closed) {
		spill(t, t->nruns > 0);
		free_rows(t);
	}
	t->closed = true;
	return t->nruns > 1;
}

void
table_each(struct table *t, uint32_t from, uint32_t to, table_fn *fn, void *ctx)
{
	struct run_parts parts = { from, to };

	table_close(t);
	merge_runs(t->run, t->nruns, t->nval, &parts, fn, ctx);
}
