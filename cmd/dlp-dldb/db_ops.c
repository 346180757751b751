/* Ops: their rows, and the facts that their work needs. */
#include "db.h"

#include <stdlib.h>
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

/* The name before a shape is already JSON text. */
static void
put_shape_name(struct buf *names, const char *s, const char *open)
{
	size_t n = (size_t)(open - s);

	if (n >= 2 && memcmp(open - 2, ": ", 2) == 0)
		n -= 2;
	buf_putc(names, '"');
	buf_put(names, s, n);
	buf_putc(names, '"');
}

/* Splits DLProf's shapes, "<N:32, C:3>; x: <6>": appends [[32,3],[6]], ["","x"]
 * and N,C, the letters of the shapes that have some, joined by ";". Appends
 * nothing for a text without a shape. */
static void
shape_split(
    const char *s, struct buf *sizes, struct buf *names, struct buf *letters)
{
	const char *open, *sep = "[";

	while ((open = strchr(s, '<')) != NULL) {
		buf_puts(sizes, sep);
		buf_puts(names, sep);
		put_shape_name(names, s, open);
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

struct db_ops {
	struct map at; /* id -> number in v, from 1 */
	struct db_op *v;
	size_t n, cap;
	struct buf id_text, name_text, stack, tmp;
	struct rec_col *id, *name, *op, *dir, *by, *dtype, *shapes, *stack_col,
	    *dl_id, *dl_in, *dl_out, *dl_tc;
};

void
metric_merge(struct db_metric *m, const struct db_metric *of)
{
	if (of->n == 0)
		return;
	if (m->n == 0 || of->min < m->min)
		m->min = of->min;
	if (m->n == 0 || of->max > m->max)
		m->max = of->max;
	m->sum = num_add(m->sum, of->sum);
	m->n += of->n;
}

struct db_metric
ops_metric(const struct db_op *op, int i)
{
	struct db_metric m = { 0 };

	if (op->m != NULL)
		return op->m[i];
	if (op->has & 1u << i)
		metric_add(&m, op->v[i]);
	return m;
}

struct db_op *
ops_find(const struct db_halves *d, int64_t id)
{
	const uint64_t *no = map_get(&d->ops->at, (uint64_t)id);

	return no != NULL ? &d->ops->v[*no - 1] : NULL;
}

size_t
ops_count(const struct db_halves *d)
{
	return d->ops->n;
}

struct db_op *
ops_nth(const struct db_halves *d, size_t i)
{
	return &d->ops->v[i];
}

static struct db_op *
new_op(struct db_ops *o, const struct rec *r, int64_t id)
{
	bool is_new;
	uint64_t *no = map_put(&o->at, (uint64_t)id, &is_new);

	if (!is_new)
		rec_die(r, "op %lld comes twice", (long long)id);
	if (id <= 0)
		rec_die(r, "bad op id '%lld'", (long long)id);
	ARRAY_GROW(o->v, o->n, o->cap);
	*no = ++o->n;
	memset(&o->v[o->n - 1], 0, sizeof(*o->v));
	o->v[o->n - 1].id = id;
	return &o->v[o->n - 1];
}

/* A field unescaped, "" if unset; valid until the next use of this buffer. */
static const char *
field_text(
    const struct rec *r, const struct rec_col *c, struct buf *b, size_t *n)
{
	const char *s = rec_str(r, c, b, n);

	if (s == NULL)
		*n = 0;
	return s != NULL ? s : "";
}

static uint32_t
field_word(struct db_halves *d, const struct rec *r, const struct rec_col *c)
{
	size_t n;
	const char *s = field_text(r, c, &d->tmp, &n);

	return db_word(d, s, n);
}

static int64_t
json_id(struct db_halves *d, struct buf *b)
{
	if (b->len == 0)
		buf_puts(b, "null");
	buf_putc(b, '\n');
	return db_word_id(d, db_word(d, b->s, b->len));
}

/* Input shapes can also be JSON, which includes scalars. */
static int64_t
put_shapes(
    struct db_halves *d, const struct rec *r, struct db_op *op, struct buf *in)
{
	struct db_ops *o = d->ops;
	struct buf sizes = { 0 }, names = { 0 }, tmp = { 0 };
	const char *s;
	size_t n;

	s = field_text(r, o->dl_in, &tmp, &n);
	shape_split(s, &sizes, &names, in);
	s = field_text(r, o->shapes, &tmp, &n);
	if (n > 0 && sizes.len > 0) {
		buf_clear(&sizes);
		buf_put(&sizes, s, n);
	}
	op->shapes_id = json_id(d, &sizes);
	op->names_id = json_id(d, &names);
	buf_free(&sizes);
	buf_free(&names);
	buf_free(&tmp);
	return db_str_id(d, buf_str(in));
}

static int64_t
put_outs(struct db_halves *d, const struct rec *r, struct db_op *op)
{
	struct buf sizes = { 0 }, names = { 0 }, tmp = { 0 }, let = { 0 };
	size_t n;
	int64_t id;

	shape_split(
	    field_text(r, d->ops->dl_out, &tmp, &n), &sizes, &names, &let);
	op->out_id = json_id(d, &sizes);
	op->out_names_id = json_id(d, &names);
	id = db_str_id(d, buf_str(&let));
	buf_free(&sizes);
	buf_free(&names);
	buf_free(&tmp);
	buf_free(&let);
	return id;
}

/* One frame per line. */
static const char *
stack_text(struct db_ops *o, const struct rec *r)
{
	size_t n, i;
	const char *s = field_text(r, o->stack_col, &o->tmp, &n);
	struct buf *out = &o->stack;

	buf_clear(out);
	buf_put(out, s, n);
	for (i = 0; i < out->len; i++)
		if (out->s[i] == ',')
			out->s[i] = '\n';
	return buf_str(out);
}

static void
put_op_row(struct db_halves *d, const struct rec *r, struct db_op *op)
{
	struct buf let = { 0 };
	struct db_ops *o = d->ops;
	const char *dl_id;
	int64_t format, out, none = db_str_id(d, "");
	bool conv;
	size_t n, nn;

	format = put_shapes(d, r, op, &let);
	out = put_outs(d, r, op);
	conv = let.len > 0 && strcmp(db_word_text(d, op->type), "conv2d") == 0;
	dl_id = field_text(r, o->dl_id, &o->id_text, &n);
	db_put(&d->db, T_OPS, op->id, "iittiiiiiiiit", DOMAIN_ID,
	    db_text_id(d, dl_id, n), dl_id,
	    field_text(r, o->name, &o->name_text, &nn), db_word_id(d, op->type),
	    none,
	    (int64_t)(op->eligible       ? 0
		      : op->unassociated ? 2
					 : 3),
	    db_word_id(d, op->dtype), format, out,
	    conv ? db_str_id(d, "SH,SW;PH,PW;DH,DW;G") : none,
	    db_word_id(d, field_word(d, r, o->dir)), stack_text(o, r));
	buf_free(&let);
}

static void
put_marker(struct db_halves *d, const struct rec *r, const struct db_op *op)
{
	size_t n;
	const char *s = field_text(r, d->ops->by, &d->ops->tmp, &n);

	own_op(d, op->id, s, n);
}

static void
on_op(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	struct db_ops *o = d->ops;
	struct db_op *op;
	int64_t id;

	if (!rec_i64(r, o->id, &id))
		rec_die(r, "op without an id");
	op = new_op(o, r, id);
	op->type = field_word(d, r, o->op);
	op->dtype = field_word(d, r, o->dtype);
	op->eligible = rec_is(r, o->dl_tc, "yes");
	op->unassociated = !op->eligible && !rec_is(r, o->dl_tc, "no");
	if (d->raw) {
		put_op_row(d, r, op);
		put_marker(d, r, op);
	}
	stage_pass(st, r);
}

void
ops_start(struct db_halves *d, struct stage *st)
{
	struct db_ops *o = d->ops = xcalloc(1, sizeof(*o));
	struct rec_type *t = stage_on(st, "op", on_op, NULL, o);

	REC_COLS(t, REC_NEED, { &o->id, "op_id" }, { &o->name, "name" },
	    { &o->op, "op" }, { &o->dir, "dir" }, { &o->dl_id, "dl_id" },
	    { &o->dl_in, "dl_in" }, { &o->dl_out, "dl_out" },
	    { &o->dl_tc, "dl_tc" });
	REC_COLS(t, REC_OPT, { &o->by, "by" }, { &o->dtype, "dtype" },
	    { &o->shapes, "shapes" }, { &o->stack_col, "stack" });
}

void
ops_free(struct db_halves *d)
{
	struct kern_sum *k, *next;
	size_t i;

	for (i = 0; i < d->ops->n; i++) {
		free(d->ops->v[i].m);
		for (k = d->ops->v[i].kerns; k != NULL; k = next) {
			next = k->next;
			free(k);
		}
	}
	map_free(&d->ops->at);
	buf_free(&d->ops->id_text);
	buf_free(&d->ops->name_text);
	buf_free(&d->ops->stack);
	buf_free(&d->ops->tmp);
	free(d->ops->v);
	free(d->ops);
}
