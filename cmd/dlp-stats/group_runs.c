/*
 * Sorted runs of rows, written and read (group_impl.h), and their merge into
 * groups. The first values of a group come in order, so that equal ones are
 * counted, and the median is known at the end.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "err.h"
#include "group_impl.h"
#include "num.h"

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

void
run_put_key(struct group_run_out *o, const struct group_code *c, size_t nrows)
{
	varint_add(&o->buf, (uint64_t)c->n << 1 | c->packed);
	varint_add(&o->buf, nrows);
	buf_put(&o->buf, c->s, c->n);
}

void
run_add_row(struct group_run_out *o, const int64_t *row, int nval)
{
	char *p;

	buf_reserve(&o->buf, RUN_ROW_MAX);
	p = o->buf.s + o->buf.len;
	p = run_put_row(p, (uint32_t)row[0], row + 1, nval);
	o->buf.len = (size_t)(p - o->buf.s);
}

void
run_put_empty(struct group_run_out *o)
{
	buf_putc(&o->buf, 0);
}

void
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

void
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
look(struct group_run *r, size_t n)
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
	const char *s = look(r, 2 * VARINT_MAX);
	uint64_t head, rows;

	if (r->pos == r->b.len)
		return false;
	s = varint_get(s, &head);
	used(r, varint_get(s, &rows));
	r->rows = rows;
	r->code.packed = head & 1;
	r->code.n = head >> 1;
	s = look(r, r->code.n);
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
		used(r, run_get_row(look(r, RUN_ROW_MAX), r->row, r->nval));
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

void
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
