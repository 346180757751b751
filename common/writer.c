/* TSV, JSON and JSON Lines, and the functions that all formats share; see
 * writer.h. */
#include <stdlib.h>

#include "err.h"
#include "esc.h"
#include "text_out.h"
#include "writer.h"

/* What was written since from: in TSV, and in CSV for spreadsheets, characters
 * that act on a terminal or are not seen become escapes. Other CSV is data, and
 * has no escapes: it keeps every byte. TABs, commas, quotes and line ends stay.
 */
static void
clean(struct writer *w, size_t from)
{
	enum text_rule rule = w->format->text;
	struct buf *b = w->to;
	struct buf was = { 0 };
	const char *s;
	unsigned odd = 0;

	if (rule != TEXT_FIELD && !(rule == TEXT_RAW && w->guard))
		return;
	/* nearly all rows are ASCII */
	for (s = b->s + from; s < b->s + b->len; s++)
		odd |= ((unsigned char)*s - 0x20u >= 0x5fu) & (*s != '\t') &
		       (*s != '\n');
	if (!odd)
		return;
	buf_put(&was, b->s + from, b->len - from);
	b->len = from;
	text_put(b, was.s, was.len, rule);
	buf_free(&was);
}

void
writer_begin(struct writer *w)
{
	size_t from = w->to->len;

	w->nrows = 0;
	w->format->begin(w);
	clean(w, from);
}

void
writer_row(struct writer *w, const struct writer_cell *v)
{
	size_t from = w->to->len;

	w->format->row(w, v);
	clean(w, from);
	w->nrows++;
}

/* An empty value is unset. */
static void
split(struct writer *w, const char *s, size_t n)
{
	const char *e = s + n, *tab;
	struct writer_cell *v;
	int i;

	if (w->cell == NULL)
		w->cell = xcalloc((size_t)w->ncol, sizeof(*w->cell));
	for (i = 0; i < w->ncol; i++) {
		v = &w->cell[i];
		tab = s < e ? memchr(s, '\t', (size_t)(e - s)) : NULL;
		v->n = (size_t)((tab != NULL ? tab : e) - s);
		v->s = v->n > 0 ? s : NULL;
		s = tab != NULL ? tab + 1 : e;
	}
}

void
writer_line(struct writer *w, const char *s, size_t n)
{
	size_t from = w->to->len;

	if (w->format->line != NULL) {
		w->format->line(w, s, n);
	} else {
		split(w, s, n);
		w->format->row(w, w->cell);
	}
	clean(w, from);
	w->nrows++;
}

void
writer_end(struct writer *w)
{
	int i;

	if (w->format->end != NULL)
		w->format->end(w);
	for (i = 0; w->keys != NULL && i < w->ncol; i++)
		buf_free(&w->keys[i]);
	free(w->keys);
	free(w->cell);
	buf_free(&w->raw);
	buf_free(&w->guarded);
	w->keys = NULL;
	w->cell = NULL;
}

static void
tsv_begin(struct writer *w)
{
	int i;

	for (i = 0; i < w->ncol; i++) {
		if (i > 0)
			buf_putc(w->to, '\t');
		buf_puts(w->to, w->col[i].head);
	}
	buf_putc(w->to, '\n');
}

/* Values that are adjacent in a record are copied together. */
static void
tsv_fields(struct writer *w, const struct writer_cell *v)
{
	const char *unset = w->format->unset, *from, *end;
	int i = 0;

	while (i < w->ncol) {
		if (i > 0)
			buf_putc(w->to, '\t');
		from = v[i].s != NULL ? v[i].s : unset;
		end = from + (v[i].s != NULL ? v[i].n : strlen(unset));
		for (i++; i < w->ncol && v[i].s == end + 1 && *end == '\t'; i++)
			end = v[i].s + v[i].n;
		buf_put(w->to, from, (size_t)(end - from));
	}
	buf_putc(w->to, '\n');
}

static void
tsv_texts(struct writer *w, const struct writer_cell *v)
{
	int i;

	for (i = 0; i < w->ncol; i++) {
		if (i > 0)
			buf_putc(w->to, '\t');
		if (v[i].s != NULL)
			text_put_field(w->to, v[i].s, v[i].n, w->format->text);
		else
			buf_puts(w->to, w->format->unset);
	}
	buf_putc(w->to, '\n');
}

