/*
 * Groups of values, sorted and merged; see group_table.h. Keys are stored once
 * per run or, if they do not repeat, once per row; rows hold their numbers.
 * While a thread sorts one batch of rows, the next one is filled.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "beside.h"
#include "buf.h"
#include "err.h"
#include "group_table.h"
#include "map.h"
#include "num.h"
#include "spill.h"
#include "text_shapes.h"
#include "textsort.h"
#include "varint.h"

/*
 * Keys are texts with numbers from 0. A text that is already there gets its
 * number again, as long as the search pays. If nearly all texts are new, as
 * names of ranges with an op id are, each gets a number of its own, and equal
 * texts can have several numbers; such texts are packed (text_shapes.c).
 */
struct keyset {                     /* all zero is empty */
	struct text_shapes *shapes; /* the caller's; NULL: texts are not
				     * packed */
	struct buf text;
	struct keyset_key {
		size_t at;
		uint32_t len, hash;
	} * key;
	uint32_t n, cap;
	uint32_t *slot; /* number + 1, by hash */
	uint32_t nslots;
	uint32_t asked; /* lookups since it was empty */
	bool apart;     /* equal texts are not searched for */
	bool packed;    /* all texts are packed */
};

struct keyset_order { /* all zero is empty; memory is kept */
	struct buf bytes;
	struct text_ref *ref; /* twice as many as there are texts */
	size_t cap;
};

/* A text as it is stored, packed or not. */
static inline const char *
keyset_text(const struct keyset *k, uint32_t i, size_t *n)
{
	*n = k->key[i].len;
	return k->text.s + k->key[i].at;
}

/*
 * A sorted run of rows, in memory or in a file without a name,
 * made of numbers as in varint.h:
 *	2 * length of the key + 1 if it is packed, number of rows, the key,
 *	rows: 8 * part + number of values, values; trailing zeros are left out
 */
#define RUN_WORDS (1 + GROUP_VALS) /* of a row at most: part, values */
#define RUN_ROW_MAX (VARINT_MAX * RUN_WORDS)
#define RUN_SLACK (RUN_ROW_MAX * 2) /* unused: reads go beyond the end */

struct group_run_out {
	struct buf buf;
	int fd;      /* -1: everything is in memory */
	bool packed; /* all keys are packed */
};

/* Writes a row at p, which has room for RUN_ROW_MAX bytes; returns its end. */
static inline char *
run_put_row(char *p, uint32_t part, const int64_t *v, int nval)
{
	int i;

	while (nval > 0 && v[nval - 1] == 0)
		nval--;
	p = varint_put(p, (uint64_t)part << 3 | (unsigned)nval);
	for (i = 0; i < nval; i++)
		p = varint_put(p, varint_fold(v[i]));
	return p;
}

/* Reads the part and values of the row at p. */
static inline const char *
run_get_row(const char *p, int64_t *row, int nval)
{
	uint64_t v;
	int i, n;

	p = varint_get(p, &v);
	n = (int)(v & 7);
	row[0] = (int64_t)(v >> 3);
	for (i = 1; i <= nval; i++) {
		v = 0;
		if (i <= n)
			p = varint_get(p, &v);
		row[i] = varint_unfold(v);
	}
	return p;
}

struct group_parts {       /* rows of other parts are skipped */
	uint32_t from, to; /* both included */
};

struct group_merge {
	const struct group_run_out *runs;
	int n, nval;
	struct text_shapes *shapes; /* of their keys */
	bool codes;                 /* groups need only the code of their key */
	struct group_parts parts;
};

struct group_fill { /* rows in the order of their arrival */
	struct keyset keys;
	struct buf rows;
	uint32_t *nrows; /* by key */
	size_t nrows_cap;
	uint32_t most; /* the most rows of a key */
};

struct groups {
	int nval;
	bool distinct; /* keys have no rows */
	uint64_t gen;  /* of the keys' numbers */
	struct text_shapes shapes;
	struct group_fill fills[2];
	struct group_fill *in;  /* takes new rows */
	struct group_fill *out; /* is being sorted; with it everything up to
				 * sum */
	struct keyset_order order;
	struct buf sorted;
	size_t *first, first_cap;
	int64_t *unpacked;
	size_t unpacked_cap;
	struct beside beside; /* the thread that sorts */
	bool sorting;
	int64_t sum;
	bool closed;
	struct group_run_out *run;
	int nruns;
};

/*
 * Sorted runs of rows, written and read, and their merge into groups. The first
 * values of a group come in order, so that equal ones are counted, and the
 * median is known at the end.
 */

