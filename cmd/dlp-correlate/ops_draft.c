/*
 * An op in the making, and the table of those that are made: one block of
 * memory each, found again by what makes it the same.
 */
#include <stdlib.h>

#include "err.h"
#include "esc.h"
#include "module.h"
#include "ops_impl.h"
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

uint32_t
draft_done(struct ops *t, struct draft *d, uint32_t ident)
{
	struct op *op = xmalloc(sizeof(*op) + mem.len);
	char *m = (char *)(op + 1);
	int f;

	if (t->n == t->cap) {
		t->cap = t->cap > 0 ? t->cap * 2 : 256;
		t->v = xrealloc(t->v, t->cap, sizeof(struct op *));
	}
	*op = d->op;
	if (mem.len > 0)
		memcpy(m, mem.s, mem.len);
	for (f = 0; f < OF_N; f++)
		if (op->f[f].s != NULL)
			op->f[f].s = m + d->at[f];
	t->v[t->n++] = op;
	op->id = (uint32_t)t->n;
	t->ident.val[ident] = op->id;
	write_op(op);
	return op->id;
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

	for (i = 0; i < t->n; i++)
		free(t->v[i]);
	t->n = 0;
	smap_clear(&t->ident);
	smap_clear(&t->raw);
	t->n_damaged = t->n_no_args = 0;
}
