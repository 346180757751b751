/*
 * Lines of the overview, and the values of its words.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "overview_page.h"
#include "utf8.h"
#include "words.h"

/* Lines. Nothing is wider than the page. Widths are in bytes, as names are: a
 * character of several bytes that is cut shows as \xHH. */

void
page_styled(
    const struct screen *s, enum page_style style, const char *text, size_t n)
{
	static const char *const code[] = {
		[PAGE_BOLD] = "\033[1m",
		[PAGE_COLOR] = "\033[1;35m",
	};
	size_t wide = (size_t)s->how->width, from;
	bool is_styled = style != PAGE_PLAIN && s->how->color;

	if (is_styled)
		buf_puts(&out_buf, code[style]);
	from = out_buf.len;
	utf8_show(&out_buf, text, n < wide ? n : wide);
	if (out_buf.len - from > wide) { /* by what is shown as \\xHH */
		out_buf.len = from + wide;
		while (((unsigned char)out_buf.s[out_buf.len] & 0xc0) == 0x80)
			out_buf.len--;
	}
	if (s->o->amd) /* Tensor Cores are called matrix cores */
		out_buf.len =
		    from + words_amd(out_buf.s + from, out_buf.len - from);
	buf_puts(&out_buf, is_styled ? "\033[0m\n" : "\n");
}

void
page_put(const struct screen *s, const char *text, size_t n)
{
	page_styled(s, PAGE_PLAIN, text, n);
}

void
page_line(const struct screen *s, const char *text)
{
	page_put(s, text, strlen(text));
}

/* No line ends at the blank between a number and its unit. */
static bool
is_between_words(const char *s, size_t n)
{
	if (*s == '\t' || *s == '\n')
		return true;
	if (*s != ' ' || (n > 1 && s[1] == '%'))
		return false;
	return n < 3 || memcmp(s, " ms", 3) != 0 || (n > 3 && s[3] != ' ');
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

void
page_blanks(struct buf *b, size_t n)
{
	while (n-- > 0)
		buf_putc(b, ' ');
}

/* Words after a head, in lines that begin at pad. A word that is wider than the
 * page takes several lines. */
void
page_fill(
    const struct screen *s, const char *head, size_t pad, struct buf *text)
{
	size_t at = 0, len, wide = (size_t)s->how->width;
	struct buf line = { 0 };
	bool first = true;

	buf_puts(&line, head);
	for (; (len = next_word(text->s, text->len, &at)) > 0;
	     at += len, first = false) {
		if (!first && line.len + 1 + len > wide) {
			page_put(s, line.s, line.len);
			buf_clear(&line);
			page_blanks(&line, pad);
		} else if (!first) {
			buf_putc(&line, ' ');
		}
		buf_put(&line, text->s + at, len);
		if (pad >= wide) /* or there would be no end */
			pad = wide - 1;
		while (line.len > wide) {
			page_put(s, line.s, wide);
			memmove(line.s + pad, line.s + wide, line.len - wide);
			memset(line.s, ' ', pad);
			line.len -= wide - pad;
		}
	}
	page_put(s, line.s, line.len);
	buf_free(&line);
}

void
page_fill_text(const struct screen *s, const char *head, const char *text)
{
	struct buf b = { 0 };

	buf_puts(&b, text);
	page_fill(s, head, strlen(head), &b);
	buf_free(&b);
}

/* A part of the screen, if there is anything to say. */
void
page_say(const struct screen *s, const char *head, const char *part)
{
	struct buf b = { 0 };

	wording_put(&s->wording, "screen", part, &s->values, &b);
	if (b.len > 0)
		page_fill(s, head, strlen(head), &b);
	buf_free(&b);
}

/* The name in n bytes: a longer one without its middle. */
void
page_fit(struct buf *b, const char *s, int n)
{
	static const char end[] = " (no op)"; /* says more than the name */
	int tail = 0, len = (int)strlen(s), head, rest;

	if (len <= n) {
		buf_puts(b, s);
		return;
	}
	if (mv_ends((struct mview){ s, (size_t)len }, end))
		tail = (int)sizeof(end) - 1;
	n -= tail;
	head = (n - 2) * 2 / 3;
	rest = n - head - 2;
	if (head > 0)
		buf_put(b, s, (size_t)head);
	buf_puts(b, "..");
	if (rest > 0)
		buf_put(b, s + len - tail - rest, (size_t)rest);
	if (tail > 0)
		buf_puts(b, end);
}

/* A time that would be 0.00 ms keeps its digits in a unit of its own. */
void
page_ms(struct buf *b, double ns)
{
	if (ns < .5) /* of a ns */
		buf_puts(b, "0.00 ms");
	else if (ns >= 5e3) /* 0.01 ms */
		buf_printf(b, "%.2f ms", ns / 1e6);
	else if (ns >= 1e3)
		buf_printf(b, "%.1f us", ns / 1e3);
	else
		buf_printf(b, "%.0f ns", ns);
}

static void
put_digits(struct buf *b, double ns, bool is_long)
{
	double x = ns / (is_long ? 1e9 : 1e6);

	int digits = x >= 99.95 ? 0 : x >= 9.995 ? 1 : 2;
	double least = 0.995;

	for (; x < least && digits < 6; least /= 10)
		digits++;
	buf_printf(b, "%.*f", is_long ? 1 : digits, x);
}

#define LONG 1e10 /* ns: in seconds */

void
page_time(struct buf *b, double ns)
{
	if (ns > 0 && ns < 1e4) {
		buf_printf(b, "%.3g us", ns / 1e3);
		return;
	}
	put_digits(b, ns, ns >= LONG);
	buf_puts(b, ns >= LONG ? " s" : " ms");
}

void
page_times(struct buf *b, double from, double to)
{
	put_digits(b, from, from >= LONG);
	buf_puts(b, " -> ");
	put_digits(b, to, from >= LONG);
	buf_puts(b, from >= LONG ? " s" : " ms");
}

int
page_lines(const struct screen *s, size_t pad, const char *text, size_t n)
{
	size_t at = 0, len, used = 0, room = (size_t)s->how->width - pad;
	int lines = 1;

	for (; (len = next_word(text, n, &at)) > 0; at += len) {
		if (used > 0 && used + 1 + len > room) {
			lines++;
			used = 0;
		}
		used += len + (used > 0);
	}
	return lines;
}

bool
page_unset(const char *s)
{
	return s[0] == '-' && s[1] == '\0';
}

struct buf *
page_let(struct screen *s, const char *name)
{
	return values_let(&s->values, name);
}

/* A number of things, if there are any. */
void
page_let_count(struct screen *s, const char *name, double n)
{
	if (n > 0)
		buf_printf(page_let(s, name), "%.0f", n);
}

/* A name for a shell to read; one that no terminal should get is `other`. */
void
page_shell_word(struct buf *b, const char *s, const char *other)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz"
				    "0123456789_./,:@%+=-";

	if (!utf8_shown(s, strlen(s))) {
		buf_puts(b, other);
	} else if (*s != '\0' && *s != '-' && s[strspn(s, plain)] == '\0') {
		buf_puts(b, s);
	} else {
		buf_putc(b, '\'');
		for (; *s != '\0'; s++)
			if (*s == '\'')
				buf_puts(b, "'\\''");
			else
				buf_putc(b, *s);
		buf_putc(b, '\'');
	}
}

/* The profile in a command to type; the name of standard input is not known. */
void
page_profile(struct buf *b, const struct screen *s)
{
	if (s->how->piped)
		buf_puts(b, "FILE");
	else
		page_shell_word(b, s->o->file, "FILE");
}
