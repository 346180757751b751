/*
 * An op in the making, and the table of those that are made: one block of
 * memory each, found again by what makes it the same.
 */
#include <stdlib.h>

#include "dl.h"
#include "err.h"
#include "esc.h"
#include "module.h"
#include "ops_impl.h"
#include "spill.h"
#include "write.h"

#define SEP '\x1f'

static struct buf mem; /* of the draft: texts one behind the other */

void
draft_raw(struct draft *d, enum op_field f, const char *s, size_t n)
{
	d->at[f] = mem.len;
	d->op.f[f].s = s; /* set: placed by draft_done */
	d->op.f[f].n = n;
	if (s != NULL)
		buf_put(&mem, s, n);
}

void
draft_text(struct draft *d, enum op_field f, const char *s, size_t n)
{
	size_t from = mem.len;

	d->at[f] = from;
	d->op.f[f].s = s;
	if (s == NULL)
		return;
	esc_put(&mem, s, n);
	d->op.f[f].n = mem.len - from;
}

void
draft_view(struct draft *d, enum op_field f, struct mview v)
{
	draft_text(d, f, v.s, v.n);
}

static void
name_begin(struct draft *d, struct text layer)
{
	d->at[OF_NAME] = mem.len;
	d->op.f[OF_NAME].s = "";
	if (layer.n > 0) {
		buf_put(&mem, layer.s, layer.n);
		buf_putc(&mem, '/');
	}
}

void
draft_name(struct draft *d, struct text layer, const char *s, size_t n)
{
	name_begin(d, layer);
	esc_put(&mem, s, n);
	d->op.f[OF_NAME].n = mem.len - d->at[OF_NAME];
}

/* prefix stands where there is no layer. */
void
draft_name_raw(
    struct draft *d, struct text layer, const char *prefix, struct text what)
{
	name_begin(d, layer);
	if (layer.n == 0)
		buf_puts(&mem, prefix);
	buf_put(&mem, what.s, what.n);
	d->op.f[OF_NAME].n = mem.len - d->at[OF_NAME];
}

/* A free place in the table, as an id. */
static uint32_t
new_id(struct ops *t)
{
	size_t was;

	if (t->n_unused > 0)
		return t->unused[--t->n_unused];
	if (t->n == t->cap) {
		was = t->cap;
		t->cap = was > 0 ? was * 2 : 256;
		t->v = spill_realloc(t->v, was, t->cap, sizeof(struct op *));
	}
	return (uint32_t)++t->n;
}

/* The draft as an op whose texts lie at m. */
static void
place_texts(struct op *op, const struct draft *d, const char *m)
{
	int f;

	*op = d->op;
	for (f = 0; f < OF_N; f++)
		if (op->f[f].s != NULL)
			op->f[f].s = m + d->at[f];
}

/* The op goes into the table; its record is written. */
static uint32_t
store(struct ops *t, struct draft *d)
{
	size_t n = sizeof(struct op) + mem.len;
	struct op *op = d->op.once ? xmalloc(n) : store_alloc(&t->mem, n);
	char *m = (char *)(op + 1);

	if (mem.len > 0)
		memcpy(m, mem.s, mem.len);
	place_texts(op, d, m);
	op->id = new_id(t);
	op->no = ++t->n_no;
	t->v[op->id - 1] = op;
	write_op(op, t->dl != NULL);
	return op->id;
}

static void
draft_buf(struct draft *d, enum op_field f, const struct buf *b)
{
	if (b->len > 0)
		draft_raw(d, f, b->s, b->len);
}

/* What DLProf says of the op besides. */
static void
draft_dl(struct dl *dl, struct draft *d)
{
	struct op op;

	place_texts(&op, d, mem.s);
	dl_texts(dl, &op);
	d->op.dl_tc = op.dl_tc;
	draft_buf(d, OF_DL_ID, &dl->id);
	draft_buf(d, OF_DL_IN, &dl->in);
	draft_buf(d, OF_DL_OUT, &dl->out);
}

uint32_t
draft_done(struct ops *t, struct draft *d, uint32_t ident)
{
	struct op op;
	uint32_t id, at = 0;

	if (t->dl != NULL) {
		place_texts(&op, d, mem.s);
		id = dl_same(t->dl, &op, &at);
		if (id != OP_NONE) {
			t->ident.val[ident] = id;
			return id;
		}
		draft_dl(t->dl, d);
	}
	id = store(t, d);
	if (t->dl != NULL)
		t->dl->same.val[at] = id;
	t->ident.val[ident] = id;
	return id;
}

uint32_t
draft_once(struct ops *t, struct draft *d)
{
	d->op.once = true;
	if (t->dl != NULL)
		draft_dl(t->dl, d);
	return store(t, d);
}

void
op_drop(struct ops *t, uint32_t id)
{
	free(t->v[id - 1]);
	t->v[id - 1] = NULL;
	if (t->n_unused == t->cap_unused) {
		t->cap_unused = t->cap_unused > 0 ? t->cap_unused * 2 : 64;
		t->unused =
		    xrealloc(t->unused, t->cap_unused, sizeof(*t->unused));
	}
	t->unused[t->n_unused++] = id;
}

void
draft_begin(struct draft *d)
{
	memset(d, 0, sizeof(*d));
	buf_clear(&mem);
}

const struct op *
op_get(const struct ops *t, uint32_t id)
{
	return t->v[id - 1];
}

void
key_put(struct buf *k, const char *s, size_t n)
{
	buf_put(k, s, n);
	buf_putc(k, SEP);
}

void
key_begin(struct buf *k, char what, const char *layer, size_t n)
{
	buf_clear(k);
	buf_putc(k, what);
	key_put(k, layer, n);
}

uint32_t
ident_find(struct ops *t, uint32_t *at)
{
	*at = smap_put(&t->ident, t->key.s, t->key.len, NULL);
	return (uint32_t)t->ident.val[*at];
}

void
draft_layer(struct draft *d, struct text layer)
{
	if (layer.n > 0)
		draft_raw(d, OF_LAYER, layer.s, layer.n);
}

void
draft_module(struct draft *d, struct text layer, const char *func, size_t n)
{
	static struct buf path;

	buf_clear(&path);
	module_path(&path, func, n);
	if (path.len == 0) {
		draft_layer(d, layer);
		return;
	}
	d->at[OF_LAYER] = mem.len;
	d->op.f[OF_LAYER].s = "";
	if (layer.n > 0) {
		buf_put(&mem, layer.s, layer.n);
		buf_putc(&mem, '/');
	}
	esc_put(&mem, path.s, path.len);
	d->op.f[OF_LAYER].n = mem.len - d->at[OF_LAYER];
}

void
draft_by(struct draft *d, const struct marker *m)
{
	const char *w = marker_by_word(m->by);

	draft_raw(d, OF_BY, w, strlen(w));
}

void
ops_free(struct ops *t)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		spill_tick();
		if (t->v[i] != NULL && t->v[i]->once)
			free(t->v[i]);
	}
	store_free(&t->mem);
	t->n = t->n_unused = 0;
	t->n_no = 0;
	if (t->dl != NULL)
		dl_clear(t->dl);
	smap_clear(&t->ident);
	smap_clear(&t->raw);
	t->n_damaged = t->n_no_args = 0;
}
