/*
 * JSON: a table is an array of objects, as the vendor lays it out, an unset
 * value being the empty text; several are an array of objects with the
 * report's name, the file's if it is known, and the rows.
 */
#include <string.h>

#include "json_text.h"
#include "out.h"
#include "sinks.h"

static bool many, any_row;

static void
json_open(bool named)
{
	many = named;
	if (many)
		buf_putc(&out_buf, '[');
}

static void
put_text(const char *s, size_t n)
{
	json_quote_field(&out_buf, s, n, TEXT_JSON_STATS);
}

static void
json_begin(const struct sink_table *t, const char *file, bool first)
{
	if (many) {
		buf_puts(&out_buf, first ? "\n{" : ",\n{");
		if (file != NULL) {
			buf_puts(&out_buf, "\"file\":");
			put_text(file, strlen(file));
			buf_putc(&out_buf, ',');
		}
		buf_puts(&out_buf, "\"report\":");
		put_text(t->name, strlen(t->name));
		buf_puts(&out_buf, ",\"rows\":");
	}
	buf_putc(&out_buf, '[');
	any_row = false;
}

static void
json_row(const struct sink_table *t, const char *s, size_t n)
{
	const char *e = s + n, *v;
	int i;

	buf_puts(&out_buf, any_row ? ",\n  {" : "\n  {");
	any_row = true;
	for (i = 0; cell_next(&s, e, &v, &n); i++) {
		buf_puts(&out_buf, i > 0 ? ",\n    " : "\n    ");
		json_quote(&out_buf, head_text(t->cols[i]),
		    strlen(head_text(t->cols[i])), TEXT_JSON_STATS);
		buf_puts(&out_buf, ": ");
		if (n > 0 && t->cols[i][0] == '#')
			buf_put(&out_buf, v, n);
		else
			put_text(v, n);
	}
	buf_puts(&out_buf, "\n  }");
}

static void
json_end(void)
{
	buf_puts(&out_buf, "\n]");
	buf_puts(&out_buf, many ? "}" : "\n");
}

static void
json_close(void)
{
	if (many)
		buf_puts(&out_buf, "\n]\n");
}

const struct sink_kind sink_json = { "json", true, json_open, json_begin,
	json_row, json_end, json_close };
