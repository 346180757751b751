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
	bool quote;

	if (esc_has(s, n)) {
		buf_clear(&tmp);
		esc_undo(&tmp, s, n);
		s = buf_str(&tmp);
		n = tmp.len;
	}
	quote =
	    n > 0 && (memchr(s, ',', n) != NULL || memchr(s, '\n', n) != NULL ||
			 memchr(s, '\r', n) != NULL);
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

struct marks { /* of up to 16 bytes, the first one's in bit 0 */
	unsigned tabs;
	unsigned special; /* commas, escapes */
};

static struct marks
marks(const char *s, size_t n)
{
	struct marks m = { 0, 0 };
	size_t i;

#ifdef __SSE2__
	if (n >= PIECE) {
		const __m128i v =
		    _mm_loadu_si128((const __m128i *)(const void *)s);

		m.tabs = (unsigned)_mm_movemask_epi8(
		    _mm_cmpeq_epi8(v, _mm_set1_epi8('\t')));
		m.special = (unsigned)_mm_movemask_epi8(
		    _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(',')),
			_mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
		return m;
	}
#endif
	for (i = 0; i < n && i < PIECE; i++) {
		m.tabs |= (unsigned)(s[i] == '\t') << i;
		m.special |= (unsigned)(s[i] == ',' || s[i] == '\\') << i;
	}
	return m;
}

static struct csv { /* the row in the making */
	const struct sink_table *t;
	const char *from; /* what is before it is written */
	const char *cell;
	bool special; /* the cell: has a comma or an escape */
	int col;
	size_t tab[MAX_COLS]; /* where TABs come to stand in the output */
} csv;

static void
csv_cell_end(const char *e)
{
	if (csv.special && csv.t->cols[csv.col][0] != '#') {
		buf_put(&out_buf, csv.from, (size_t)(csv.cell - csv.from));
		csv_text(csv.cell, (size_t)(e - csv.cell));
		csv.from = e;
	}
	csv.tab[csv.col++] = out_buf.len + (size_t)(e - csv.from);
	csv.cell = e + 1;
	csv.special = false;
}

/* Plain cells are copied together; then TABs become commas. */
static void
csv_row(const struct sink_table *t, const char *s, size_t n)
{
	const char *e = s + n;
	struct marks m;
	int i;

	csv.t = t;
	csv.from = csv.cell = s;
	csv.special = false;
	csv.col = 0;
	for (; s < e; s += PIECE) {
		m = marks(s, (size_t)(e - s));
		for (; m.tabs != 0; m.tabs &= m.tabs - 1) {
			i = __builtin_ctz(m.tabs);
			csv.special |= (m.special & ((1u << i) - 1)) != 0;
			csv_cell_end(s + i);
			m.special &= ~0u << i;
		}
		csv.special |= m.special != 0;
	}
	csv_cell_end(e);
	buf_put(&out_buf, csv.from, (size_t)(e - csv.from));
	for (i = 0; i + 1 < csv.col; i++)
		out_buf.s[csv.tab[i]] = ',';
	buf_putc(&out_buf, '\n');
}

static void
tsv_begin(const struct sink_table *t, const char *name, bool is_first)
{
	(void)name;
	heads(t, '\t', is_first);
}

/* Rows are that already. */
static void
tsv_row(const struct sink_table *t, const char *s, size_t n)
{
	(void)t;
	buf_put(&out_buf, s, n);
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
