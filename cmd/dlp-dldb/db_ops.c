/* Ops: their rows, and the facts that their work needs. */
#include "db.h"

#include <string.h>

#include "array.h"
#include "err.h"

/* "N:32, C:3" up to the >. */
static const char *
one_shape(const char *s, struct buf *sizes, struct buf *letters)
{
	bool first = true, with = false;
	size_t n;

	buf_putc(sizes, '[');
	while (*s != '\0' && *s != '>') {
		n = strcspn(s, ",:>");
		if (s[n] == ':') {
			buf_puts(letters, with ? "," : "");
			buf_put(letters, s, n);
			with = true;
			s += n + 1;
			n = strcspn(s, ",>");
		}
		buf_puts(sizes, first ? "" : ",");
		buf_put(sizes, s, n);
		first = false;
		s += n + strspn(s + n, ", ");
	}
	buf_putc(sizes, ']');
	return *s == '>' ? s + 1 : s;
}

/* Splits DLProf's shapes, "<N:32, C:3>; x: <6>": appends [[32,3],[6]], ["","x"]
 * and N,C, the letters of the shapes that have some, joined by ";". Appends
 * nothing for a text without a shape. */
static void
shape_split(
    const char *s, struct buf *sizes, struct buf *names, struct buf *letters)
{
	const char *open, *sep = "[";
	size_t n;

	while ((open = strchr(s, '<')) != NULL) {
		buf_puts(sizes, sep);
		buf_puts(names, sep);
		/* the name before a shape is already JSON text */
		n = (size_t)(open - s);
		if (n >= 2 && memcmp(open - 2, ": ", 2) == 0)
			n -= 2;
		buf_printf(names, "\"%.*s\"", (int)n, s);
		buf_puts(letters, *sep == ',' ? ";" : "");
		s = one_shape(open + 1, sizes, letters);
		s += strspn(s, ",; ");
		sep = ",";
	}
	while (letters->len > 0 && letters->s[letters->len - 1] == ';')
		letters->s[--letters->len] = '\0';
	if (*sep == ',') {
		buf_putc(sizes, ']');
		buf_putc(names, ']');
	}
}

struct db_op *
ops_find(const struct db_halves *d, int64_t id)
{
	const uint64_t *no = map_get(&d->op_at, (uint64_t)id);

	return no != NULL ? &d->op[*no - 1] : NULL;
}

/* A field unescaped, "" if unset; valid until the next use of this buffer. */
static const char *
field_text(const struct rec *r, int col, struct buf *b, size_t *n)
{
	const char *s = rec_text(r, col, b, n);

	if (s == NULL)
		*n = 0;
	return s != NULL ? s : "";
}

static int64_t
json_id(struct db_halves *d, struct buf *b)
{
	if (b->len == 0)
		buf_puts(b, "null");
	buf_putc(b, '\n');
	return db_word_id(d, db_word(d, b->s, b->len));
}

/* The ids of shapes and their names in DLProf's text, and of the letters. Input
 * shapes can also be JSON, which includes scalars. */
static int64_t
put_shapes(struct db_halves *d, const struct rec *r, int col, bool input,
    struct buf *letters, int64_t *shapes_id, int64_t *names_id)
{
	struct buf sizes = { 0 }, names = { 0 };
	const char *s;
	size_t n;

	shape_split(field_text(r, col, &d->tmp, &n), &sizes, &names, letters);
	s = field_text(r, COL_shapes, &d->tmp, &n);
	if (input && n > 0 && sizes.len > 0) {
		buf_clear(&sizes);
		buf_put(&sizes, s, n);
	}
	*shapes_id = json_id(d, &sizes);
	*names_id = json_id(d, &names);
	buf_free(&sizes);
	buf_free(&names);
	return db_str_id(d, buf_str(letters));
}

static void
put_op_row(struct db_halves *d, const struct rec *r, struct db_op *op)
{
	struct buf in = { 0 }, out = { 0 }, id = { 0 }, name = { 0 },
		   stack = { 0 };
	int64_t format, out_format, none = db_str_id(d, "");
	const char *dl_id, *s;
	size_t n, id_len;
	bool conv;

	format = put_shapes(
	    d, r, COL_dl_in, true, &in, &op->shapes_id, &op->names_id);
	out_format = put_shapes(
	    d, r, COL_dl_out, false, &out, &op->out_id, &op->out_names_id);
	conv = in.len > 0 && strcmp(db_word_text(d, op->type), "conv2d") == 0;
	dl_id = field_text(r, COL_dl_id, &id, &id_len);
	s = field_text(r, COL_stack, &d->tmp, &n);
	for (; n > 0; n--, s++) /* one frame per line */
		buf_putc(&stack, *s == ',' ? '\n' : *s);
	dbw_put(&d->db, T_OPS, op->id, "iittiiiiiiiit", DOMAIN_ID,
	    db_text_id(d, dl_id, id_len), dl_id,
	    field_text(r, COL_name, &name, &n), db_word_id(d, op->type), none,
	    (int64_t)(op->eligible       ? 0
		      : op->unassociated ? 2
					 : 3),
	    db_word_id(d, op->dtype), format, out_format,
	    conv ? db_str_id(d, "SH,SW;PH,PW;DH,DW;G") : none,
	    db_word_id(d, db_col_word(d, r, COL_dir)), buf_str(&stack));
	/* how it was recognised */
	DBW_ADD(&d->db, T_DLP_OPS, op->id,
	    db_word_id(d, db_col_word(d, r, COL_by)));
	buf_free(&in);
	buf_free(&out);
	buf_free(&id);
	buf_free(&name);
	buf_free(&stack);
}

static void
on_op(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	struct db_op *op;
	int64_t id;
	bool is_new;
	uint64_t *no;

	if (!rec_num(r, COL_op_id, &id))
		rec_die(r, "op without an id");
	no = map_put(&d->op_at, (uint64_t)id, &is_new);
	if (!is_new)
		rec_die(r, "op %lld comes twice", (long long)id);
	if (id <= 0)
		rec_die(r, "bad op id '%lld'", (long long)id);
	ARRAY_GROW(d->op, d->n_ops, d->cap_ops);
	op = &d->op[d->n_ops++];
	*no = d->n_ops;
	memset(op, 0, sizeof(*op));
	op->id = id;
	op->type = db_col_word(d, r, COL_op);
	op->dtype = db_col_word(d, r, COL_dtype);
	op->eligible = mv_eq(rec_get(r, COL_dl_tc), "yes");
	op->unassociated = !op->eligible && !mv_eq(rec_get(r, COL_dl_tc), "no");
	if (d->raw)
		put_op_row(d, r, op);
	stage_pass(st, r);
}

void
ops_start(struct stage *st)
{
	stage_on(st, "op", on_op,
	    .need = "op_id name op dir dl_id dl_in dl_out dl_tc",
	    .opt = "by dtype shapes stack");
}
