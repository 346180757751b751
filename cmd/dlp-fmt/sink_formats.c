/*
 * CSV, TSV, JSON and JSON Lines, as writer.h writes them. With --quote, CSV
 * always has quotes around these columns, and nothing for an unset value.
 */
#include <stdlib.h>

#include "err.h"
#include "fmt.h"
#include "text_out.h"

static enum writer_kind
kind_of_column(const struct fmt_column *c)
{
	if (c->kind == COL_INT || c->kind == COL_NUM)
		return WRITER_NUM;
	return c->kind == COL_JSON ? WRITER_JSON : WRITER_TEXT;
}

static void
begin_writer(struct fmt *f, const struct writer_format *format)
{
	struct writer *w = f->state;
	struct writer_col *col;
	int i;

	col = xcalloc((size_t)f->ncol + 1, sizeof(*col));
	for (i = 0; i < f->ncol; i++)
		col[i] = (struct writer_col){ f->col[i].head,
			kind_of_column(&f->col[i]), f->col[i].quote };
	*w = (struct writer){ .format = format,
		.to = &out_buf,
		.col = col,
		.ncol = f->ncol,
		.guard = f->guard };
	writer_begin(w);
}

static void
row(struct fmt *f, const struct writer_cell *v)
{
	writer_row(f->state, v);
}

static void
end(struct fmt *f)
{
	if (f->begun)
		writer_end(f->state);
}

static void
csv_begin(struct fmt *f)
{
	if (f->title != NULL) {
		buf_puts(&out_buf, f->title);
		buf_putc(&out_buf, '\n');
	}
	begin_writer(f, f->quotes != NULL ? &writer_csv_quoting : &writer_csv);
}

static void
tsv_begin(struct fmt *f)
{
	begin_writer(f, &writer_tsv);
}

/* With a title, the array is the only member of an object. */
static void
json_begin(struct fmt *f)
{
	if (f->title != NULL) {
		buf_putc(&out_buf, '{');
		json_quote_field(
		    &out_buf, f->title, strlen(f->title), TEXT_JSON);
		buf_putc(&out_buf, ':');
	}
	begin_writer(f, &writer_json);
}

static void
json_end(struct fmt *f)
{
	if (!f->begun) /* an array without elements must be written, too */
		json_begin(f);
	writer_end(f->state);
	buf_puts(&out_buf, f->title != NULL ? "}\n" : "\n");
}

static void
jsonl_begin(struct fmt *f)
{
	begin_writer(f, &writer_jsonl);
}

const struct sink sink_csv = {
	.option = "--csv",
	.state = sizeof(struct writer),
	.begin = csv_begin,
	.row = row,
	.end = end,
};
const struct sink sink_tsv = {
	.option = "--tsv",
	.state = sizeof(struct writer),
	.begin = tsv_begin,
	.row = row,
	.end = end,
};
const struct sink sink_json = {
	.option = "--json",
	.state = sizeof(struct writer),
	.begin = json_begin,
	.row = row,
	.end = json_end,
};
const struct sink sink_jsonl = {
	.option = "--jsonl",
	.state = sizeof(struct writer),
	.begin = jsonl_begin,
	.row = row,
	.end = end,
};
