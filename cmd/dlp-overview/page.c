/*
 * Lines of the screen; see overview.h. Widths are in bytes, as names are: a
 * character of several bytes that is cut shows as \xHH.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "out.h"
#include "overview.h"
#include "utf8.h"

#define LONG_HEAD 12 /* one that is longer is no column of its own */
#define BAR_MAX 30

static void
put_line(const struct page *p, const char *s, size_t n)
{
	size_t wide = (size_t)p->width;

	utf8_show(&out_buf, s, n < wide ? n : wide);
	buf_putc(&out_buf, '\n');
}

void
page_line(const struct page *p, const char *s)
{
	put_line(p, s, strlen(s));
}

/* The blank between a number and its unit: no line ends there. */
static bool
is_before_unit(const char *s, size_t n)
{
	if (n > 1 && s[1] == '%')
		return true;
	return n >= 3 && memcmp(s, " ms", 3) == 0 && (n == 3 || s[3] == ' ');
}

static bool
is_between_words(const char *s, size_t n)
{
	return *s == '\t' || *s == '\n' || (*s == ' ' && !is_before_unit(s, n));
}

/* The next word of s[0..n), which begins at *at; its length, 0 at the end. */
static size_t
next_word(const char *s, size_t n, size_t *at)
{
	size_t i = *at;

	while (i < n && is_between_words(s + i, n - i))
		i++;
	*at = i;
	while (i < n && !is_between_words(s + i, n - i))
		i++;
	return i - *at;
}

/* Writes what is wider than the page in several lines; the last stays. */
static void
break_line(const struct page *p, struct buf *line, size_t pad)
{
	size_t wide = (size_t)p->width;

	if (pad >= wide) /* or there would be no end */
		pad = wide - 1;
	while (line->len > wide) {
		put_line(p, line->s, wide);
		memmove(line->s + pad, line->s + wide, line->len - wide);
		memset(line->s, ' ', pad);
		line->len -= wide - pad;
	}
}

static void
put_blanks(struct buf *b, size_t n)
{
	while (n-- > 0)
		buf_putc(b, ' ');
}

static void
fill(const struct page *p, const char *head, size_t pad, const char *s)
{
	size_t at = 0, n = strlen(s), len;
	struct buf line = { 0 };
	bool first = true;

	buf_puts(&line, head);
	for (; (len = next_word(s, n, &at)) > 0; at += len, first = false) {
		if (!first && line.len + 1 + len > (size_t)p->width) {
			put_line(p, line.s, line.len);
			buf_clear(&line);
			put_blanks(&line, pad);
		} else if (!first) {
			buf_putc(&line, ' ');
		}
		buf_put(&line, s + at, len);
		break_line(p, &line, pad);
	}
	put_line(p, line.s, line.len);
	buf_free(&line);
}

void
page_fill(const struct page *p, const char *head, const char *fmt, ...)
{
	struct buf text = { 0 };
	size_t n = strlen(head);
	va_list ap;
	int len;

	if (n > LONG_HEAD)
		buf_puts(&text, head);
	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	buf_reserve(&text, (size_t)len + 1);
	va_start(ap, fmt);
	vsnprintf(text.s + text.len, (size_t)len + 1, fmt, ap);
	va_end(ap);
	text.len += (size_t)len;
	if (n > LONG_HEAD)
		fill(p, "", 2, buf_str(&text));
	else
		fill(p, head, n, buf_str(&text));
	buf_free(&text);
}

/* At most n bytes of s, from the byte `from` on. */
static void
put_part(struct buf *b, const char *s, int from, int n)
{
	int len = (int)strlen(s);

	if (from < 0)
		from = 0;
	if (n > len - from)
		n = len - from;
	if (n > 0)
		buf_put(b, s + from, (size_t)n);
}

void
page_fit(struct buf *b, const char *s, int n)
{
	static const char end[] = " (no op)"; /* says more than the name */
	int tail = 0, len = (int)strlen(s), head;

	if (len <= n) {
		buf_puts(b, s);
		return;
	}
	if (len >= (int)sizeof(end) - 1 &&
	    strcmp(s + len - (sizeof(end) - 1), end) == 0)
		tail = (int)sizeof(end) - 1;
	len -= tail;
	n -= tail;
	head = (n - 2) * 2 / 3;
	put_part(b, s, 0, head);
	buf_puts(b, "..");
	put_part(b, s, len - n + head + 2, n - head - 2);
	if (tail > 0)
		buf_puts(b, end);
}

void
page_bar(const struct page *p, const char *label, double ns)
{
	int room = p->width >= 48 ? 26 : p->width >= 34 ? p->width - 22 : 12;
	double n = p->width - 50 > BAR_MAX ? BAR_MAX : p->width - 50;
	struct buf line = { 0 };
	char time[64], share[64] = "-";
	size_t at;

	buf_puts(&line, "  ");
	page_fit(&line, label, room);
	at = line.len;
	put_blanks(&line, at < (size_t)room + 2 ? (size_t)room + 2 - at : 0);
	(void)snprintf(time, sizeof(time), "%.2f ms", ns / 1e6);
	if (p->base > 0)
		(void)snprintf(
		    share, sizeof(share), "%.1f %%", 100 * ns / p->base);
	buf_printf(&line, " %11s %7s", time, share);
	n = p->base > 0 ? n * ns / p->base : 0;
	if (n >= .5)
		buf_puts(&line, "  ");
	for (; n >= .5; n--)
		buf_putc(&line, '#');
	put_line(p, line.s, line.len);
	buf_free(&line);
}
