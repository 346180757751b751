/*
 * Tables in the formats that other programs read: CSV, TSV, JSON (one array
 * of objects) and JSON Lines (an object per line).
 *
 *	struct writer w = { .format = &writer_csv, .to = &out_buf,
 *		.col = cols, .ncol = n };
 *	writer_begin(&w);		the header, where the format has one
 *	writer_row(&w, cells);		n of them; or
 *	writer_line(&w, line, len);	the same as a line, TABs between
 *	writer_end(&w);			the memory is free again
 *
 * What goes around a table (a title, an object with several tables) is the
 * caller's. Nothing here fails; the caller flushes (out_check()).
 */
#pragma once

#include <stdbool.h>

#include "text_out.h"

struct writer_cell { /* a field's escaped text (esc.h), a view; NULL if unset */
	const char *s;
	size_t n;
};

enum writer_kind {
	WRITER_TEXT,
	WRITER_NUM, /* JSON: a number if it is one, otherwise a string */
	WRITER_JSON /* JSON: unchanged if it is valid, otherwise a string */
};

struct writer_col {
	const char *head; /* escaped, too; kept, not copied */
	enum writer_kind kind;
	bool quote; /* CSV: always quoted */
};

struct writer;

/* A format is data, and two functions that know its grammar. */
struct writer_format {
	const char *name;
	enum text_rule text; /* of its values */
	void (*begin)(struct writer *w);
	void (*row)(struct writer *w, const struct writer_cell *v);
	/* NULL: the line is split, and row called */
	void (*line)(struct writer *w, const char *s, size_t n);
	void (*end)(struct writer *w);
	const char *unset;
	/* CSV */
	const char *unset_quoted; /* in a column that is always quoted */
	bool double_quotes;       /* RFC 4180: a " is quoted, and doubled */
	/* JSON: the text before a row, a member and its value, and after a row;
	 * before the end of the array, if it has rows and if not */
	const char *row_begin, *member, *colon, *row_end, *close, *close_empty;
	const char *between; /* between rows */
};

extern const struct writer_format writer_csv; /* RFC 4180, unset: - */
/* The same; unset is empty, "" in a column that is always quoted. */
extern const struct writer_format writer_csv_quoting;
/* Escapes stay, because a value cannot contain a TAB or a line end; unset: - */
extern const struct writer_format writer_tsv;
extern const struct writer_format writer_json, writer_jsonl; /* unset: null */

/* As nsys stats writes them; unset is empty. In CSV a " is not doubled, and in
 * TSV a text's escapes are decoded except those of line ends. */
extern const struct writer_format writer_csv_nsys, writer_tsv_nsys,
    writer_json_nsys;

struct writer {
	const struct writer_format *format;
	struct buf *to; /* appended to */
	const struct writer_col *col;
	int ncol;
	bool guard; /* CSV: a ' before a text that a spreadsheet would take
		     * for a formula */
	/* private */
	uint64_t nrows;
	struct buf *keys;         /* JSON: the text before each value */
	struct writer_cell *cell; /* of a line */
	struct buf raw, guarded;
};

void writer_begin(struct writer *w);
void writer_row(struct writer *w, const struct writer_cell *v);

/* Writes a line whose values are all set; if the format writes unset values as
 * empty, an empty value is unset. */
void writer_line(struct writer *w, const char *s, size_t n);

void writer_end(struct writer *w);

/* Appends a field's escaped text as CSV in quotes, with quotes inside doubled.
 */
void writer_quote(struct buf *b, const char *s, size_t n);
