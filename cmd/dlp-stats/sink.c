/* The formats' common part; CSV and TSV. */
#include <string.h>

#include "esc.h"
#include "out.h"
#include "sinks.h"
#include "utf8.h"

static const struct sink_kind *const kinds[] = { &sink_csv, &sink_tsv,
	&sink_json, &sink_column };
static const struct sink_kind *kind;
static const struct sink_table *table;
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

void
sink_begin(const struct sink_table *t, const char *file)
{
	table = t;
	kind->begin(t, file, first);
	first = any_row = false;
}

void
sink_row(const char *s, size_t n)
{
	any_row = true;
	kind->row(table, s, n);
	out_check();
}

bool
sink_end(void)
{
	if (kind->end != NULL)
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
csv_begin(const struct sink_table *t, const char *file, bool is_first)
{
	(void)file;
	heads(t, ',', is_first);
}

static void
csv_row(const struct sink_table *t, const char *s, size_t n)
{
	const char *e = s + n, *v;
	int i;

	for (i = 0; cell_next(&s, e, &v, &n); i++) {
		if (i > 0)
			buf_putc(&out_buf, ',');
		if (t->cols[i][0] == '#')
			buf_put(&out_buf, v, n);
		else
			csv_text(v, n);
	}
	buf_putc(&out_buf, '\n');
}

static void
tsv_begin(const struct sink_table *t, const char *file, bool is_first)
{
	(void)file;
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
