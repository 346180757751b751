/*
 * Groups of values, sorted and merged; see table.h. Keys are kept once per
 * run, or where they do not repeat once per row; rows hold their numbers.
 */
#include <stdlib.h>
#include <unistd.h>

#include "err.h"
#include "merge.h"
#include "num.h"
#include "table_impl.h"
#include "temp.h"

size_t table_memory = (size_t)48 << 20;

#define SHAPES 32          /* their share of it */
#define MAX_ROWS INT32_MAX /* bytes of them in memory, at most */

struct table *
table_new(int nval, bool distinct)
{
	struct table *t = xcalloc(1, sizeof(*t));

	t->nval = nval;
	t->distinct = distinct;
	t->gen = 1;
	t->shapes.bound = table_memory / SHAPES;
	t->keys.shapes = &t->shapes;
	return t;
}

static void
free_rows(struct table *t)
{
	keyset_free(&t->keys);
	buf_free(&t->rows);
	buf_free(&t->sorted);
	free(t->nrows);
	free(t->first);
	free(t->unpacked);
	t->nrows = NULL;
	t->first = NULL;
	t->unpacked = NULL;
}

void
table_free(struct table *t)
{
	int i;

	if (t == NULL)
		return;
	free_rows(t);
	shapes_free(&t->shapes);
	for (i = 0; i < t->nruns; i++) {
		buf_free(&t->run[i].buf);
		if (t->run[i].fd >= 0)
			close(t->run[i].fd);
	}
	free(t->run);
	free(t);
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
	table_sort(t, o);
	run_flush(o, true);
	if (file)
		buf_free(&o->buf);
	if (t->nrows != NULL)
		memset(t->nrows, 0, t->keys.n * sizeof(*t->nrows));
	keyset_clear(&t->keys);
	buf_clear(&t->rows);
	t->most = 0;
	t->gen++;
}

static void
count_row(struct table *t, uint32_t key)
{
	size_t cap = t->nrows_cap;

	if (key >= cap) {
		t->nrows_cap = cap != 0 ? cap * 2 : 256;
		t->nrows = xrealloc(t->nrows, t->nrows_cap, sizeof(*t->nrows));
		memset(t->nrows + cap, 0,
		    (t->nrows_cap - cap) * sizeof(*t->nrows));
	}
	if (++t->nrows[key] > t->most)
		t->most = t->nrows[key];
}

static void
add_row(struct table *t, uint32_t key, uint32_t part, const int64_t *v)
{
	char *p, *row;

	count_row(t, key);
	buf_reserve(&t->rows, ROW_HEAD + RUN_ROW_MAX);
	p = t->rows.s + t->rows.len;
	memcpy(p, &key, sizeof(key));
	row = p + ROW_HEAD;
	row = run_put_row(row, part, v, t->nval);
	p[ROW_HEAD - 1] = (char)(row - p - ROW_HEAD);
	t->rows.len = (size_t)(row - t->rows.s);
	t->sum = num_add(t->sum, v[0]);
}

/* What sorting takes, too. */
static bool
full(const struct table *t)
{
	size_t n = keyset_bytes(&t->keys) + 2 * t->rows.len +
		   (size_t)t->most * RUN_WORDS * 2 * sizeof(int64_t);

	return n > table_memory || t->rows.len > MAX_ROWS ||
	       (t->keys.packed && t->shapes.full);
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
	if (!t->distinct)
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

void
table_close(struct table *t)
{
	if (!t->closed) {
		spill(t, t->nruns > 0);
		free_rows(t);
	}
	t->closed = true;
}

void
table_text(const struct table *t, const struct table_code *c, struct buf *b)
{
	run_text(&t->shapes, c, b);
}

static void
each(struct table *t, struct merge *m, table_fn *fn, void *ctx)
{
	table_close(t);
	m->runs = t->run;
	m->n = t->nruns;
	m->nval = t->nval;
	m->shapes = &t->shapes;
	merge_runs(m, fn, ctx);
}

void
table_each(struct table *t, uint32_t from, uint32_t to, table_fn *fn, void *ctx)
{
	struct merge m = { .parts = { from, to } };

	each(t, &m, fn, ctx);
}

void
table_each_code(
    struct table *t, uint32_t from, uint32_t to, table_fn *fn, void *ctx)
{
	struct merge m = { .parts = { from, to }, .codes = true };

	each(t, &m, fn, ctx);
}
