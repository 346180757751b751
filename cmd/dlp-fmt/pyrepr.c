/* See pyrepr.h. */
#include "pyrepr.h"

#include "err.h"
#include "utf8.h"

struct buf *
pylist_add(struct pylist *l)
{
	if (l->n == l->cap) {
		size_t old = l->cap;

		l->cap = old == 0 ? 8 : old * 2;
		l->v = xrealloc(l->v, l->cap, sizeof(*l->v));
		memset(l->v + old, 0, (l->cap - old) * sizeof(*l->v));
	}
	buf_clear(&l->v[l->n]);
	return &l->v[l->n++];
}

/* Control characters: Python has short escapes for three of them. */
static void
put_control(struct buf *out, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	buf_putc(out, '\\');
	if (c == '\n' || c == '\r' || c == '\t') {
		buf_putc(out, c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
		return;
	}
	buf_putc(out, 'x');
	buf_putc(out, hex[c >> 4]);
	buf_putc(out, hex[c & 15]);
}

/* One character beyond ASCII; how many bytes it took. What Python does not
 * print, and bytes that are no UTF-8, get an escape. */
static int
put_wide(struct buf *out, const char *s, size_t n)
{
	long cp;
	int len = utf8_next(s, n, &cp);

	if (cp < 0) {
		put_control(out, (unsigned char)*s);
		return 1;
	}
	if (cp < 0xa1 || cp == 0xad)
		put_control(out, (unsigned char)cp);
	else if (utf8_hidden(cp))
		buf_printf(out, cp < 0x10000 ? "\\u%04lx" : "\\U%08lx",
		    (unsigned long)cp);
	else
		buf_put(out, s, (size_t)len);
	return len;
}

/* Double quotes where that saves escapes, as Python has it. */
static char
quote_for(const char *s, size_t n)
{
	return n > 0 && memchr(s, '\'', n) != NULL && memchr(s, '"', n) == NULL
		   ? '"'
		   : '\'';
}

void
pyrepr_str(struct buf *out, const char *s, size_t n)
{
	char q = quote_for(s, n);
	const char *e = s + n;
	int len;

	buf_putc(out, q);
	for (; s < e; s += len) {
		unsigned char c = (unsigned char)*s;

		len = 1;
		if (*s == q || *s == '\\') {
			buf_putc(out, '\\');
			buf_putc(out, *s);
		} else if (c < 0x20 || c == 0x7f) {
			put_control(out, c);
		} else if (c < 0x80) {
			buf_putc(out, *s);
		} else {
			len = put_wide(out, s, (size_t)(e - s));
		}
	}
	buf_putc(out, q);
}

void
pyrepr_list(struct buf *out, const struct pylist *l)
{
	size_t i;

	buf_putc(out, '[');
	for (i = 0; i < l->n; i++) {
		if (i > 0)
			buf_puts(out, ", ");
		pyrepr_str(out, l->v[i].s, l->v[i].len);
	}
	buf_putc(out, ']');
}

void
pyrepr_ints(struct buf *out, const int64_t *v, size_t n)
{
	size_t i;

	buf_putc(out, '[');
	for (i = 0; i < n; i++) {
		if (i > 0)
			buf_puts(out, ", ");
		buf_i64(out, v[i]);
	}
	buf_putc(out, ']');
}
