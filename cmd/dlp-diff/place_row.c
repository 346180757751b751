/* The row that a record counts in; see place.h. */
#include <string.h>

#include "place.h"

static uint32_t
text(struct place *p, const struct rec *r, const struct rec_col *c)
{
	size_t n = 0;
	const char *s = rec_raw(r, c, &n);

	return rows_text(&p->m->rows, s, n);
}

/* The row of an op, by its key. */
void
place_op(struct place *p, const struct types *t, const struct rec *r)
{
	bool fresh;
	size_t n;
	const char *key = rec_raw(r, t->op.key, &n);
	struct row *row;
	int64_t id;

	if (p->m->by != BY_OP || key == NULL || !rec_i64(r, t->op.id, &id))
		return;
	row = rows_put(&p->m->rows, key, n, &fresh);
	if (fresh) {
		row->name = text(p, r, t->op.name);
		row->dir = text(p, r, t->op.dir);
		row->shapes = text(p, r, t->op.shapes);
		row->type = text(p, r, t->op.op);
	}
	*map_put(&p->op, (uint64_t)id, NULL) = row->key;
}

/* Work that belongs to no op is told by what it is. */
static void
no_op_key(struct place *p, const struct work_cols *c, const struct rec *r)
{
	size_t n = 0;
	const char *tag = rec_type_tag(c->type);
	const char *s = c->what != NULL ? rec_raw(r, c->what, &n) : NULL;

	buf_clear(&p->key);
	buf_puts(&p->key, "(no op) ");
	if (s == NULL || strcmp(tag, "kern") != 0)
		buf_puts(&p->key, strcmp(tag, "set") == 0 ? "memset" : tag);
	if (s != NULL) {
		if (strcmp(tag, "kern") != 0)
			buf_putc(&p->key, ' ');
		buf_put(&p->key, s, n);
	}
}

static struct row *
named_row(struct place *p, const char *s, size_t n, uint32_t dir)
{
	uint32_t name = rows_text(&p->m->rows, s, n);
	uint32_t key[2] = { name, dir };
	struct row *row;
	bool fresh;

	row = rows_put(&p->m->rows, (const char *)key, sizeof(key), &fresh);
	if (fresh) {
		row->name = name;
		row->dir = dir;
		row->shapes = row->type = SMAP_NONE;
	}
	return row;
}

struct row *
place_row(struct place *p, const struct work_cols *c, const struct rec *r)
{
	const struct rec_col *by[] = { [BY_KERNEL] = c->what,
		[BY_TYPE] = c->op,
		[BY_LAYER] = c->layer,
		[BY_PHASE] = c->phase };
	enum by b = p->m->by;
	const uint64_t *at;
	const char *s;
	int64_t id;
	size_t n = 0;

	if (b == BY_OP && rec_i64(r, c->op_id, &id) &&
	    (at = map_get(&p->op, (uint64_t)id)) != NULL)
		return &p->m->rows.v[*at];
	if (b == BY_OP || (b == BY_TYPE && rec_raw(r, c->op, &n) == NULL)) {
		no_op_key(p, c, r);
		return named_row(p, p->key.s, p->key.len, SMAP_NONE);
	}
	s = rec_raw(r, by[b], &n);
	return named_row(p, s, n,
	    b == BY_KERNEL || b == BY_PHASE ? SMAP_NONE : text(p, r, c->dir));
}
