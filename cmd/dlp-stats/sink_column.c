/*
 * Columns for people, as wide as their widest value: the rows are kept in a
 * file until the widths are known. Numbers have commas between thousands.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "esc.h"
#include "out.h"
#include "sinks.h"
#include "temp.h"

static const struct sink_table *table;
static size_t width[MAX_COLS];
static FILE *rows;

static void
widen(int i, size_t n)
{
	if (n > width[i])
		width[i] = n;
}

static void
column_begin(const struct sink_table *t, const char *file, bool first)
{
	int i;

	table = t;
	buf_printf(
	    &out_buf, "%s ** %s (%s)", first ? "" : "\n", t->title, t->name);
	if (file != NULL) {
		buf_puts(&out_buf, " of ");
		cell_utf8(&out_buf, file, strlen(file), false);
	}
	buf_puts(&out_buf, ":\n\n");
	for (i = 0; i < t->ncols; i++) {
		width[i] = 0;
		widen(i, strlen(head_text(t->cols[i])));
	}
	rows = fdopen(temp_fd(), "w+");
	if (rows == NULL)
		die_errno("temporary file");
}

/* 1234567.8 as 1,234,567.8 */
static void
thousands(struct buf *b, const char *s, size_t n)
{
	const char *dot = memchr(s, '.', n);
	size_t whole = dot != NULL ? (size_t)(dot - s) : n, i;

	for (i = 0; i < whole; i++) {
		if (i > 0 && (whole - i) % 3 == 0 && s[i - 1] != '-')
			buf_putc(b, ',');
		buf_putc(b, s[i]);
	}
	buf_put(b, s + whole, n - whole);
}

/* Numbers that are names get no commas. */
static bool
is_count(const char *col)
{
	static const char *const ids[] = { "PID", "TID", "DevId", "CorrId",
		"RangeId", "ParentId", "Ctx", "Strm", "GreenCtx" };
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (strcmp(head_text(col), ids[i]) == 0)
			return false;
	return col[0] == '#';
}

/* Shown text, its length and its width go to the file. */
static void
column_row(const struct sink_table *t, const char *s, size_t n)
{
	static struct buf raw, cell;
	const char *e = s + n, *v;
	size_t head[2];
	int i;

	for (i = 0; i < MAX_COLS && cell_next(&s, e, &v, &n); i++) {
		buf_clear(&cell);
		buf_clear(&raw);
		esc_undo(&raw, v, n);
		head[1] = cell_utf8(&cell, buf_str(&raw), raw.len, false);
		if (is_count(t->cols[i])) {
			buf_clear(&cell);
			thousands(&cell, v, n);
			head[1] = cell.len;
		}
		head[0] = cell.len;
		widen(i, head[1]);
		fwrite(head, sizeof(head), 1, rows);
		if (cell.len > 0)
			fwrite(cell.s, 1, cell.len, rows);
	}
	if (ferror(rows))
		die_errno("temporary file (see TMPDIR)");
}

static void
put_cell(int i, const char *s, size_t n, size_t w)
{
	size_t pad = width[i] > w ? width[i] - w : 0;
	bool last = i + 1 == table->ncols;

	buf_puts(&out_buf, i == 0 ? " " : "  ");
	if (table->cols[i][0] == '#')
		while (pad > 0 && pad--)
			buf_putc(&out_buf, ' ');
	buf_put(&out_buf, s, n);
	while (!last && table->cols[i][0] != '#' && pad > 0 && pad--)
		buf_putc(&out_buf, ' ');
	if (last)
		buf_putc(&out_buf, '\n');
	out_check();
}

static void
put_heads(void)
{
	const char *h;
	size_t k;
	int i;

	for (i = 0; i < table->ncols; i++) {
		h = head_text(table->cols[i]);
		put_cell(i, h, strlen(h), strlen(h));
	}
	for (i = 0; i < table->ncols; i++) {
		buf_puts(&out_buf, i == 0 ? " " : "  ");
		for (k = 0; k < width[i]; k++)
			buf_putc(&out_buf, '-');
	}
	buf_putc(&out_buf, '\n');
}

static void
column_end(void)
{
	struct buf cell = { 0 };
	size_t head[2];
	int i = 0;

	put_heads();
	if (fflush(rows) != 0 || fseek(rows, 0, SEEK_SET) != 0)
		die_errno("temporary file (see TMPDIR)");
	while (fread(head, sizeof(head), 1, rows) == 1) {
		buf_clear(&cell);
		buf_reserve(&cell, head[0] + 1);
		if (fread(cell.s, 1, head[0], rows) != head[0])
			die_errno("temporary file");
		put_cell(i, cell.s, head[0], head[1]);
		i = (i + 1) % table->ncols;
	}
	buf_free(&cell);
	fclose(rows);
}

const struct sink_kind sink_column = { "column", false, NULL, column_begin,
	column_row, column_end, NULL };