/* A line is already TSV, except for escapes and what the format must not get.
 */
static void
tsv_line(struct writer *w, const char *s, size_t n)
{
	unsigned char x = 0;
	size_t i;

	for (i = 0; i < n; i++)
		x |= (unsigned char)s[i];
	if (x >= 0x80 || esc_has(s, n)) {
		split(w, s, n);
		tsv_texts(w, w->cell);
		return;
	}
	buf_put(w->to, s, n);
	buf_putc(w->to, '\n');
}

static void
json_begin(struct writer *w)
{
	const struct writer_format *f = w->format;
	const char *head;
	int i;

	w->keys = xcalloc((size_t)w->ncol + 1, sizeof(*w->keys));
	for (i = 0; i < w->ncol; i++) {
		head = w->col[i].head;
		buf_puts(&w->keys[i], i > 0 ? "," : "");
		buf_puts(&w->keys[i], f->member);
		json_quote_field(&w->keys[i], head, strlen(head), f->text);
		buf_puts(&w->keys[i], f->colon);
	}
	if (f->close != NULL)
		buf_putc(w->to, '[');
}

/* Writes a JSON value unchanged; false if it is not valid JSON. */
static bool
put_json(struct writer *w, const struct writer_cell *v)
{
	buf_clear(&w->raw);
	esc_undo(&w->raw, v->s, v->n);
	if (!json_valid(buf_str(&w->raw), w->raw.len))
		return false;
	text_put(w->to, w->raw.s, w->raw.len, TEXT_JSON_VALUE);
	return true;
}

static void
json_value(struct writer *w, enum writer_kind kind, const struct writer_cell *v)
{
	const struct writer_format *f = w->format;

	if (v->s == NULL)
		buf_puts(w->to, f->unset);
	else if (kind == WRITER_NUM && json_is_num(v->s, v->n))
		buf_put(w->to, v->s, v->n);
	else if (kind != WRITER_JSON || !put_json(w, v))
		json_quote_field(w->to, v->s, v->n, f->text);
}

static void
json_row(struct writer *w, const struct writer_cell *v)
{
	int i;

	if (w->nrows > 0)
		buf_puts(w->to, w->format->between);
	buf_puts(w->to, w->format->row_begin);
	for (i = 0; i < w->ncol; i++) {
		buf_put(w->to, w->keys[i].s, w->keys[i].len);
		json_value(w, w->col[i].kind, &v[i]);
	}
	buf_puts(w->to, w->format->row_end);
}

static void
json_end(struct writer *w)
{
	const struct writer_format *f = w->format;

	if (f->close != NULL)
		buf_puts(w->to, w->nrows > 0 ? f->close : f->close_empty);
}

const struct writer_format writer_tsv = {
	.name = "tsv",
	.text = TEXT_FIELD,
	.begin = tsv_begin,
	.row = tsv_fields,
	.unset = "-",
};
const struct writer_format writer_tsv_nsys = {
	.name = "tsv",
	.text = TEXT_TSV_STATS,
	.begin = tsv_begin,
	.row = tsv_texts,
	.line = tsv_line,
	.unset = "",
};
const struct writer_format writer_json = {
	.name = "json",
	.text = TEXT_JSON,
	.begin = json_begin,
	.row = json_row,
	.end = json_end,
	.unset = "null",
	.row_begin = "\n{",
	.member = "",
	.colon = ":",
	.row_end = "}",
	.between = ",",
	.close = "\n]",
	.close_empty = "]",
};
const struct writer_format writer_jsonl = {
	.name = "jsonl",
	.text = TEXT_JSON,
	.begin = json_begin,
	.row = json_row,
	.unset = "null",
	.row_begin = "{",
	.member = "",
	.colon = ":",
	.row_end = "}\n",
	.between = "",
};
const struct writer_format writer_json_nsys = {
	.name = "json",
	.text = TEXT_JSON_STATS,
	.begin = json_begin,
	.row = json_row,
	.end = json_end,
	.unset = "\"\"",
	.row_begin = "\n  {",
	.member = "\n    ",
	.colon = ": ",
	.row_end = "\n  }",
	.between = ",",
	.close = "\n]",
	.close_empty = "\n]",
};
