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
	r = table_row(t, t->row, t->nrows++);
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
	       table_memory;
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
