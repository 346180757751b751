/*
 * Tables in the formats of nsys stats; see stats.h. JSON: a table is an
 * array of objects; several tables are an array of objects with the report's
 * name, the file's if it is known, and the rows. Columns for people are as wide
 * as their widest value, so the rows are kept in a file until the widths are
 * known; numbers have commas between thousands.
 */
#include <string.h>

#include "array.h"
#include "err.h"
#include "esc.h"
#include "out.h"
#include "spill.h"
#include "stats.h"
#include "text_out.h"

/* A column's head without the mark of numbers. */
static const char *
head_text(const char *col)
{
	return col + (col[0] == '#');
}

bool
sink_open(struct stats_sink *k, const char *format, bool named)
{
	k->first = true;
	if (strcmp(format, "csv") == 0)
		k->format = &writer_csv_nsys;
	else if (strcmp(format, "tsv") == 0)
		k->format = &writer_tsv_nsys;
	else if (strcmp(format, "json") == 0)
		k->format = &writer_json_nsys;
	else
		return strcmp(format, "column") == 0;
	k->json = k->format == &writer_json_nsys;
	k->named = k->json && named;
	if (k->named)
		buf_putc(&out_buf, '[');
	return true;
}

static void
json_text(const char *s)
{
	json_quote_field(&out_buf, s, strlen(s), TEXT_JSON_STATS);
}

static void
widen(struct stats_sink *k, int i, size_t n)
{
	if (n > k->width[i])
		k->width[i] = n;
}

static void
begin_table(struct stats_sink *k)
{
	const char *const *cols = k->table->cols;
	int i;
	const struct report_table *t;

	k->begun = true;
	if (k->format == NULL) {
		t = k->table;
		buf_printf(&out_buf, "%s ** %s (%s)", k->first ? "" : "\n",
		    t->title, t->name);
		if (k->file != NULL) {
			buf_puts(&out_buf, " of ");
			text_put(&out_buf, k->file, strlen(k->file),
			    TEXT_COLUMN_STATS);
		}
		buf_puts(&out_buf, ":\n\n");
		for (i = 0; i < t->ncols; i++) {
			k->width[i] = 0;
			widen(k, i, strlen(head_text(t->cols[i])));
		}
		k->rows = fdopen(temp_fd(), "w+");
		if (k->rows == NULL)
			die_errno("temporary file");
	} else {
		if (k->named) {
			/* The text before a separate table. */
			buf_puts(&out_buf, k->first ? "\n{" : ",\n{");
			if (k->file != NULL) {
				buf_puts(&out_buf, "\"file\":");
				json_text(k->file);
				buf_putc(&out_buf, ',');
			}
			buf_puts(&out_buf, "\"report\":");
			json_text(k->table->name);
			buf_puts(&out_buf, ",\"rows\":");
		} else if (!k->first && !k->json)
			buf_putc(&out_buf, '\n');
		for (i = 0; i < k->table->ncols; i++)
			k->col[i] = (struct writer_col){ head_text(cols[i]),
				cols[i][0] == '#' ? WRITER_NUM : WRITER_TEXT,
				false };
		k->writer = (struct writer){ .format = k->format,
			.to = &out_buf,
			.col = k->col,
			.ncol = k->table->ncols };
		writer_begin(&k->writer);
	}
	k->first = false;
}

/* JSON also has tables without rows. */
void
sink_begin(struct stats_sink *k, const struct report_table *t, const char *file)
{
	k->table = t;
	k->file = file;
	k->begun = k->any_row = false;
	if (k->json)
		begin_table(k);
}

/* 1234567.8 as 1,234,567.8 */
static void
thousands(struct buf *b, const char *s, size_t n)
{
	const char *dot = n > 0 ? memchr(s, '.', n) : NULL;
	size_t whole = dot != NULL ? (size_t)(dot - s) : n, i;

	for (i = 0; i < whole; i++) {
		if (i > 0 && (whole - i) % 3 == 0 && s[i - 1] != '-')
			buf_putc(b, ',');
		buf_putc(b, s[i]);
	}
	buf_put(b, s + whole, n - whole);
}

