/*
 * CSV, TSV, JSON and JSON Lines, as writer.h writes them. With --quote, CSV
 * always has quotes around these columns, and nothing for an unset value.
 */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "fmt.h"
#include "text_out.h"

/* A title is a line before CSV. In JSON it names the array, which is then the
 * only member of an object. */
static void
begin(struct fmt *f)
{
	const struct writer_format *format = f->sink->format;
	struct writer *w = f->state;
	struct writer_format *own;
	struct writer_col *col = xcalloc((size_t)f->ncol + 1, sizeof(*col));
	int i;

	if (f->title != NULL && format == &writer_csv) {
		buf_puts(&out_buf, f->title);
		buf_putc(&out_buf, '\n');
	} else if (f->title != NULL && format == &writer_json) {
		buf_putc(&out_buf, '{');
		json_quote_field(
		    &out_buf, f->title, strlen(f->title), TEXT_JSON);
		buf_putc(&out_buf, ':');
	}
	if (f->quotes != NULL && format == &writer_csv)
		format = &writer_csv_quoting;
	if (f->null != NULL &&
	    (format->unset == NULL || strcmp(format->unset, "null") == 0))
		die("--null: only with --csv, --tsv and -f");
	if (f->null != NULL) {
		own = xmalloc(sizeof(*own));
		*own = *format;
		own->unset = own->unset_quoted = f->null;
		own->line = NULL;
		format = own;
	}
	for (i = 0; i < f->ncol; i++)
		col[i] = (struct writer_col){ f->col[i].head,
			column_is_num(&f->col[i])    ? WRITER_NUM
			: f->col[i].kind == COL_JSON ? WRITER_JSON
						     : WRITER_TEXT,
			f->col[i].quote };
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
	bool json = f->sink->format == &writer_json;

	if (!f->begun && json) /* an array without elements is written, too */
		begin(f);
	if (f->begun || json)
		writer_end(f->state);
	if (json)
		buf_puts(&out_buf, f->title != NULL ? "}\n" : "\n");
}

const struct sink sink_csv = {
	.option = "--csv",
	.state = sizeof(struct writer),
	.format = &writer_csv,
	.begin = begin,
	.row = row,
	.end = end,
};
const struct sink sink_tsv = {
	.option = "--tsv",
	.state = sizeof(struct writer),
	.format = &writer_tsv,
	.begin = begin,
	.row = row,
	.end = end,
};
const struct sink sink_json = {
	.option = "--json",
	.state = sizeof(struct writer),
	.format = &writer_json,
	.begin = begin,
	.row = row,
	.end = end,
};
const struct sink sink_jsonl = {
	.option = "--jsonl",
	.state = sizeof(struct writer),
	.format = &writer_jsonl,
	.begin = begin,
	.row = row,
	.end = end,
};
