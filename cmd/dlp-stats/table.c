/*
 * Groups of values, sorted and merged; see table.h. Keys are kept once per
 * run and numbered; rows hold the number.
 */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "buf.h"
#include "err.h"
#include "map.h"
#include "merge.h"
#include "num.h"
#include "run.h"
#include "table.h"
#include "temp.h"
#include "textsort.h"

#define AHEAD 8

struct key {
	size_t at;
	uint32_t len, hash;
};

struct table {
	int nval, width; /* words in a row: key and part, values */
	bool distinct;
	uint64_t gen; /* of the keys' numbers */
	struct buf text;
	struct key *key;
	uint32_t nkeys, keycap;
	uint32_t *slot; /* number + 1, by hash */
	uint32_t nslots;
	int64_t *row;
	size_t nrows, rowcap;
	/* for sorting, as large as the last time */
	int64_t *sorted;
	struct text_ref *ref;
	uint32_t *first;
	int64_t sum;
	bool any, closed;
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

/* What rows and keys take is used again by the next ones. */
static void
clear_rows(struct table *t)
{
	buf_clear(&t->text);
	if (t->nslots > 0)
		memset(t->slot, 0, t->nslots * sizeof(*t->slot));
	t->nkeys = 0;
	t->nrows = 0;
}

static void
free_rows(struct table *t)
{
	buf_free(&t->text);
	free(t->key);
	free(t->slot);
	free(t->row);
	free(t->sorted);
	free(t->ref);
	free(t->first);
	t->key = NULL;
	t->slot = t->first = NULL;
	t->row = t->sorted = NULL;
	t->ref = NULL;
	t->nslots = 0;
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

static void
rehash(struct table *t)
{
	uint32_t i, k;

	t->nslots = t->nslots != 0 ? t->nslots * 2 : 1024;
	free(t->slot);
	t->slot = xcalloc(t->nslots, sizeof(*t->slot));
	for (i = 0; i < t->nkeys; i++) {
		k = t->key[i].hash & (t->nslots - 1);
		while (t->slot[k] != 0)
			k = (k + 1) & (t->nslots - 1);
		t->slot[k] = i + 1;
	}
}

static uint32_t
new_key(struct table *t, const char *s, size_t n, uint32_t hash)
{
	struct key *k;

	if (t->nkeys == t->keycap) {
		t->keycap = t->keycap != 0 ? t->keycap * 2 : 256;
		t->key = xrealloc(t->key, t->keycap, sizeof(*t->key));
	}
	k = &t->key[t->nkeys];
	k->at = t->text.len;
	k->len = (uint32_t)n;
	k->hash = hash;
	buf_put(&t->text, s, n);
	return t->nkeys++;
}

static uint32_t
key_of(struct table *t, const char *s, size_t n)
{
	const struct key *x;
	uint32_t h, k;

	buf_reserve(&t->text, 1);
	if (t->distinct)
		return new_key(t, s, n, 0);
	if (t->nkeys >= t->nslots / 2)
		rehash(t);
	h = (uint32_t)hash_bytes(s, n);
	for (k = h & (t->nslots - 1); t->slot[k] != 0;
	     k = (k + 1) & (t->nslots - 1)) {
		x = &t->key[t->slot[k] - 1];
		if (x->hash == h && x->len == n &&
		    memcmp(t->text.s + x->at, s, n) == 0)
			return t->slot[k] - 1;
	}
	t->slot[k] = t->nkeys + 1;
	return new_key(t, s, n, h);
}

/* By number of the key, then as cmp_row says: place of the first row of each
 * key, in the order of the keys that rank gives. */

static int
cmp_row(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;
	uint32_t p = (uint32_t)a[0], q = (uint32_t)b[0];

	if (p != q)
		return p < q ? -1 : 1;
	return a[1] < b[1] ? -1 : a[1] > b[1];
}

static struct text_ref *
sorted_keys(struct table *t)
{
	struct text_ref *v;
	uint32_t i;

	t->ref = v = xrealloc(t->ref, t->nkeys + 1, sizeof(*v));

	for (i = 0; i < t->nkeys; i++) {
		v[i].s = t->text.s + t->key[i].at;
		v[i].n = t->key[i].len;
		v[i].id = i;
	}
	textsort(v, t->nkeys);
	return v;
}

/* The rows of a key, brought together: first[k] is where those of key k
 * begin, first[nkeys] their number. */
static uint32_t *
by_key(struct table *t, int64_t *out)
{
	uint32_t *first, k;
	const int64_t *r;
	size_t i;

	t->first = first = xrealloc(t->first, t->nkeys + 2, sizeof(*first));
	memset(first, 0, (t->nkeys + 2) * sizeof(*first));
	for (i = 0; i < t->nrows; i++)
		first[(uint64_t)t->row[i * (size_t)t->width] >> 32]++;
	for (i = 0, k = 0; k <= t->nkeys; k++) {
		size_t n = first[k];

		first[k] = (uint32_t)i;
		i += n;
	}
	for (i = 0; i < t->nrows; i++) {
		r = t->row + i * (size_t)t->width;
		k = (uint32_t)((uint64_t)r[0] >> 32);
		memcpy(out + (size_t)first[k]++ * (size_t)t->width, r,
		    (size_t)t->width * sizeof(*r));
	}
	for (k = t->nkeys; k > 0; k--)
		first[k] = first[k - 1];
	first[0] = 0;
	return first;
}

static void
put_key(struct table *t, struct run_out *o, const struct text_ref *x,
    int64_t *row, uint32_t n)
{
	size_t size = (size_t)t->width * sizeof(*row);
	uint32_t head[2], i;

	head[0] = x->n;
	head[1] = n;
	if (n > 1)
		qsort(row, n, size, cmp_row);
	for (i = 0; i < n; i++)
		row[i * (size_t)t->width] = (uint32_t)row[i * (size_t)t->width];
	buf_put(&o->buf, (char *)head, sizeof(head));
	buf_put(&o->buf, x->s, x->n);
	buf_put(&o->buf, (char *)row, n * size);
	run_flush(o, false);
}

/* The rows to a run: in a file, or at the end, when they are the only ones,
 * in memory. */
static void
spill(struct table *t, bool file)
{
	struct text_ref *v = sorted_keys(t);
	struct run_out *o;
	int64_t *rows;
	uint32_t *first, i;

	t->sorted = rows = xrealloc(
	    t->sorted, (t->nrows + 1) * (size_t)t->width, sizeof(*rows));
	first = by_key(t, rows);
	t->run = xrealloc(t->run, (size_t)t->nruns + 1, sizeof(*t->run));
	o = &t->run[t->nruns++];
	memset(o, 0, sizeof(*o));
	o->fd = file ? temp_fd() : -1;
	for (i = 0; i < t->nkeys; i++) {
		uint32_t k = v[i].id;

		/* texts lie anywhere: ask for those to come */
		if (i + AHEAD < t->nkeys) {
			__builtin_prefetch(v[i + AHEAD].s);
			__builtin_prefetch(v[i + AHEAD].s + 64);
			__builtin_prefetch(&first[v[i + AHEAD].id]);
		}
		put_key(t, o, &v[i], rows + (size_t)first[k] * (size_t)t->width,
		    first[k + 1] - first[k]);
	}
	run_flush(o, true);
	if (file)
		buf_free(&o->buf);
	clear_rows(t);
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
	r = t->row + t->nrows++ * (size_t)t->width;
	r[0] = (int64_t)((uint64_t)key << 32 | part);
	for (i = 0; i < t->nval; i++)
		r[i + 1] = v[i];
	t->sum = num_add(t->sum, v[0]);
	t->any = true;
}

/* What sorting takes, too. */
static bool
full(const struct table *t)
{
	return t->text.len + t->nkeys * 64 + t->nrows * (size_t)t->width * 16 >
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
		k->id = key_of(t, key, n);
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
table_empty(const struct table *t)
{
	return !t->any;
}

void
table_each(struct table *t, table_fn *fn, void *ctx)
{
	if (!t->closed)
		spill(t, t->nruns > 0);
	t->closed = true;
	free_rows(t);
	merge_runs(t->run, t->nruns, t->nval, fn, ctx);
}
