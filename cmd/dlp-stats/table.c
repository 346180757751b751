/*
 * Groups of values, sorted and merged; see table.h. Keys are kept once per
 * run, or where they do not repeat once per row; rows hold their numbers.
 * While one lot of rows is sorted by a thread, the next comes in.
 */
#include <stdlib.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "err.h"
#include "merge.h"
#include "num.h"
#include "table_impl.h"
#include "temp.h"

size_t table_memory = (size_t)48 << 20;

#define SHAPES 32          /* their share of it */
#define MAX_ROWS INT32_MAX /* bytes of them in memory, at most */
#define LARGE (1 << 20)    /* bytes */

/* Large blocks are the system's again when they are freed: tables come one
 * after the other, and are made in several threads. */
static void
give_back_large(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, LARGE);
#endif
}

struct table *
table_new(int nval, bool distinct)
{
	struct table *t = xcalloc(1, sizeof(*t));

	give_back_large();
	t->nval = nval;
	t->distinct = distinct;
	t->gen = 1;
	t->shapes.bound = table_memory / SHAPES;
	t->in = &t->fills[0];
	t->out = &t->fills[1];
	t->in->keys.shapes = t->out->keys.shapes = &t->shapes;
	return t;
}

static void
free_fill(struct fill *f)
{
	keyset_free(&f->keys);
	buf_free(&f->rows);
	free(f->nrows);
	f->nrows = NULL;
}

static void
free_rows(struct table *t)
{
	free_fill(&t->fills[0]);
	free_fill(&t->fills[1]);
	keyset_order_free(&t->order);
	buf_free(&t->sorted);
	free(t->first);
	free(t->unpacked);
	t->first = NULL;
	t->unpacked = NULL;
}

static void
wait_sorted(struct table *t)
{
	if (!t->sorting)
		return;
	beside_end(&t->beside);
	beside_say(&t->beside);
	t->sorting = false;
}

void
table_free(struct table *t)
{
	int i;

	if (t == NULL)
		return;
	wait_sorted(t);
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

/* What is in t->out to the last run; then it is empty. */
static void
sort_out(void *arg)
{
	struct table *t = arg;
	struct run_out *o = &t->run[t->nruns - 1];
	struct fill *f = t->out;

	table_sort(t, o);
	run_flush(o, true);
	if (o->fd >= 0)
		buf_free(&o->buf);
	if (f->nrows != NULL)
		memset(f->nrows, 0, f->keys.n * sizeof(*f->nrows));
	keyset_clear(&f->keys);
	buf_clear(&f->rows);
	f->most = 0;
}

/* The rows to a run: in a file, or at the end, when they are the only ones,
 * in memory. */
static void
spill(struct table *t, bool file)
{
	struct fill *f = t->in;

	wait_sorted(t);
	t->in = t->out;
	t->out = f;
	t->gen++;
	t->run = xrealloc(t->run, (size_t)t->nruns + 1, sizeof(*t->run));
	t->run[t->nruns++] = (struct run_out){ .fd = file ? temp_fd() : -1 };
	/* it looks at the shapes, to which others come */
	keyset_order(&f->keys, &t->order);
	t->sorting =
	    file && beside_can() && beside_begin(&t->beside, sort_out, NULL, t);
	if (!t->sorting)
		sort_out(t);
}

static void
count_row(struct fill *f, uint32_t key)
{
	size_t cap = f->nrows_cap;

	if (key >= cap) {
		f->nrows_cap = cap != 0 ? cap * 2 : 256;
		f->nrows = xrealloc(f->nrows, f->nrows_cap, sizeof(*f->nrows));
		memset(f->nrows + cap, 0,
		    (f->nrows_cap - cap) * sizeof(*f->nrows));
	}
	if (++f->nrows[key] > f->most)
		f->most = f->nrows[key];
}

static void
add_row(struct table *t, uint32_t key, uint32_t part, const int64_t *v)
{
	struct buf *rows = &t->in->rows;
	char *p, *row;

	count_row(t->in, key);
	buf_reserve(rows, ROW_HEAD + RUN_ROW_MAX);
	p = rows->s + rows->len;
	memcpy(p, &key, sizeof(key));
	row = p + ROW_HEAD;
	row = run_put_row(row, part, v, t->nval);
	p[ROW_HEAD - 1] = (char)(row - p - ROW_HEAD);
	rows->len = (size_t)(row - rows->s);
	t->sum = num_add(t->sum, v[0]);
}

/* What sorting takes, too. Two lots are there at a time. */
static bool
full(const struct table *t)
{
	const struct fill *f = t->in;
	size_t n = keyset_bytes(&f->keys) + 2 * f->rows.len +
		   (size_t)f->most * RUN_WORDS * 2 * sizeof(int64_t);

	return n > table_memory / 2 || f->rows.len > MAX_ROWS ||
	       (f->keys.packed && t->shapes.full);
}

void
table_add_to(struct table *t, struct table_key *k, const char *key, size_t n,
    uint32_t part, const int64_t *v)
{
	if (full(t))
		spill(t, true);
	if (k->gen != t->gen) {
		k->id = t->distinct ? keyset_new(&t->in->keys, key, n)
				    : keyset_put(&t->in->keys, key, n);
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
		wait_sorted(t);
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
