/* Ops: their rows, and what their work needs to know of them. */
#include "ops.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "own.h"
#include "shape.h"

struct ops {
	struct map at; /* id -> number in v, from 1 */
	struct op *v;
	size_t n, cap;
	struct rec_type *type;
	struct rec_col *id, *name, *op, *dir, *by, *dtype, *shapes, *stack,
	    *dl_id, *dl_in, *dl_out, *dl_tc;
};

void
metric_merge(struct metric *m, const struct metric *of)
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

struct metric
op_metric(const struct op *op, int i)
{
	struct metric m = { 0 };

	if (op->m != NULL)
		return op->m[i];
	if (op->has & 1u << i)
		metric_add(&m, op->v[i]);
	return m;
}

struct op *
ops_find(const struct dldb *d, int64_t id)
{
	const uint64_t *no = map_get(&d->ops->at, (uint64_t)id);

	return no != NULL ? &d->ops->v[*no - 1] : NULL;
}

size_t
ops_count(const struct dldb *d)
{
	return d->ops->n;
}

struct op *
ops_nth(const struct dldb *d, size_t i)
{
	return &d->ops->v[i];
}

static struct op *
new_op(struct ops *o, const struct rec *r, int64_t id)
{
	bool is_new;
	uint64_t *no = map_put(&o->at, (uint64_t)id, &is_new);

	if (!is_new)
		rec_die(r, "op %lld comes twice", (long long)id);
	if (id <= 0)
		rec_die(r, "bad op id '%lld'", (long long)id);
	if (o->n == o->cap) {
		o->cap = o->cap ? o->cap * 2 : 256;
		o->v = xrealloc(o->v, o->cap, sizeof(*o->v));
	}
	*no = ++o->n;
	memset(&o->v[o->n - 1], 0, sizeof(*o->v));
	o->v[o->n - 1].id = id;
	return &o->v[o->n - 1];
}

/* A field unescaped, "" if unset; valid until the next with this buffer. */
static const char *
text(const struct rec *r, const struct rec_col *c, struct buf *b, size_t *n)
{
	const char *s = rec_str(r, c, b, n);

	if (s == NULL)
		*n = 0;
	return s != NULL ? s : "";
}

static uint32_t
field_word(struct dldb *d, const struct rec *r, const struct rec_col *c)
{
	static struct buf b;
	size_t n;
	const char *s = text(r, c, &b, &n);

	return word(d, s, n);
}

static int64_t
json_id(struct dldb *d, struct buf *b)
{
	if (b->len == 0)
		buf_puts(b, "null");
	buf_putc(b, '\n');
	return word_id(d, word(d, b->s, b->len));
}

/* Shapes of the inputs come as JSON too, which has scalars. */
static int64_t
put_shapes(struct dldb *d, const struct rec *r, struct op *op, struct buf *in)
{
	struct ops *o = d->ops;
	struct buf sizes = { 0 }, names = { 0 }, tmp = { 0 };
	const char *s;
	size_t n;

	s = text(r, o->dl_in, &tmp, &n);
	shape_split(s, &sizes, &names, in);
	s = text(r, o->shapes, &tmp, &n);
	if (n > 0 && sizes.len > 0) {
		buf_clear(&sizes);
		buf_put(&sizes, s, n);
	}
	op->shapes_id = json_id(d, &sizes);
	op->names_id = json_id(d, &names);
	buf_free(&sizes);
	buf_free(&names);
	buf_free(&tmp);
	return text0_id(d, buf_str(in));
}

static int64_t
put_outs(struct dldb *d, const struct rec *r, struct op *op)
{
	struct buf sizes = { 0 }, names = { 0 }, tmp = { 0 }, let = { 0 };
	size_t n;
	int64_t id;

	shape_split(text(r, d->ops->dl_out, &tmp, &n), &sizes, &names, &let);
	op->out_id = json_id(d, &sizes);
	op->out_names_id = json_id(d, &names);
	id = text0_id(d, buf_str(&let));
	buf_free(&sizes);
	buf_free(&names);
	buf_free(&tmp);
	buf_free(&let);
	return id;
}

/* One frame per line. */
static const char *
stack_text(const struct rec *r, const struct rec_col *c)
{
	static struct buf b, out;
	size_t n, i;
	const char *s = text(r, c, &b, &n);

	buf_clear(&out);
	buf_put(&out, s, n);
	for (i = 0; i < out.len; i++)
		if (out.s[i] == ',')
			out.s[i] = '\n';
	return buf_str(&out);
}

static void
put_op(struct dldb *d, const struct rec *r, struct op *op)
{
	static struct ins in = { .table = "read_only_ops" };
	static struct buf id, name;
	struct buf let = { 0 };
	struct ops *o = d->ops;
	const char *dl_id;
	int64_t format, out, none = text0_id(d, "");
	bool conv;
	size_t n, nn;

	format = put_shapes(d, r, op, &let);
	out = put_outs(d, r, op);
	conv = let.len > 0 && strcmp(word_text(d, op->type), "conv2d") == 0;
	dl_id = text(r, o->dl_id, &id, &n);
	db_put(&d->db, &in, op->id, "iittiiiiiiiit", DOMAIN_ID,
	    text_id(d, dl_id, n), dl_id, text(r, o->name, &name, &nn),
	    word_id(d, op->type), none,
	    (int64_t)(op->eligible       ? 0
		      : op->unassociated ? 2
					 : 3),
	    word_id(d, op->dtype), format, out,
	    conv ? text0_id(d, "SH,SW;PH,PW;DH,DW;G") : none,
	    word_id(d, field_word(d, r, o->dir)), stack_text(r, o->stack));
	buf_free(&let);
}

static void
put_marker(struct dldb *d, const struct rec *r, const struct op *op)
{
	static struct buf b;
	size_t n;
	const char *s = text(r, d->ops->by, &b, &n);

	own_op(d, op->id, s, n);
}

static void
on_op(struct stage *st, struct rec *r)
{
	struct dldb *d = st->ctx;
	struct ops *o = d->ops;
	struct op *op;
	int64_t id;

	if (!rec_i64(r, o->id, &id))
		rec_die(r, "op without an id");
	op = new_op(o, r, id);
	op->type = field_word(d, r, o->op);
	op->dtype = field_word(d, r, o->dtype);
	op->eligible = rec_is(r, o->dl_tc, "yes");
	op->unassociated = !op->eligible && !rec_is(r, o->dl_tc, "no");
	if (d->raw) {
		put_op(d, r, op);
		put_marker(d, r, op);
	}
	stage_pass(st, r);
}

void
ops_start(struct dldb *d, struct stage *st)
{
	struct ops *o = d->ops = xcalloc(1, sizeof(*o));
	struct rec_type *t = o->type = stage_on(st, "op", on_op, NULL, NULL);

	REC_COLS(t, REC_NEED, { &o->id, "op_id" }, { &o->name, "name" },
	    { &o->op, "op" }, { &o->dir, "dir" }, { &o->dl_id, "dl_id" },
	    { &o->dl_in, "dl_in" }, { &o->dl_out, "dl_out" },
	    { &o->dl_tc, "dl_tc" });
	REC_COLS(t, REC_OPT, { &o->by, "by" }, { &o->dtype, "dtype" },
	    { &o->shapes, "shapes" }, { &o->stack, "stack" });
}

void
ops_free(struct dldb *d)
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
	free(d->ops->v);
	free(d->ops);
}
