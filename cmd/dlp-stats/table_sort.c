/*
 * The rows of a table, sorted by key, part and first value, to a run.
 */
#include <stdlib.h>

#include "err.h"
#include "table_impl.h"

#define AHEAD 8
#define FEW 8

static uint32_t
key_of(const char *row)
{
	uint32_t k;

	memcpy(&k, row, sizeof(k));
	return k;
}

static size_t
len_of(const char *row)
{
	return (unsigned char)row[ROW_HEAD - 1];
}

/* The rows of a key, brought together: first[k] is where those of key k
 * begin, first[n of keys] their end. */
static void
by_key(struct table *t)
{
	const struct buf *rows = &t->out->rows;
	const char *s = rows->s, *e = s + rows->len, *p;
	uint32_t k, nkeys = t->out->keys.n;
	size_t n, at = 0, *first;

	buf_reserve(&t->sorted, rows->len + RUN_ROW_MAX);
	if (t->first_cap < (size_t)nkeys + 2) {
		t->first_cap = (size_t)t->out->keys.cap + 2;
		t->first = xrealloc(t->first, t->first_cap, sizeof(*first));
	}
	first = t->first;
	memset(first, 0, ((size_t)nkeys + 2) * sizeof(*first));
	for (p = s; p < e; p += ROW_HEAD + len_of(p))
		first[key_of(p)] += len_of(p);
	for (k = 0; k <= nkeys; k++) {
		n = first[k];
		first[k] = at;
		at += n;
	}
	for (p = s; p < e; p += ROW_HEAD + n) {
		n = len_of(p);
		k = key_of(p);
		memcpy(t->sorted.s + first[k], p + ROW_HEAD, n);
		first[k] += n;
	}
	for (k = nkeys; k > 0; k--)
		first[k] = first[k - 1];
	first[0] = 0;
}

/* By part, then by the first value. */
static int
cmp_row(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	if (a[0] != b[0])
		return a[0] < b[0] ? -1 : 1;
	return a[1] < b[1] ? -1 : a[1] > b[1];
}

static int64_t *
row_at(const struct table *t, size_t i)
{
	return t->unpacked + i * (size_t)(t->nval + 1);
}

/* Mostly a few. */
static void
sort_rows(const struct table *t, size_t n)
{
	size_t size = (size_t)(t->nval + 1) * sizeof(int64_t), i, k;
	int64_t x[RUN_WORDS];

	if (n > FEW) {
		qsort(t->unpacked, n, size, cmp_row);
		return;
	}
	for (i = 1; i < n; i++) {
		if (cmp_row(row_at(t, i - 1), row_at(t, i)) <= 0)
			continue;
		memcpy(x, row_at(t, i), size);
		for (k = i; k > 0 && cmp_row(row_at(t, k - 1), x) > 0; k--)
			memcpy(row_at(t, k), row_at(t, k - 1), size);
		memcpy(row_at(t, k), x, size);
	}
}

/* The rows of a key, behind n others. */
static size_t
unpack(struct table *t, uint32_t key, size_t n)
{
	const char *p = t->sorted.s + t->first[key];
	const char *e = t->sorted.s + t->first[key + 1];

	while (p < e) {
		if (n == t->unpacked_cap) {
			t->unpacked_cap = n != 0 ? n * 2 : 64;
			t->unpacked = xrealloc(t->unpacked, t->unpacked_cap,
			    (size_t)(t->nval + 1) * sizeof(int64_t));
		}
		p = run_get_row(p, row_at(t, n++), t->nval);
	}
	return n;
}

/* How many keys have the text of the first. */
static uint32_t
same_texts(const struct keyset *keys, const struct text_ref *v, uint32_t n)
{
	const char *s, *t;
	size_t sn, tn;
	uint32_t m;

	s = keyset_text(keys, v[0].id, &sn);
	for (m = 1; m < n; m++) {
		t = keyset_text(keys, v[m].id, &tn);
		if (sn != tn || memcmp(s, t, sn) != 0)
			break;
	}
	return m;
}

/* Several keys have the same text: their rows are those of one. */
static void
put_key(
    struct table *t, struct run_out *o, const struct text_ref *v, uint32_t m)
{
	size_t n = 0, i;
	struct table_code c = { .packed = t->out->keys.packed };

	c.s = keyset_text(&t->out->keys, v->id, &c.n);
	if (t->distinct) {
		run_put_key(o, &c, 1);
		run_put_empty(o);
		return;
	}
	for (i = 0; i < m; i++)
		n = unpack(t, v[i].id, n);
	sort_rows(t, n);
	run_put_key(o, &c, n);
	for (i = 0; i < n; i++)
		run_add_row(o, row_at(t, i), t->nval);
}

/* Keys and texts lie anywhere: ask for those to come, first for the places
 * where it says where they are. */
static void
prefetch(const struct table *t, const struct text_ref *v, uint32_t n)
{
	const struct keyset *keys = &t->out->keys;
	const struct key *k;

	if (n > 2 * AHEAD) {
		__builtin_prefetch(&keys->key[v[2 * AHEAD].id]);
		if (!t->distinct)
			__builtin_prefetch(&t->first[v[2 * AHEAD].id]);
	}
	if (n <= AHEAD)
		return;
	k = &keys->key[v[AHEAD].id];
	__builtin_prefetch(keys->text.s + k->at);
	__builtin_prefetch(keys->text.s + k->at + k->len);
	if (!t->distinct)
		__builtin_prefetch(t->sorted.s + t->first[v[AHEAD].id]);
}

void
table_sort(struct table *t, struct run_out *o)
{
	const struct keyset *keys = &t->out->keys;
	struct text_ref *v = t->order.ref;
	uint32_t i, m, nkeys = keys->n;

	textsort(v, v + nkeys, nkeys);
	o->packed = keys->packed;
	if (!t->distinct)
		by_key(t);
	for (i = 0; i < nkeys; i += m) {
		m = 1;
		prefetch(t, &v[i], nkeys - i);
		if (keys->apart)
			m = same_texts(keys, &v[i], nkeys - i);
		put_key(t, o, &v[i], m);
		run_flush(o, false);
	}
	buf_reserve(&o->buf, RUN_SLACK);
}
