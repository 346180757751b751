/*
 * CSV, lines ending in LF; see writer.h. A value is written with its escapes
 * decoded, and quoted if it has a comma, a line end or, by RFC 4180, a quote.
 * If unset is written as -, a text that is just "-" is quoted.
 */
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "array.h"
#include "esc.h"
#include "num.h"
#include "utf8.h"
#include "writer.h"

enum { COMMA = 1, QUOTE = 2, LINE_END = 4, ESCAPE = 8, ALWAYS = 16 };

static const unsigned char special[256] = {
	[','] = COMMA,
	['"'] = QUOTE,
	['\n'] = LINE_END,
	['\r'] = LINE_END,
	['\\'] = ESCAPE,
};

#define LONG 48 /* bytes from which on memchr() is faster */

/* Which of those the text holds. */
static unsigned
holds(const char *s, size_t n)
{
	unsigned x = 0;
	size_t i;

	if (n < LONG) {
		for (i = 0; i < n; i++)
			x |= special[(unsigned char)s[i]];
		return x;
	}
	x |= memchr(s, ',', n) != NULL ? COMMA : 0;
	x |= memchr(s, '"', n) != NULL ? QUOTE : 0;
	x |= memchr(s, '\\', n) != NULL ? ESCAPE : 0;
	x |= memchr(s, '\n', n) != NULL ? LINE_END : 0;
	x |= memchr(s, '\r', n) != NULL ? LINE_END : 0;
	return x;
}

static void
put_quoted(struct buf *b, const char *s, size_t n, bool twice)
{
	const char *q;
	size_t k;

	buf_putc(b, '"');
	while (twice && n > 0 && (q = memchr(s, '"', n)) != NULL) {
		k = (size_t)(q - s) + 1;
		buf_put(b, s, k);
		buf_putc(b, '"');
		s += k;
		n -= k;
	}
	buf_put(b, s, n);
	buf_putc(b, '"');
}

void
writer_quote(struct buf *b, const char *s, size_t n)
{
	struct buf raw = { 0 };

	if (!esc_has(s, n)) {
		put_quoted(b, s, n, true);
		return;
	}
	esc_undo(&raw, s, n);
	put_quoted(b, buf_str(&raw), raw.len, true);
	buf_free(&raw);
}

/* Numbers stay numbers, with their sign. The last four are the full-width forms
 * of the first ones, which some spreadsheets take for the same. */
static bool
is_formula(const char *s, size_t n)
{
	static const long first[] = { '=', '+', '-', '@', 0xff1d, 0xff0b,
		0xff0d, 0xff20 };
	size_t i;
	double x;
	long cp;
	int len;

	if (n > 0 && s[0] != '\0' && strchr("\t\r\n", s[0]) != NULL)
		return true;
	for (; n > 0; s += len, n -= (size_t)len) {
		len = utf8_next(s, n, &cp);
		/* a spreadsheet passes over these before a formula */
		if (cp == ' ' || cp == 0xa0 || cp == 0x3000 ||
		    (cp >= 0x2000 && cp <= 0x200a) || utf8_hidden(cp))
			continue;
		for (i = 0; i < ARRAY_LEN(first); i++)
			if (cp == first[i])
				return !num_f64(s, n, &x);
		return false;
	}
	return false;
}

/* x: ALWAYS, or 0. */
static void
put_value(struct writer *w, const char *s, size_t n, unsigned x)
{
	const struct writer_format *f = w->format;
	unsigned quotes = COMMA | LINE_END | ALWAYS;

	if (f->double_quotes)
		quotes |= QUOTE;
	x |= holds(s, n);
	if (x & ESCAPE) {
		buf_clear(&w->raw);
		esc_undo(&w->raw, s, n);
		s = buf_str(&w->raw);
		n = w->raw.len;
		x = (x & ALWAYS) | holds(s, n);
		if (f->double_quotes && n == 1 && s[0] == '-')
			x |= ALWAYS;
	}
	if (w->guard && is_formula(s, n)) {
		buf_clear(&w->guarded);
		buf_putc(&w->guarded, '\'');
		buf_put(&w->guarded, s, n);
		s = w->guarded.s;
		n = w->guarded.len;
	}
	if (x & quotes)
		put_quoted(w->to, s, n, f->double_quotes);
	else
		buf_put(w->to, s, n);
}

/* Copies a short value that needs nothing done to it, and looks at each byte
 * as it goes; false, and nothing is written, if it is another one. Nearly all
 * values are of this kind. */