struct group_run {
	int fd;       /* -1: everything is in b */
	struct buf b; /* bytes that were read; those from pos on are not used
		       * yet */
	size_t pos;
	off_t at;               /* place in the file of the next read */
	bool end;               /* there are no more rows */
	struct group_code code; /* the current row's key, as stored in keep */
	struct buf keep, key;   /* key: the bytes by which it is compared */
	uint64_t chunk;         /* text_chunk() of it */
	bool has_key;
	size_t rows; /* rows after this one with the same key */
	int nval;
	const struct text_shapes *shapes; /* of keys */
	bool packed; /* all runs' keys are packed: they can be compared
		      * without their texts */
	struct group_parts parts;
	int64_t row[RUN_WORDS];
};

#define PIECE ((size_t)256 << 10)

static void
run_put_key(struct group_run_out *o, const struct group_code *c, size_t nrows)
{
	varint_add(&o->buf, (uint64_t)c->n << 1 | c->packed);
	varint_add(&o->buf, nrows);
	buf_put(&o->buf, c->s, c->n);
}

static void
run_add_row(struct group_run_out *o, const int64_t *row, int nval)
{
	char *p;

	buf_reserve(&o->buf, RUN_ROW_MAX);
	p = o->buf.s + o->buf.len;
	p = run_put_row(p, (uint32_t)row[0], row + 1, nval);
	o->buf.len = (size_t)(p - o->buf.s);
}

/* a row of part 0 without values */
static void
run_put_empty(struct group_run_out *o)
{
	buf_putc(&o->buf, 0);
}

/* Writes the bytes in buf to the file if there is one and they are many, or if
 * all is set. */
static void
run_flush(struct group_run_out *o, bool all)
{
	size_t done = 0;
	ssize_t n;

	if (o->fd < 0 || (!all && o->buf.len < PIECE))
		return;
	while (done < o->buf.len) {
		n = write(o->fd, o->buf.s + done, o->buf.len - done);
		if (n < 0 && errno != EINTR)
			die_errno("temporary file (see TMPDIR)");
		done += n > 0 ? (size_t)n : 0;
	}
	buf_clear(&o->buf);
}

static void
run_text(const struct text_shapes *x, const struct group_code *c, struct buf *b)
{
	if (c->packed)
		shapes_unpack(x, b, c->s, c->n);
	else
		buf_put(b, c->s, c->n);
}

