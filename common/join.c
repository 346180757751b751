/* Columns by name over ops and strings; see join.h. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cols.h"
#include "err.h"
#include "join.h"
#include "words.h"

#define COLS_SHOWN 160 /* bytes of a list of columns in a message */

/* The records with which others are joined: ops by a column that has the same
 * name in both, strings by a column that is named after the text's column. */
static const struct {
	const char *tag, *prefix;
} ops = { "op", "op." };
static const struct {
	const char *tag, *suffix;
} strs = { "str", "_id" };

struct join_want {
	const char *name;
	int col; /* its id */
};

void
join_init(struct join *j, struct rec_reader *rd)
{
	memset(j, 0, sizeof(*j));
	j->rd = rd;
	j->op = rec_type(rd, ops.tag);
	j->str = rec_type(rd, strs.tag);
	rec_want(j->op, REC_OPT, "op_id");
	rec_want(j->str, REC_OPT, "id text");
}

static int
want_op(struct join *j, const char *name)
{
	bool is_new;
	uint32_t at = smap_put(&j->want_at, name, strlen(name), &is_new);

	if (!is_new)
		return (int)at;
	j->want = xrealloc(j->want, (size_t)j->nwant + 1, sizeof(*j->want));
	j->want[j->nwant].name = name;
	j->want[j->nwant].col = rec_want_col(j->op, name);
	return j->nwant++;
}

/* The column NAME_id of the type, if it holds ids of strings; or -1. */
static int
id_col(struct join *j, struct rec_type *t, const char *name)
{
	struct buf b = { 0 };
	const struct col_def *d;
	int c = -1;

	buf_puts(&b, name);
	buf_puts(&b, strs.suffix);
	d = col_find(rec_type_tag(t), buf_str(&b));
	if (d != NULL && d->kind == COL_STR) {
		c = rec_want_col(t, d->name);
		j->any_str = true;
	}
	buf_free(&b);
	return c;
}

struct join_col *
join_own(struct rec_type *t, const char *name)
{
	struct join_col *c = xcalloc(1, sizeof(*c));

	c->name = name;
	c->canon = name;
	c->type = t;
	c->want = c->by_alias = c->id = c->src = -1;
	c->own = rec_want_col(t, name);
	return c;
}

bool
join_is_op(const char *name)
{
	size_t n = strlen(ops.prefix);

	if (strncmp(name, ops.tag, n - 1) != 0 || name[n - 1] == '\0' ||
	    name[n] == '\0')
		return false;
	return name[n - 1] == '.' ||
	       (name[n - 1] == '_' && col_find("op", name + n) != NULL &&
		   (unsigned)col_known(name) >= N_COLS);
}

struct join_col *
join_col(struct join *j, struct rec_type *t, const char *name)
{
	struct join_col *c = join_own(t, name);
	size_t n = strlen(ops.prefix);
	bool far = join_is_op(name);
	const char *op_name;
	char *dotted;

	if (!far)
		c->canon = col_alias(name);
	if (strcmp(c->canon, name) != 0)
		c->by_alias = rec_want_col(t, c->canon);
	if (far && name[n - 1] == '_') { /* results have the other form */
		dotted = xstrdup(name);
		dotted[n - 1] = '.';
		c->by_alias = rec_want_col(t, dotted);
		free(dotted);
	} else if (strcmp(name, ops.tag) == 0 &&
		   col_find(rec_type_tag(t), "op_id") == NULL) {
		c->by_alias =
		    rec_want_col(t, "op.name"); /* the op of results */
	}
	if (t == j->op || t == j->str)
		return c;
	if (!far)
		c->id = id_col(j, t, c->canon);
	rec_want_id(t, REC_OPT, COL_op_id);
	op_name = far ? col_alias(name + n) : c->canon;
	c->want = want_op(j, op_name);
	return c;
}

void
join_section(struct join *j)
{
	map_clear(&j->op_row);
	map_clear(&j->str_at);
	j->nrows = 0;
	j->op_seen = false;
}

void
join_warn(const struct join *j)
{
	if (j->lost > 0)
		warn("values unset because their op or str record is not in"
		     " the input: %llu",
		    (unsigned long long)j->lost);
}

bool
join_needs_op(const struct join *j)
{
	return j->nwant > 0;
}

bool
join_needs_str(const struct join *j)
{
	return j->any_str;
}

void
join_op(struct join *j, const struct rec *r)
{
	uint32_t *v;
	struct mview s;
	int64_t id;
	int k;

	j->op_seen = true;
	if (j->nwant == 0 || !rec_num(r, COL_op_id, &id))
		return;
	if (j->nrows == j->rowcap) {
		j->rowcap = j->rowcap > 0 ? j->rowcap * 2 : 64;
		j->vals = xrealloc(
		    j->vals, j->rowcap * (size_t)j->nwant, sizeof(*j->vals));
	}
	v = j->vals + j->nrows * (size_t)j->nwant;
	for (k = 0; k < j->nwant; k++) {
		s = rec_get(r, j->want[k].col);
		v[k] = s.s != NULL ? smap_put(&j->texts, s.s, s.n, NULL)
				   : SMAP_NONE;
	}
	*map_put(&j->op_row, (uint64_t)id, NULL) = j->nrows++;
}

