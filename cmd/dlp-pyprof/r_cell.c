/*
 * Cells of recurrent networks, LSTMCell and GRUCell: forward by the kernel's
 * number, backward by the tile in its name and the grid.
 */
#include <stdlib.h>

#include "rule.h"

struct cell {
	int64_t in, hid, b, multiple, size;
	struct mview type;
};

static bool
sizes(const struct call *c, struct cell *z)
{
	const struct arg *x = &c->m->arg[0], *h = &c->m->arg[1];

	if (c->m->n < 2 || c->m->n > 3 || !is_tensor(x) || !is_tensor(h) ||
	    x->shape.n != 2 || h->shape.n != 2 ||
	    x->shape.v[0] != h->shape.v[0])
		return false;
	z->b = x->shape.v[0];
	z->in = x->shape.v[1];
	z->hid = h->shape.v[1];
	z->type = x->dtype;
	z->size = dtype_size(x->dtype);
	z->multiple = mv_eq(c->m->mod, "LSTMCell")  ? 4
		      : mv_eq(c->m->mod, "GRUCell") ? 3
						    : 1;
	return true;
}

static bool
gemm(struct result *r, const struct cell *z, const char *what, int64_t m,
    int64_t n, int64_t k)
{
	int64_t e = pynum_add(
	    pynum_add(pynum_mul(m, k), pynum_mul(k, n)), pynum_mul(m, n));

	r->flops = pynum_int(pynum_mul(pynum_mul(pynum_mul(2, m), n), k));
	r->bytes = pynum_int(pynum_mul(e, z->size));
	buf_puts(&r->params, "gemm=");
	buf_puts(&r->params, what);
	buf_putc(&r->params, ',');
	put_int(r, "M", m);
	put_int(r, "N", n);
	put_int(r, "K", k);
	return put_type(r, z->type);
}

static bool
other(
    const struct call *c, struct result *r, const struct cell *z, int64_t elems)
{
	r->bytes = pynum_int(pynum_mul(elems, z->size));
	buf_puts(&r->params, "cell=");
	buf_put(&r->params, c->m->mod.s, c->m->mod.n);
	buf_putc(&r->params, ',');
	put_int(r, "X", z->in);
	put_int(r, "H", z->hid);
	put_int(r, "B", z->b);
	return put_type(r, z->type);
}

static bool
forward(const struct call *c, struct result *r, const struct cell *z)
{
	int64_t m = z->multiple * z->hid, hb = pynum_mul(z->hid, z->b);

	if (c->sub % 3 == 0)
		return gemm(r, z, "layer", m, z->b, z->in);
	if (c->sub % 3 == 1)
		return gemm(r, z, "recur", m, z->b, z->hid);
	return other(c, r, z, pynum_mul(2 * z->multiple + 3, hb));
}

/* volta_sgemm_32x128_nn: the one part with an x that is no "sliced". */
static bool
tile(const char *name, int64_t *x, int64_t *y)
{
	int found = 0;
	const char *p = name, *e;
	char *end;

	for (; *p != '\0'; p = *e != '\0' ? e + 1 : e) {
		struct mview part;

		e = p + strcspn(p, "_");
		part = mv(p, e);
		if (mv_find(part, "x") == NULL ||
		    mv_find(part, "slice") != NULL)
			continue;
		found++;
		*x = strtol(p, &end, 10);
		if (end == p || *end != 'x')
			return false;
		p = end + 1;
		*y = strtol(p, &end, 10);
		if (end == p || end != e)
			return false;
	}
	return found == 1;
}

static bool
ends(const char *s, const char *tail)
{
	size_t n = strlen(s), k = strlen(tail);

	return n >= k && strcmp(s + n - k, tail) == 0;
}

static bool
backward(const struct call *c, struct result *r, const struct cell *z)
{
	static const char *const tiled[] = { "sgemm", "884gemm", "hgemm",
		NULL };
	int64_t x, y, m, n, wide = z->multiple * z->hid;
	const char *what;

	if (!name_has_any(c, tiled))
		return other(c, r, z, 0);
	if (!tile(c->name, &x, &y))
		return false;
	m = pynum_mul(x, c->grid[0]);
	n = pynum_mul(y, c->grid[1]);
	if ((!ends(c->name, "_nn") && !ends(c->name, "_nt")) ||
	    (m != z->hid && m != z->in))
		return other(c, r, z, 0);
	what = m == z->hid ? "recur" : "layer";
	if (ends(c->name, "_nt"))
		return n == wide && gemm(r, z, what, m, n, z->b);
	return gemm(r, z, what, m, m == z->hid ? z->b : n, wide);
}

bool
rule_cell(const struct call *c, struct result *r)
{
	struct cell z;

	if (!mv_eq(c->m->op, "forward") || !sizes(c, &z))
		return false;
	if (name_has(c, "gemm"))
		r->tc = name_has(c, "884gemm") ? "1" : "0";
	return c->bwd ? backward(c, r, &z) : forward(c, r, &z);
}
