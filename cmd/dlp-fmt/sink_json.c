/*
 * JSON: one array of objects, or one object per line. Numbers are numbers by
 * the column's kind, unset is null, text is a string in which what is no
 * UTF-8 became U+FFFD. A column of JSON text is put in as it is if it is
 * valid, else as a string.
 */
#include <stdlib.h>

#include "err.h"
#include "esc.h"
#include "fmt.h"
#include "json.h"
#include "json_text.h"

static struct buf *keys; /* per column: "name": */

static void
make_keys(struct fmt *f)
{
	int i;

	keys = xcalloc((size_t)f->ncol, sizeof(*keys));
	for (i = 0; i < f->ncol; i++) {
		buf_putc(&keys[i], i > 0 ? ',' : '{');
		json_string(&keys[i], f->col[i].head, strlen(f->col[i].head));
		buf_putc(&keys[i], ':');
	}
}

static bool
put_json(struct fmt *f, const struct cell *v)
{
	buf_clear(&f->tmp);
	esc_undo(&f->tmp, v->s, v->n);
	if (!json_valid(buf_str(&f->tmp), f->tmp.len))
		return false;
	json_raw(&out_buf, f->tmp.s, f->tmp.len);
	return true;
}

static void
put_value(struct fmt *f, enum col_kind kind, const struct cell *v)
{
	if (v->s == NULL)
		buf_put(&out_buf, "null", 4);
	else if ((kind == COL_INT || kind == COL_NUM) &&
		 json_is_num(v->s, v->n))
		buf_put(&out_buf, v->s, v->n);
	else if (kind != COL_JSON || !put_json(f, v))
		json_string(&out_buf, v->s, v->n);
}

static void
put_object(struct fmt *f, const struct cell *v)
{
	int i;

	for (i = 0; i < f->ncol; i++) {
		buf_put(&out_buf, keys[i].s, keys[i].len);
		put_value(f, f->col[i].kind, &v[i]);
	}
	if (f->ncol == 0)
		buf_putc(&out_buf, '{');
	buf_putc(&out_buf, '}');
}

/* With a title, the array is the one member of an object. */
static void
open_array(const struct fmt *f)
{
	if (f->title != NULL) {
		buf_putc(&out_buf, '{');
		json_string(&out_buf, f->title, strlen(f->title));
		buf_putc(&out_buf, ':');
	}
	buf_putc(&out_buf, '[');
}

static void
json_row(struct fmt *f, const struct cell *v)
{
	if (f->nrows == 0)
		open_array(f);
	buf_puts(&out_buf, f->nrows > 0 ? ",\n" : "\n");
	put_object(f, v);
}

static void
json_end(struct fmt *f)
{
	if (f->nrows == 0)
		open_array(f);
	buf_puts(&out_buf, f->nrows > 0 ? "\n]" : "]");
	buf_puts(&out_buf, f->title != NULL ? "}\n" : "\n");
}

static void
jsonl_row(struct fmt *f, const struct cell *v)
{
	put_object(f, v);
	buf_putc(&out_buf, '\n');
}

static void
jsonl_end(struct fmt *f)
{
	(void)f;
}

const struct sink sink_json = { "json", make_keys, json_row, json_end };
const struct sink sink_jsonl = { "jsonl", make_keys, jsonl_row, jsonl_end };
