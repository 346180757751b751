/*
 * Ops of DLProf's database. Their shapes are those of their first run: the
 * database holds shapes per run.
 */
#include "dldb_op.h"

#include <stdlib.h>
#include <string.h>

#include "dldb_own.h"
#include "dldb_shape.h"
#include "emit.h"
#include "emit_field.h"
#include "err.h"
#include "esc.h"
#include "run.h"
#include "schema.h"
#include "select.h"

/* The texts of an op's row, in the order of the query. */
enum {
	F_ID,
	F_NAME,
	F_TYPE,
	F_DIR,
	F_DTYPE,
	F_LETTERS,
	F_OUT,
	F_STACK,
	F_TC,
	F_N
};

static const char *const cols[] = { "op_id", "op_name", "op_type_id",
	"direction_id", "data_type_id", "data_format_id", "output_format_id",
	"stack_trace", "tc_support_status", NULL };

#define IS_DICT(f) ((f) >= F_TYPE && (f) <= F_OUT)

void
dldb_op_open(struct dldb *d)
{
	static const char table[] = "read_only_ops";
	struct buf b = { 0 };
	char *known;
	int f;

	free(dldb_cols(d, table, cols));
	for (f = 0; f < F_N; f++) {
		known = db_col(d->db, table, cols[f]);
		buf_puts(&b, f > 0 ? ", " : "");
		if (known == NULL || (IS_DICT(f) && d->string == NULL))
			buf_puts(&b, "NULL");
		else if (IS_DICT(f))
			buf_printf(&b,
			    "(SELECT string FROM dictionary t"
			    " WHERE t.id = o.%s)",
			    known);
		else
			buf_printf(&b, "o.%s", known);
		free(known);
	}
	d->op_row = db_prepare(d->db,
	    "SELECT %s FROM read_only_ops o WHERE rowid = ?1", buf_str(&b));
	buf_free(&b);
}

void
dldb_op_close(struct dldb *d)
{
	sqlite3_finalize(d->op_row);
	map_free(&d->op_at);
	smap_free(&d->types);
	free(d->op);
}

void
dldb_rec(struct dldb_type *t)
{
	const char *names[32];

	if (t->type == NULL) {
		memcpy(names, t->cols, (size_t)t->n * sizeof(*names));
		names[t->n] = "src";
		t->type = out_type(t->tag, names, t->n + emit_with_src());
	}
	out_rec(t->type);
}

static const char *
word(const struct dldb *d, uint32_t no)
{
	return no > 0 ? smap_str(&d->types, no - 1, NULL) : NULL;
}

const char *
dldb_op_type(const struct dldb *d, const struct dldb_op *op)
{
	return word(d, op->type);
}

const char *
dldb_op_dir(const struct dldb *d, const struct dldb_op *op)
{
	return word(d, op->dir);
}

static uint32_t
intern(struct dldb *d, const char *s)
{
	struct buf b = { 0 };
	uint32_t no = 0;

	if (s != NULL && *s != '\0') {
		esc_put(&b, s, strlen(s));
		no = smap_put(&d->types, b.s, b.len, NULL) + 1;
		buf_free(&b);
	}
	return no;
}

/* A text of the dictionary, without the LF that DLProf puts behind JSON;
 * NULL for "null" and what is not there. */
static const char *
json(struct dldb *d, int64_t id, struct buf *b)
{
	buf_clear(b);
	if (id == EV_UNSET || !dldb_string(d, id, b))
		return NULL;
	while (b->len > 0 && b->s[b->len - 1] == '\n')
		b->len--;
	return strcmp(buf_str(b), "null") == 0 || b->len == 0 ? NULL : b->s;
}

static void
put_text(const char *s)
{
	if (s == NULL || *s == '\0')
		out_unset();
	else
		out_text(s, strlen(s));
}

/* file:line, one per line there, separated by commas here. */
static void
put_stack(const char *s)
{
	struct buf b = { 0 };
	size_t i;

	if (s != NULL)
		buf_puts(&b, s);
	for (i = 0; i < b.len; i++)
		if (b.s[i] == '\n')
			b.s[i] = ',';
	put_text(buf_str(&b));
	buf_free(&b);
}