void
join_str(struct join *j, const struct rec *r)
{
	struct mview s = rec_get(r, COL_text);
	int64_t id;

	if (j->any_str && s.s != NULL && rec_num(r, COL_id, &id))
		*map_put(&j->str_at, (uint64_t)id, NULL) =
		    smap_put(&j->texts, s.s, s.n, NULL);
}

/* The columns of the type of whose names it is a part, or the most similar one;
 * empty if none is. */
static void
near_cols(const struct rec_type *t, const char *name, struct buf *b)
{
	size_t n = strlen(name), least = n > 8 ? 3 : 1 + n / 3, d;
	const char *s, *best = NULL;
	int i;

	for (i = 0; i < rec_ncols(t); i++) {
		s = rec_colname(t, i);
		if (strlen(s) > NEAR_LONGEST)
			continue;
		if (strstr(s, name) != NULL && b->len < COLS_SHOWN)
			buf_printf(b, "%s'%s'", b->len > 0 ? ", " : "", s);
		d = near_distance(name, s);
		if (d < least) {
			least = d;
			best = s;
		}
	}
	if (b->len == 0 && best != NULL)
		buf_printf(b, "'%s'", best);
}

/* The column does not exist: the message names the command that writes it, or
 * the columns that exist. */
static void
missing(const struct join *j, const struct rec *r, const struct join_col *c)
{
	const char *tag = rec_type_tag(c->type);
	const char *name = c->want >= 0 ? j->want[c->want].name : c->canon;
	const struct col_def *d = col_find(tag, c->canon);
	struct buf b = { 0 };
	int i, n = rec_ncols(c->type);

	if (d == NULL && c->id >= 0)
		d = col_find(tag, col_name(c->id));
	if (d == NULL && (c->want >= 0 || c->type == j->op))
		d = col_find(ops.tag, name);
	if (d != NULL)
		rec_die(r,
		    "%s records have no column '%s': it is written by"
		    " %s",
		    tag, c->name, d->by);
	near_cols(c->type, c->name, &b);
	if (b.len > 0)
		rec_die(r, "%s records have no column '%s'; did you mean %s?",
		    tag, c->name, buf_str(&b));
	for (i = 0; i < n && b.len < COLS_SHOWN; i++)
		buf_printf(
		    &b, "%s%s", i > 0 ? "," : " ", rec_colname(c->type, i));
	if (i < n)
		buf_printf(&b, " and %d more", n - i);
	rec_die(r, "%s records have no column '%s': they have%.400s", tag,
	    c->name, buf_str(&b));
}

/* True if op records have, or can have, the column: the first op records of a
 * stream can come after its first kernels. */
static bool
op_has(const struct join *j, const struct join_col *c)
{
	const struct join_want *w;

	if (c->want < 0 || !rec_has(c->type, COL_op_id))
		return false;
	w = &j->want[c->want];
	return rec_has(j->op, w->col) ||
	       (!j->op_seen && col_find(ops.tag, w->name) != NULL);
}

void
join_bind(struct join *j, const struct rec *r, struct join_col *c)
{
	c->bound = true;
	c->src = -1;
	if (rec_has(c->type, c->own)) {
		c->how = JOIN_OWN;
		c->src = c->own;
	} else if (c->by_alias >= 0 && rec_has(c->type, c->by_alias)) {
		c->how = JOIN_OWN;
		c->src = c->by_alias;
	} else if (c->id >= 0 && rec_has(c->type, c->id)) {
		c->how = JOIN_STR;
		c->src = c->id;
	} else if (op_has(j, c)) {
		c->how = JOIN_OP;
		c->src = COL_op_id;
	} else if (strcmp(c->name, "tag") == 0) {
		c->how = JOIN_TAG;
	} else {
		if (!c->optional)
			missing(j, r, c);
		c->how = JOIN_NONE;
	}
}

const char *
join_far(
    struct join *j, const struct rec *r, const struct join_col *c, size_t *n)
{
	const uint64_t *p;
	uint64_t at;
	int64_t id;

	if (c->how == JOIN_TAG) {
		const char *tag = rec_type_tag(c->type);

		*n = strlen(tag);
		return tag;
	}
	if (c->how == JOIN_NONE || !rec_num(r, c->src, &id))
		return NULL;
	p = map_get(c->how == JOIN_STR ? &j->str_at : &j->op_row, (uint64_t)id);
	if (p == NULL) {
		j->lost++;
		return NULL;
	}
	at = *p;
	if (c->how == JOIN_OP)
		at = j->vals[at * (size_t)j->nwant + (size_t)c->want];
	if (at == SMAP_NONE)
		return NULL;
	return smap_str(&j->texts, (uint32_t)at, n);
}