/* Numbers that serve as names get no commas. */
static bool
is_count(const char *col)
{
	static const char *const ids[] = { "CorrId", "Ctx", "DevId", "GreenCtx",
		"PID", "ParentId", "RangeId", "Strm", "TID" };
	const char *s = head_text(col);

	return col[0] == '#' &&
	       !mv_listed(mv(s, s + strlen(s)), ids, ARRAY_LEN(ids));
}

/* Writes its length, its width and the shown text to the file. */
static void
columns_cell(struct stats_sink *k, int i, const char *s, size_t n)
{
	size_t head[2];

	buf_clear(&k->cell);
	buf_reserve(&k->cell, 1);
	if (is_count(k->table->cols[i])) {
		thousands(&k->cell, s, n);
		head[1] = k->cell.len;
	} else {
		text_put_field(&k->cell, s, n, TEXT_COLUMN_STATS);
		head[1] = text_chars(k->cell.s, k->cell.len);
	}
	head[0] = k->cell.len;
	widen(k, i, head[1]);
	fwrite(head, sizeof(head), 1, k->rows);
	if (k->cell.len > 0)
		fwrite(k->cell.s, 1, k->cell.len, k->rows);
}

static void
put_cell(const struct stats_sink *k, int i, const char *s, size_t n, size_t w)
{
	int pad = k->width[i] > w ? (int)(k->width[i] - w) : 0;
	bool last = i + 1 == k->table->ncols;
	bool right = k->table->cols[i][0] == '#';

	buf_puts(&out_buf, i == 0 ? " " : "  ");
	if (right)
		text_blanks(&out_buf, pad);
	buf_put(&out_buf, s, n);
	if (!last && !right)
		text_blanks(&out_buf, pad);
	if (last)
		buf_putc(&out_buf, '\n');
	out_check();
}

void
sink_row(struct stats_sink *k, const char *s, size_t n)
{
	const char *e = s + n, *tab;
	int i;

	if (!k->begun)
		begin_table(k);
	k->any_row = true;
	if (k->format != NULL) {
		writer_line(&k->writer, s, n);
		out_check();
		return;
	}
	for (i = 0; i < k->table->ncols; i++) {
		tab = s < e ? memchr(s, '\t', (size_t)(e - s)) : NULL;
		columns_cell(k, i, s, (size_t)((tab != NULL ? tab : e) - s));
		s = tab != NULL ? tab + 1 : e;
	}
	if (ferror(k->rows))
		die_errno("temporary file (see TMPDIR)");
	out_check();
}

bool
sink_end(struct stats_sink *k)
{
	struct buf *cell;
	size_t head[2], n;
	int i, j;
	const char *h;

	if (k->begun && k->format == NULL) {
		cell = &k->cell;
		i = 0;
		for (j = 0; j < k->table->ncols; j++) {
			h = head_text(k->table->cols[j]);
			put_cell(k, j, h, strlen(h), strlen(h));
		}
		for (j = 0; j < k->table->ncols; j++) {
			buf_puts(&out_buf, j == 0 ? " " : "  ");
			for (n = 0; n < k->width[j]; n++)
				buf_putc(&out_buf, '-');
		}
		buf_putc(&out_buf, '\n');
		if (fflush(k->rows) != 0 || fseek(k->rows, 0, SEEK_SET) != 0)
			die_errno("temporary file (see TMPDIR)");
		while (fread(head, sizeof(head), 1, k->rows) == 1) {
			buf_clear(cell);
			buf_reserve(cell, head[0] + 1);
			if (fread(cell->s, 1, head[0], k->rows) != head[0])
				die_errno("temporary file");
			put_cell(k, i, cell->s, head[0], head[1]);
			i = (i + 1) % k->table->ncols;
		}
		fclose(k->rows);
	} else if (k->begun)
		writer_end(&k->writer);
	if (k->json)
		buf_puts(&out_buf, k->named ? "}" : "\n");
	return k->any_row;
}

void
sink_close(struct stats_sink *k)
{
	if (k->named)
		buf_puts(&out_buf, "\n]\n");
}
