/* Sorted runs of rows, written and read; see run.h. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "err.h"
#include "run.h"
#include "textsort.h"

#define PIECE ((size_t)256 << 10)

void
run_put_key(struct run_out *o, const struct table_code *c, size_t nrows)
{
	varint_add(&o->buf, (uint64_t)c->n << 1 | c->packed);
	varint_add(&o->buf, nrows);
	buf_put(&o->buf, c->s, c->n);
}

void
run_add_row(struct run_out *o, const int64_t *row, int nval)
{
	char *p;

	buf_reserve(&o->buf, RUN_ROW_MAX);
	p = o->buf.s + o->buf.len;
	p = run_put_row(p, (uint32_t)row[0], row + 1, nval);
	o->buf.len = (size_t)(p - o->buf.s);
}

void
run_put_empty(struct run_out *o)
{
	buf_putc(&o->buf, 0);
}

void
run_flush(struct run_out *o, bool all)
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
run_text(const struct shapes *x, const struct table_code *c, struct buf *b)
{
	if (c->packed)
		shapes_unpack(x, b, c->s, c->n);
	else
		buf_put(b, c->s, c->n);
}

void
run_open(struct run *r, const struct run_out *o)
{
	r->fd = o->fd;
	if (r->fd < 0)
		r->b = o->buf; /* lent */
	run_next(r);
}

void
run_close(struct run *r)
{
	if (r->fd >= 0)
		buf_free(&r->b);
	buf_free(&r->keep);
	buf_free(&r->key);
}

static void
more(struct run *r, size_t want)
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

/* Where the run goes on; of the n bytes there fewer only at its end. */
static inline const char *
look(struct run *r, size_t n)
{
	if (r->b.len - r->pos < n && r->fd >= 0)
		more(r, n);
	return r->b.s + r->pos;
}

/* Up to p was used. */
static inline void
used(struct run *r, const char *p)
{
	r->pos = (size_t)(p - r->b.s);
	if (r->pos > r->b.len)
		die("temporary file: cut off");
}

static bool
next_key(struct run *r)
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

void
run_next(struct run *r)
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