static bool
put_plain(struct buf *b, const char *s, size_t n)
{
	unsigned x = 0;
	size_t i;
	char *to;

	if (n >= LONG)
		return false;
	buf_reserve(b, n + 1);
	to = b->s + b->len;
	for (i = 0; i < n; i++) {
		x |= special[(unsigned char)s[i]];
		to[i] = s[i];
	}
	if (x != 0)
		return false;
	b->len += n;
	return true;
}

static void
csv_begin(struct writer *w)
{
	int i;

	for (i = 0; i < w->ncol; i++) {
		if (i > 0)
			buf_putc(w->to, ',');
		put_value(w, w->col[i].head, strlen(w->col[i].head), 0);
	}
	buf_putc(w->to, '\n');
}

static void
csv_row(struct writer *w, const struct writer_cell *v)
{
	bool quote;
	int i;

	for (i = 0; i < w->ncol; i++) {
		quote = w->col[i].quote;
		if (i > 0)
			buf_putc(w->to, ',');
		if (v[i].s != NULL && !quote && !w->guard &&
		    put_plain(w->to, v[i].s, v[i].n))
			continue;
		if (v[i].s != NULL)
			put_value(w, v[i].s, v[i].n, quote ? ALWAYS : 0);
		else
			buf_puts(w->to,
			    quote ? w->format->unset_quoted : w->format->unset);
	}
	buf_putc(w->to, '\n');
}

#define PIECE 16

/* Copies 16 bytes, or n if that is less, with commas instead of TABs, and
 * returns the places of the TABs as bits, the first byte in bit 0. There must
 * be room for 16. */
static unsigned
commas(char *to, const char *s, size_t n)
{
	unsigned tabs = 0;
	size_t i;

#ifdef __SSE2__
	if (n >= PIECE) {
		const __m128i v =
		    _mm_loadu_si128((const __m128i *)(const void *)s);
		const __m128i tab = _mm_cmpeq_epi8(v, _mm_set1_epi8('\t'));

		_mm_storeu_si128((__m128i *)(void *)to,
		    _mm_xor_si128(
			v, _mm_and_si128(tab, _mm_set1_epi8('\t' ^ ','))));
		return (unsigned)_mm_movemask_epi8(tab);
	}
#endif
	for (i = 0; i < n && i < PIECE; i++) {
		tabs |= (unsigned)(s[i] == '\t') << i;
		to[i] = s[i] == '\t' ? ',' : s[i];
	}
	return tabs;
}

/* Copies up to k numbers of a row together; returns the place after them and
 * their TAB. */
static const char *
put_numbers(struct buf *to, const char *s, const char *e, int k)
{
	unsigned tabs;
	size_t n;

	buf_reserve(to, (size_t)(e - s) + PIECE);
	for (; s < e; s += PIECE, to->len += PIECE) {
		n = (size_t)(e - s);
		tabs = commas(to->s + to->len, s, n);
		for (; tabs != 0 && k > 1; k--)
			tabs &= tabs - 1;
		if (tabs != 0)
			n = (size_t)__builtin_ctz(tabs) + 1;
		if (tabs != 0 || n <= PIECE) {
			to->len += n;
			return s + n;
		}
	}
	return e;
}

/* Numbers need no quotes, so adjacent ones are copied together. */
static void
csv_line(struct writer *w, const char *s, size_t n)
{
	const char *e = s + n, *tab;
	int i = 0, k;

	while (s < e && i < w->ncol) {
		for (k = 0; i < w->ncol && w->col[i].kind == WRITER_NUM; i++)
			k++;
		if (k > 0) {
			s = put_numbers(w->to, s, e, k);
		} else {
			tab = memchr(s, '\t', (size_t)(e - s));
			put_value(
			    w, s, (size_t)((tab != NULL ? tab : e) - s), 0);
			if (tab != NULL)
				buf_putc(w->to, ',');
			s = tab != NULL ? tab + 1 : e;
			i++;
		}
	}
	buf_putc(w->to, '\n');
}

const struct writer_format writer_csv = {
	.name = "csv",
	.text = TEXT_RAW,
	.begin = csv_begin,
	.row = csv_row,
	.unset = "-",
	.unset_quoted = "-",
	.double_quotes = true,
};
const struct writer_format writer_csv_quoting = {
	.name = "csv",
	.text = TEXT_RAW,
	.begin = csv_begin,
	.row = csv_row,
	.unset = "",
	.unset_quoted = "\"\"",
	.double_quotes = true,
};
const struct writer_format writer_csv_nsys = {
	.name = "csv",
	.text = TEXT_RAW,
	.begin = csv_begin,
	.row = csv_row,
	.line = csv_line,
	.unset = "",
	.unset_quoted = "\"\"",
};
