/* Sorted runs of rows, written and read; see run.h. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "err.h"
#include "run.h"

#define PIECE ((size_t)256 << 10)

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
run_open(struct run *r, const struct run_out *o, int width,
    const struct run_parts *parts)
{
	memset(r, 0, sizeof(*r));
	r->fd = o->fd;
	r->width = width;
	r->parts = *parts;
	if (r->fd < 0)
		r->b = o->buf; /* lent */
	run_next(r);
}

void
run_close(struct run *r)
{
	if (r->fd >= 0)
		buf_free(&r->b);
	buf_free(&r->key);
}

static void
more(struct run *r, size_t want)
{
	size_t left = r->b.len - r->pos;
	ssize_t n;

	if (left > 0)
		memmove(r->b.s, r->b.s + r->pos, left);
	r->b.len = left;
	r->pos = 0;
	buf_reserve(&r->b, want > PIECE ? want : PIECE);
	while (r->b.len < want) {
		n = pread(r->fd, r->b.s + r->b.len, r->b.cap - r->b.len, r->at);
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

/* The next n bytes; NULL at the end. */
static const char *
get(struct run *r, size_t n)
{
	const char *s;

	if (r->b.len - r->pos < n && r->fd >= 0)
		more(r, n);
	if (r->b.len - r->pos < n)
		return NULL;
	s = r->b.s + r->pos;
	r->pos += n;
	return s;
}

static bool
next_key(struct run *r)
{
	uint32_t head[2];
	const char *s = get(r, sizeof(head));

	if (s == NULL)
		return false;
	memcpy(head, s, sizeof(head));
	s = get(r, head[0]);
	if (s == NULL)
		die("temporary file: cut off");
	buf_clear(&r->key);
	buf_put(&r->key, s, head[0]);
	r->rows = head[1];
	return true;
}

void
run_next(struct run *r)
{
	size_t n = (size_t)r->width * sizeof(int64_t);
	const char *s;

	do {
		if (r->rows == 0 && !next_key(r)) {
			r->end = true;
			return;
		}
		s = get(r, n);
		if (s == NULL)
			die("temporary file: cut off");
		memcpy(r->row, s, n);
		r->rows--;
	} while (r->row[0] < r->parts.from || r->row[0] > r->parts.to);
}
