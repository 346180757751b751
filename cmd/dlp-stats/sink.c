/* The formats' common part; CSV and TSV. */
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <string.h>

#include "behind.h"
#include "esc.h"
#include "out.h"
#include "sinks.h"
#include "utf8.h"

static const struct sink_kind *const kinds[] = { &sink_csv, &sink_tsv,
	&sink_json, &sink_column };
static const struct sink_kind *kind;
static const struct sink_table *table;
static const char *file;
static bool first, any_row;

bool
sink_open(const char *format, bool named)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i]->name, format) == 0)
			kind = kinds[i];
	first = true;
	if (kind != NULL && kind->open != NULL)
		kind->open(named);
	return kind != NULL;
}

static void
begin(void)
{
	kind->begin(table, file, first);
	first = false;
}

void
sink_begin(const struct sink_table *t, const char *name)
{
	table = t;
	file = name;
	any_row = false;
	if (kind->empty)
		begin();
}

void
sink_row_now(const char *s, size_t n)
{
	if (!any_row && !kind->empty)
		begin();
	any_row = true;
	kind->row(table, s, n);
	out_check();
}

void
sink_row(const char *s, size_t n)
{
	behind_row(sink_row_now, s, n);
}

bool
sink_end(void)
{
	behind_end();
	if (kind->end != NULL && (any_row || kind->empty))
		kind->end();
	return any_row;
}

void
sink_close(void)
{
	if (kind->close != NULL)
		kind->close();
}

bool
cell_next(const char **s, const char *e, const char **v, size_t *n)
{
	const char *tab;

	if (*s == NULL)
		return false;
	*v = *s;
	tab = memchr(*s, '\t', (size_t)(e - *s));
	*n = (size_t)((tab != NULL ? tab : e) - *s);
	*s = tab != NULL ? tab + 1 : NULL;
	return true;
}

size_t
cell_utf8(struct buf *b, const char *s, size_t n, bool keep)
{
	size_t chars = 0;
	long cp;
	int k;

	for (; n > 0; s += k, n -= (size_t)k, chars++) {
		k = utf8_next(s, n, &cp);
		if (cp < 0)
			buf_puts(b, "\xef\xbf\xbd");
		else if (!keep && utf8_hidden(cp))
			buf_putc(b, ' ');
		else
			buf_put(b, s, (size_t)k);
	}
	return chars;
}

const char *
head_text(const char *col)
{
	return col + (col[0] == '#');
}

static void
heads(const struct sink_table *t, char sep, bool is_first)
{
	int i;

	if (!is_first)
		buf_putc(&out_buf, '\n');
	for (i = 0; i < t->ncols; i++) {
		if (i > 0)
			buf_putc(&out_buf, sep);
		buf_puts(&out_buf, head_text(t->cols[i]));
	}
	buf_putc(&out_buf, '\n');
}

/* As the vendor writes it: quotes around a value that has a comma, and none
 * doubled in it; also around one with a line end, which the vendor lacks. */
static void
csv_text(const char *s, size_t n)
{
	static struct buf tmp;
	bool quote = n > 0 && memchr(s, ',', n) != NULL;

	if (esc_has(s, n)) {
		buf_clear(&tmp);
		esc_undo(&tmp, s, n);
		s = buf_str(&tmp);
		n = tmp.len;
		quote |=
		    memchr(s, '\n', n) != NULL || memchr(s, '\r', n) != NULL;
	}
	buf_reserve(&out_buf, n + 2);
	if (quote)
		buf_putc(&out_buf, '"');
	buf_put(&out_buf, s, n);
	if (quote)
		buf_putc(&out_buf, '"');
}

static void
csv_begin(const struct sink_table *t, const char *name, bool is_first)
{
	(void)name;
	heads(t, ',', is_first);
}

#define PIECE 16

/* Copies 16 bytes, or n if that is less, with commas for TABs; where there
 * were TABs, the first byte in bit 0. There is room for 16. */
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

/* Up to k numbers of a row, which are copied together; behind them and the
 * TAB there. */
static const char *
csv_numbers(const char *s, const char *e, int k)
{
	unsigned tabs;
	size_t n;

	buf_reserve(&out_buf, (size_t)(e - s) + PIECE);
	for (; s < e; s += PIECE, out_buf.len += PIECE) {
		n = (size_t)(e - s);
		tabs = commas(out_buf.s + out_buf.len, s, n);
		for (; tabs != 0 && k > 1; k--)
			tabs &= tabs - 1;
		if (tabs != 0)
			n = (size_t)__builtin_ctz(tabs) + 1;
		if (tabs != 0 || n <= PIECE) {
			out_buf.len += n;
			return s + n;
		}
	}
	return e;
}

static const char *
csv_cell(const char *s, const char *e)
{
	const char *tab = s < e ? memchr(s, '\t', (size_t)(e - s)) : NULL;

	csv_text(s, (size_t)((tab != NULL ? tab : e) - s));
	if (tab == NULL)
		return e;
	buf_putc(&out_buf, ',');
	return tab + 1;
}

static void
csv_row(const struct sink_table *t, const char *s, size_t n)
{
	const char *e = s + n;
	int i = 0, k;

	while (s < e && i < t->ncols) {
		for (k = 0; i < t->ncols && t->cols[i][0] == '#'; i++)
			k++;
		if (k > 0) {
			s = csv_numbers(s, e, k);
		} else {
			s = csv_cell(s, e);
			i++;
		}
	}
	buf_putc(&out_buf, '\n');
}

static void
tsv_begin(const struct sink_table *t, const char *name, bool is_first)
{
	(void)name;
	heads(t, '\t', is_first);
}

/* A blank for a TAB in a text; a line end stays escaped. */
static void
tsv_text(const char *s, size_t n)
{
	static struct buf tmp;
	size_t i;

	buf_clear(&tmp);
	esc_undo(&tmp, s, n);
	for (i = 0; i < tmp.len; i++)
		if (tmp.s[i] == '\n' || tmp.s[i] == '\r')
			buf_puts(&out_buf, tmp.s[i] == '\n' ? "\\n" : "\\r");
		else
			buf_putc(&out_buf, tmp.s[i] == '\t' ? ' ' : tmp.s[i]);
}

/* Rows are that already, but for escapes. */
static void
tsv_row(const struct sink_table *t, const char *s, size_t n)
{
	const char *e = s + n, *v;
	int i;

	(void)t;
	if (!esc_has(s, n))
		buf_put(&out_buf, s, n);
	else
		for (i = 0; cell_next(&s, e, &v, &n); i++) {
			if (i > 0)
				buf_putc(&out_buf, '\t');
			tsv_text(v, n);
		}
	buf_putc(&out_buf, '\n');
}

const struct sink_kind sink_csv = {
	.name = "csv",
	.begin = csv_begin,
	.row = csv_row,
};
const struct sink_kind sink_tsv = {
	.name = "tsv",
	.begin = tsv_begin,
	.row = tsv_row,
};