/* Eligible, not eligible; 2 is unassociated, 1 was never seen. */
static const char *
eligible(const char *status)
{
	if (status == NULL || status[0] == '\0' || status[1] != '\0')
		return NULL;
	return status[0] == '0' ? "yes" : status[0] == '3' ? "no" : NULL;
}

static void
put_key(const char *const *v, const char *shapes)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s|%s|%s", v[F_NAME] != NULL ? v[F_NAME] : "",
	    v[F_DIR] != NULL ? v[F_DIR] : "", shapes != NULL ? shapes : "");
	put_text(buf_str(&b));
	buf_free(&b);
}

static void
put_shape(const char *shapes, const char *names, const char *letters)
{
	struct buf b = { 0 };

	dldb_shape(&b, shapes, names, letters);
	put_text(buf_str(&b));
	buf_free(&b);
}

/* The gradient of a result has its sizes: what dlp-flops needs of a
 * convolution, whose stride and padding DLProf does not tell. */
static void
put_bwd(const char *type, const char *outs)
{
	if (outs != NULL && type != NULL && strncmp(type, "conv", 4) == 0)
		out_text(outs, strlen(outs));
	else
		out_unset();
}

static void
put_op(struct dldb *d, const struct dldb_op *op, const char *const *v,
    const struct event *run)
{
	static const char *const names[] = { "op_id", "key", "name", "mod",
		"op", "dir", "layer", "by", "text", "dtype", "shapes", "args",
		"bwd_shapes", "fwd_op_id", "stack", "trace", "dl_id", "dl_in",
		"dl_out", "dl_tc" };
	static struct dldb_type type = { "op", names, 20, NULL };
	static struct buf in, in_names, outs;
	const char *shapes = json(d, run ? run->run.shapes : EV_UNSET, &in);
	const char *out = json(d, run ? run->run.outs : EV_UNSET, &outs);
	const char *by = dldb_own_marker(d, op->row);

	dldb_rec(&type);
	out_i64(op->op_id);
	put_key(v, shapes);
	put_text(v[F_NAME]);
	out_unset();
	put_text(v[F_TYPE]);
	put_text(v[F_DIR]);
	out_unset();
	emit_word(by != NULL ? by : op->none ? "api" : "dlprof");
	out_unset();
	put_text(v[F_DTYPE]);
	if (shapes == NULL && op->none)
		out_unset();
	else /* an op without sizes had no tensors */
		out_text(shapes != NULL ? shapes : "",
		    shapes != NULL ? strlen(shapes) : 0);
	out_unset();
	put_bwd(v[F_TYPE], out);
	out_unset();
	put_stack(v[F_STACK]);
	out_unset();
	put_text(v[F_ID]);
	put_shape(shapes, json(d, run ? run->run.names : EV_UNSET, &in_names),
	    v[F_LETTERS]);
	put_shape(out, NULL, v[F_OUT]);
	emit_word(eligible(v[F_TC]));
	emit_src(profile_cur());
	out_end();
}

static void
read_op(struct dldb *d, struct dldb_op *op, const struct event *run)
{
	const char *v[F_N] = { NULL };
	int f;

	sqlite3_bind_int64(d->op_row, 1, op->row);
	if (db_step(d->op_row))
		for (f = 0; f < F_N; f++)
			v[f] = (const char *)sqlite3_column_text(d->op_row, f);
	op->type = intern(d, v[F_TYPE]);
	op->dir = intern(d, v[F_DIR]);
	op->none = v[F_TC] != NULL && strcmp(v[F_TC], "2") == 0;
	if (select_type("op"))
		put_op(d, op, v, run);
	sqlite3_reset(d->op_row);
}

struct dldb_op *
dldb_op(struct dldb *d, int64_t row, const struct event *run)
{
	static int64_t ids; /* of all files */
	bool is_new;
	uint64_t *no = map_put(&d->op_at, (uint64_t)row, &is_new);
	struct dldb_op *op;

	if (!is_new)
		return &d->op[*no - 1];
	if (d->n_op == d->cap_op) {
		d->cap_op = d->cap_op ? d->cap_op * 2 : 256;
		d->op = xrealloc(d->op, d->cap_op, sizeof(*d->op));
	}
	op = &d->op[d->n_op++];
	*no = d->n_op;
	memset(op, 0, sizeof(*op));
	op->row = row;
	op->op_id = ++ids;
	read_op(d, op, run);
	return op;
}