static void
more(struct group_run *r, size_t want)
{
	size_t left = r->b.len - r->pos, room;
	ssize_t n;

	if (left > 0)
		memmove(r->b.s, r->b.s + r->pos, left);
	r->b.len = left;
	r->pos = 0;
	room = (want > PIECE ? want : PIECE) + RUN_SLACK;
	if (r->b.cap < room)
		buf_reserve(&r->b, room - left);
	while (r->b.len < want) {
		n = pread(r->fd, r->b.s + r->b.len,
		    r->b.cap - RUN_SLACK - r->b.len, r->at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			die_errno("temporary file");
		if (n == 0)
			return;
		r->at += n;
		r->b.len += (size_t)n;
	}
}

/* The next bytes of the run; fewer than n only at its end. */
static inline const char *
run_peek(struct group_run *r, size_t n)
{
	if (r->b.len - r->pos < n && r->fd >= 0)
		more(r, n);
	return r->b.s + r->pos;
}

/* The bytes up to p have been used. */
static inline void
used(struct group_run *r, const char *p)
{
	r->pos = (size_t)(p - r->b.s);
	if (r->pos > r->b.len)
		die("temporary file: cut off");
}

static bool
next_key(struct group_run *r)
{
	const char *s = run_peek(r, 2 * VARINT_MAX);
	uint64_t head, rows;

	if (r->pos == r->b.len)
		return false;
	s = varint_get(s, &head);
	used(r, varint_get(s, &rows));
	r->rows = rows;
	r->code.packed = head & 1;
	r->code.n = head >> 1;
	s = run_peek(r, r->code.n);
	used(r, s + r->code.n);
	buf_clear(&r->keep);
	buf_reserve(&r->keep, 1);
	buf_put(&r->keep, s, r->code.n);
	r->code.s = r->keep.s;
	r->has_key = false;
	return true;
}

/* sets end, or the row and its key */
static void
run_next(struct group_run *r)
{
	do {
		if (r->rows == 0 && !next_key(r)) {
			r->end = true;
			return;
		}
		used(r, run_get_row(run_peek(r, RUN_ROW_MAX), r->row, r->nval));
		r->rows--;
	} while (r->row[0] < r->parts.from || r->row[0] > r->parts.to);
	if (r->has_key)
		return;
	buf_clear(&r->key);
	buf_reserve(&r->key, 1);
	if (r->packed)
		shapes_order(r->shapes, &r->key, r->code.s, r->code.n);
	else
		run_text(r->shapes, &r->code, &r->key);
	r->chunk = text_chunk(r->key.s, r->key.len);
	r->has_key = true;
}

static void
run_open(struct group_run *r, const struct group_run_out *o)
{
	r->fd = o->fd;
	if (r->fd < 0)
		r->b = o->buf; /* lent */
	run_next(r);
}

static void
run_close(struct group_run *r)
{
	if (r->fd >= 0)
		buf_free(&r->b);
	buf_free(&r->keep);
	buf_free(&r->key);
}

struct group_acc { /* of a group */
	const struct group_merge *m;
	struct group_stats g;
	struct buf key, code, text; /* key: the bytes by which it is compared */
	bool any;                   /* there is a key, */
	bool has_text;              /* and its text */
	bool packed;                /* keys are packed, not texts */
	int64_t *val;               /* distinct first values */
	uint64_t *count;
	size_t n, cap;
	int nval;
};

static int
run_cmp(const struct group_run *a, const struct group_run *b)
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
sift(struct group_run **v, int n, int i)
{
	struct group_run *x = v[i];
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
same_key(const struct group_acc *a, const struct group_run *r)
{
	return a->any && a->key.len == r->key.len &&
	       (r->key.len == 0 || memcmp(a->key.s, r->key.s, r->key.len) == 0);
}

static void
begin_key(struct group_acc *a, const struct group_run *r)
{
	buf_clear(&a->key);
	buf_put(&a->key, r->key.s, r->key.len);
	buf_clear(&a->code);
	buf_put(&a->code, r->code.s, r->code.n);
	a->any = true;
	a->has_text = false;
}

static void
begin_group(struct group_acc *a, const struct group_run *r)
{
	memset(&a->g, 0, sizeof(a->g));
	a->g.code =
	    (struct group_code){ a->code.s, a->code.len, r->code.packed };
	a->g.part = (uint32_t)r->row[0];
	a->g.min = r->row[1];
	a->n = 0;
}

static void
count(struct group_acc *a, int64_t v)
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
add_run_row(struct group_acc *a, const struct group_run *r)
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
nth(const struct group_acc *a, uint64_t k)
{
	size_t i;

	for (i = 0; k >= a->count[i]; i++)
		k -= a->count[i];
	return a->val[i];
}

/* The standard deviation of a sample. */
static double
deviation(const struct group_acc *a)
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
set_key(struct group_acc *a)
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
finish(struct group_acc *a, group_fn *fn, void *ctx)
{
	struct group_stats *g = &a->g;

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
merge(struct group_run **heap, int n, struct group_acc *a, group_fn *fn,
    void *ctx)
{
	struct group_run *r;
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
			begin_group(a, r);
		add_run_row(a, r);
		run_next(r);
		if (r->end)
			heap[0] = heap[--n];
		if (n > 1)
			sift(heap, n, 0);
	}
	if (a->g.n > 0)
		finish(a, fn, ctx);
}

/* True if all keys are packed, and can be compared that way. */
static bool
all_packed(const struct group_merge *m)
{
	int i;

	for (i = 0; i < m->n; i++)
		if (!m->runs[i].packed)
			return false;
	shapes_rank(m->shapes);
	return true;
}

static void
merge_runs(const struct group_merge *m, group_fn *fn, void *ctx)
{
	struct group_run *runs = xcalloc((size_t)m->n + 1, sizeof(*runs));
	struct group_run **heap =
	    xcalloc((size_t)m->n + 1, sizeof(struct group_run *));
	struct group_acc a = {
		.m = m, .nval = m->nval, .packed = all_packed(m)
	};
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

/* The keys, and the rows in memory. */

#define ROW_HEAD 5 /* bytes before a row in memory: its key, its length */

/* The keys. */

#define TRIAL 4096 /* texts after which it is decided if they repeat */

static void
rehash(struct keyset *k)
{
	uint32_t i, h;

	k->nslots = k->nslots != 0 ? k->nslots * 2 : 1024;
	free(k->slot);
	k->slot = xcalloc(k->nslots, sizeof(*k->slot));
	for (i = 0; i < k->n; i++) {
		h = k->key[i].hash & (k->nslots - 1);
		while (k->slot[h] != 0)
			h = (h + 1) & (k->nslots - 1);
		k->slot[h] = i + 1;
	}
}

/* The length of text from there on. */
static uint32_t
new_key(struct keyset *k, size_t at, uint32_t hash)
{
	struct keyset_key *x;

	if (k->n == k->cap) {
		k->cap = k->cap != 0 ? k->cap * 2 : 256;
		k->key = xrealloc(k->key, k->cap, sizeof(*k->key));
	}
	x = &k->key[k->n];
	x->at = at;
	x->len = (uint32_t)(k->text.len - at);
	x->hash = hash;
	return k->n++;
}

static uint32_t
keyset_new(struct keyset *k, const char *s, size_t n)
{
	size_t at = k->text.len;

	buf_reserve(&k->text, 1); /* an empty text needs a place, too */
	buf_put(&k->text, s, n);
	return new_key(k, at, 0);
}

/* Packs texts from now on, and the present ones too. */
static void
pack_all(struct keyset *k)
{
	struct buf all = { 0 };
	uint32_t i;

	for (i = 0; i < k->n; i++) {
		struct keyset_key *x = &k->key[i];
		size_t at = all.len;

		shapes_pack(k->shapes, &all, k->text.s + x->at, x->len);
		x->at = at;
		x->len = (uint32_t)(all.len - at);
	}
	buf_free(&k->text);
	k->text = all;
	k->packed = true;
}

/* Called when it is known if the texts repeat. */
static void
decide(struct keyset *k)
{
	k->apart = k->n > TRIAL / 8 * 7;
	if (k->apart && k->shapes != NULL && !k->shapes->full)
		pack_all(k);
}

static uint32_t
put_packed(struct keyset *k, const char *s, size_t n)
{
	size_t at = k->text.len;

	shapes_pack(k->shapes, &k->text, s, n);
	return new_key(k, at, 0);
}

static uint32_t
keyset_put(struct keyset *k, const char *s, size_t n)
{
	const struct keyset_key *x;
	uint32_t h, i;

	if (k->asked++ == TRIAL)
		decide(k);
	if (k->packed)
		return put_packed(k, s, n);
	if (k->apart)
		return keyset_new(k, s, n);
	buf_reserve(&k->text, 1);
	if (k->n >= k->nslots / 2)
		rehash(k);
	h = (uint32_t)hash_bytes(s, n);
	for (i = h & (k->nslots - 1); k->slot[i] != 0;
	     i = (i + 1) & (k->nslots - 1)) {
		x = &k->key[k->slot[i] - 1];
		if (x->hash == h && x->len == n &&
		    (n == 0 || memcmp(k->text.s + x->at, s, n) == 0))
			return k->slot[i] - 1;
	}
	k->slot[i] = k->n + 1;
	buf_put(&k->text, s, n);
	return new_key(k, k->text.len - n, h);
}

/* The bytes by which packed texts are sorted. */
static void
order_packed(const struct keyset *k, struct keyset_order *o)
{
	struct text_ref *v = o->ref;
	uint32_t i;

	shapes_rank(k->shapes);
	buf_clear(&o->bytes);
	for (i = 0; i < k->n; i++) {
		v[i].chunk = o->bytes.len;
		shapes_order(k->shapes, &o->bytes, k->text.s + k->key[i].at,
		    k->key[i].len);
		v[i].n = (uint32_t)(o->bytes.len - v[i].chunk);
	}
	for (i = 0; i < k->n; i++)
		v[i].s = o->bytes.s + v[i].chunk;
}

/* Fills o->ref with all texts, as textsort() takes them, to sort by the texts'
 * bytes; id is the number. s and n are the text or, for packed texts, bytes
 * that are equal for equal texts. Valid until the set changes. */
static void
keyset_order(const struct keyset *k, struct keyset_order *o)
{
	size_t n;
	uint32_t i;

	if (o->cap < k->n) {
		o->cap = k->cap;
		o->ref = xrealloc(o->ref, o->cap, 2 * sizeof(*o->ref));
	}
	for (i = 0; i < k->n; i++) {
		o->ref[i].s = keyset_text(k, i, &n);
		o->ref[i].n = (uint32_t)n;
		o->ref[i].id = i;
	}
	if (k->packed)
		order_packed(k, o);
}

static void
keyset_order_free(struct keyset_order *o)
{
	buf_free(&o->bytes);
	free(o->ref);
	memset(o, 0, sizeof(*o));
}

/* bytes it needs, including those for sorting */
static size_t
keyset_bytes(const struct keyset *k)
{
	return (k->packed ? 2 : 1) * k->text.len + (size_t)k->n * 80;
}

/* keeps the memory */
static void
keyset_clear(struct keyset *k)
{
	buf_clear(&k->text);
	if (k->nslots > 0)
		memset(k->slot, 0, k->nslots * sizeof(*k->slot));
	k->n = 0;
	k->asked = 0;
	k->apart = k->packed = false;
}

static void
keyset_free(struct keyset *k)
{
	buf_free(&k->text);
	free(k->key);
	free(k->slot);
	memset(k, 0, sizeof(*k));
}

/* The rows of a table. */

size_t groups_memory = (size_t)48 << 20;

#define SHAPES 32          /* share of the memory for shapes */
#define MAX_ROWS INT32_MAX /* the most bytes of rows in memory */
#define LARGE (1 << 20)    /* bytes */

/* Large blocks are given back to the system when they are freed, because tables
 * come one after the other, and are made in several threads. */
static void
give_back_large(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, LARGE);
#endif
}

struct groups *
groups_new(int nval, bool distinct)
{
	struct groups *t = xcalloc(1, sizeof(*t));

	give_back_large();
	t->nval = nval;
	t->distinct = distinct;
	t->gen = 1;
	t->shapes.bound = groups_memory / SHAPES;
	t->in = &t->fills[0];
	t->out = &t->fills[1];
	t->in->keys.shapes = t->out->keys.shapes = &t->shapes;
	return t;
}

static void
free_fill(struct group_fill *f)
{
	keyset_free(&f->keys);
	buf_free(&f->rows);
	free(f->nrows);
	f->nrows = NULL;
}

static void
free_rows(struct groups *t)
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
wait_sorted(struct groups *t)
{
	if (!t->sorting)
		return;
	beside_end(&t->beside);
	beside_say(&t->beside);
	t->sorting = false;
}

void
groups_free(struct groups *t)
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

/* Brings the rows of each key together: first[k] is the first row of key k,
 * first[n of keys] the end. */
static void
by_key(struct groups *t)
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
row_at(const struct groups *t, size_t i)
{
	return t->unpacked + i * (size_t)(t->nval + 1);
}

/* A key has few rows in most cases. */
static void
sort_rows(const struct groups *t, size_t n)
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

/* Copies the rows of a key after n others. */
static size_t
run_groups(struct groups *t, uint32_t key, size_t n)
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

/* The number of keys that have the same text as the first. */
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

/* Joins the rows of several keys that have the same text. */
static void
put_key(struct groups *t, struct group_run_out *o, const struct text_ref *v,
    uint32_t m)
{
	size_t n = 0, i;
	struct group_code c = { .packed = t->out->keys.packed };

	c.s = keyset_text(&t->out->keys, v->id, &c.n);
	if (t->distinct) {
		run_put_key(o, &c, 1);
		run_put_empty(o);
		return;
	}
	for (i = 0; i < m; i++)
		n = run_groups(t, v[i].id, n);
	sort_rows(t, n);
	run_put_key(o, &c, n);
	for (i = 0; i < n; i++)
		run_add_row(o, row_at(t, i), t->nval);
}

/* Keys and texts are anywhere in memory, so they are prefetched: first the
 * references, then the texts. */
static void
prefetch(const struct groups *t, const struct text_ref *v, uint32_t n)
{
	const struct keyset *keys = &t->out->keys;
	const struct keyset_key *k;

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

/* Writes t->out, whose keys are sorted, to a run. */
static void
groups_sort(struct groups *t, struct group_run_out *o)
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

/* Writes the rows in t->out to the last run and empties t->out. */
static void
sort_out(void *arg)
{
	struct groups *t = arg;
	struct group_run_out *o = &t->run[t->nruns - 1];
	struct group_fill *f = t->out;

	groups_sort(t, o);
	run_flush(o, true);
	if (o->fd >= 0)
		buf_free(&o->buf);
	if (f->nrows != NULL)
		memset(f->nrows, 0, f->keys.n * sizeof(*f->nrows));
	keyset_clear(&f->keys);
	buf_clear(&f->rows);
	f->most = 0;
}

/* Starts to write the rows to a run: to a file, or to memory if this is the end
 * and they are the only ones. */
static void
spill(struct groups *t, bool file)
{
	struct group_fill *f = t->in;

	wait_sorted(t);
	t->in = t->out;
	t->out = f;
	t->gen++;
	t->run = xrealloc(t->run, (size_t)t->nruns + 1, sizeof(*t->run));
	t->run[t->nruns++] =
	    (struct group_run_out){ .fd = file ? temp_fd() : -1 };
	/* this reads the shapes, which later texts change */
	keyset_order(&f->keys, &t->order);
	/* The thread owns t->out, t->order, t->sorted, t->first, t->unpacked
	 * and the last run; everything else is ours until wait_sorted(). */
	t->sorting =
	    file && beside_can() && beside_begin(&t->beside, sort_out, NULL, t);
	if (!t->sorting)
		sort_out(t);
}

static void
count_row(struct group_fill *f, uint32_t key)
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
add_row(struct groups *t, uint32_t key, uint32_t part, const int64_t *v)
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

/* Includes the memory for sorting. There are two batches at a time. */
static bool
full(const struct groups *t)
{
	const struct group_fill *f = t->in;
	size_t n = keyset_bytes(&f->keys) + 2 * f->rows.len +
		   (size_t)f->most * RUN_WORDS * 2 * sizeof(int64_t);

	return n > groups_memory / 2 || f->rows.len > MAX_ROWS ||
	       (f->keys.packed && t->shapes.full);
}

void
groups_add_to(struct groups *t, struct group_key *k, const char *key, size_t n,
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
groups_add(struct groups *t, const char *key, size_t n, uint32_t part,
    const int64_t *v)
{
	struct group_key k = { 0 };

	groups_add_to(t, &k, key, n, part, v);
}

int64_t
groups_sum(const struct groups *t)
{
	return t->sum;
}

/* nothing is added after it */
static void
groups_close(struct groups *t)
{
	if (!t->closed) {
		spill(t, t->nruns > 0);
		wait_sorted(t);
		free_rows(t);
	}
	t->closed = true;
}

void
groups_text(const struct groups *t, const struct group_code *c, struct buf *b)
{
	run_text(&t->shapes, c, b);
}

static void
each(struct groups *t, struct group_merge *m, group_fn *fn, void *ctx)
{
	groups_close(t);
	m->runs = t->run;
	m->n = t->nruns;
	m->nval = t->nval;
	m->shapes = &t->shapes;
	merge_runs(m, fn, ctx);
}

void
groups_each(
    struct groups *t, uint32_t from, uint32_t to, group_fn *fn, void *ctx)
{
	struct group_merge m = { .parts = { from, to } };

	each(t, &m, fn, ctx);
}

void
groups_each_code(
    struct groups *t, uint32_t from, uint32_t to, group_fn *fn, void *ctx)
{
	struct group_merge m = { .parts = { from, to }, .codes = true };

	each(t, &m, fn, ctx);
}

/* Groups as bytes. */

enum { PACKED = 1, ONE = 2, PART = 4 };

void
group_pack(struct buf *b, const struct group_stats *g)
{
	const double f[] = { g->avg, g->med, g->sd };
	int i;

	varint_add(b, (uint64_t)g->part * PART | (g->n == 1 ? ONE : 0) |
			  (g->code.packed ? PACKED : 0));
	for (i = 0; i < GROUP_VALS; i++)
		varint_add(b, varint_fold(g->sum[i]));
	if (g->n > 1) {
		varint_add(b, g->n);
		varint_add(b, varint_fold(g->min));
		varint_add(b, varint_fold(g->max));
		buf_put(b, (const char *)f, sizeof(f));
	}
}

static const char *
get_num(const char *s, int64_t *v)
{
	uint64_t u;

	s = varint_get(s, &u);
	*v = varint_unfold(u);
	return s;
}

const char *
group_unpack(struct group_stats *g, const char *s)
{
	double f[3];
	uint64_t head;
	int i;

	s = varint_get(s, &head);
	g->part = (uint32_t)(head / PART);
	g->code.packed = (head & PACKED) != 0;
	for (i = 0; i < GROUP_VALS; i++)
		s = get_num(s, &g->sum[i]);
	g->n = 1;
	g->min = g->max = g->sum[0];
	g->avg = g->med = (double)g->sum[0];
	g->sd = 0;
	if ((head & ONE) == 0) {
		s = varint_get(s, &g->n);
		s = get_num(get_num(s, &g->min), &g->max);
		memcpy(f, s, sizeof(f));
		s += sizeof(f);
		g->avg = f[0];
		g->med = f[1];
		g->sd = f[2];
	}
	return s;
}
