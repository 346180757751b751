/* Rows and their cells; see row.h. */
#include <string.h>

#include "err.h"
#include "row.h"

struct row *
rows_put(struct rows *r, const char *key, size_t n, bool *is_new)
{
	uint32_t i = smap_put(&r->keys, key, n, is_new);

	if (i >= r->cap) {
		r->cap = r->cap > 0 ? r->cap * 2 : 64;
		r->v = xrealloc(r->v, r->cap, sizeof(*r->v));
	}
	if (*is_new) {
		memset(&r->v[i], 0, sizeof(r->v[i]));
		r->v[i].key = i;
	}
	return &r->v[i];
}

uint32_t
rows_text(struct rows *r, const char *s, size_t n)
{
	return s != NULL ? smap_put(&r->texts, s, n, NULL) : SMAP_NONE;
}

static struct cells *
cells_of(struct row *r, size_t side)
{
	if (side >= r->n_side) {
		r->side = xrealloc(r->side, side + 1, sizeof(*r->side));
		memset(r->side + r->n_side, 0,
		    (side + 1 - r->n_side) * sizeof(*r->side));
		r->n_side = side + 1;
	}
	return &r->side[side];
}

struct cell *
row_cell(struct row *r, size_t side, uint32_t step)
{
	struct cells *c = cells_of(r, side);
	size_t i;

	/* steps come in order but for a few */
	for (i = c->n; i > 0 && c->v[i - 1].step > step; i--)
		;
	if (i > 0 && c->v[i - 1].step == step)
		return &c->v[i - 1];
	if (c->n == c->cap) {
		c->cap = c->cap > 0 ? c->cap * 2 : 4;
		c->v = xrealloc(c->v, c->cap, sizeof(*c->v));
	}
	memmove(c->v + i + 1, c->v + i, (c->n - i) * sizeof(*c->v));
	c->v[i] = (struct cell){ .step = step };
	c->n++;
	return &c->v[i];
}
