/* The store of held lines; see hold.h. */
#include <stdlib.h>

#include "err.h"
#include "hold.h"
#include "out.h"

bool hold_on;

static struct buf text;
static size_t nlines, nrecords;
static struct hold_kern *waiting;
static size_t nwaiting, waiting_cap;

void
hold_put(const char *s, size_t n)
{
	buf_put(&text, s, n);
}

void
hold_end_line(bool is_record)
{
	buf_putc(&text, '\n');
	nlines++;
	nrecords += is_record;
}

void
hold_kern(const struct hold_kern *k)
{
	if (nwaiting == waiting_cap) {
		waiting_cap = waiting_cap == 0 ? 256 : waiting_cap * 2;
		waiting = xrealloc(waiting, waiting_cap, sizeof(*waiting));
	}
	waiting[nwaiting] = *k;
	waiting[nwaiting++].at = text.len;
}

bool
hold_full(void)
{
	return nlines >= HOLD_MAX;
}

/* A part of the text goes out in pieces: it can be long. */
static void
put_text(size_t from, size_t to)
{
	size_t n;

	for (; from < to; from += n) {
		n = to - from < 65536 ? to - from : 65536;
		buf_put(&out_buf, text.s + from, n);
		out_check();
	}
}

void
hold_drain(void (*put)(const struct hold_kern *k))
{
	size_t i, from = 0;

	for (i = 0; i < nwaiting; i++) {
		put_text(from, waiting[i].at);
		put(&waiting[i]);
		from = waiting[i].at;
	}
	put_text(from, text.len);
	buf_clear(&text);
	out_counted(nrecords);
	nlines = nrecords = nwaiting = 0;
	hold_on = false;
}
