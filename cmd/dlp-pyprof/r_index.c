/* Ops that pick data: gathering, indexing, masks, cat, embedding. */
#include "rule.h"

static const struct arg *
first(const struct call *c)
{
	return c->m->n > 0 ? &c->m->arg[0] : NULL;
}

/* The arguments but the one called out. */
static int
without_out(const struct call *c, const struct arg **v, int max)
{
	int i, n = 0;

	for (i = 0; i < c->m->n; i++) {
		const struct arg *a = &c->m->arg[i];

		if (a->name.s != NULL && mv_eq(a->name, "out"))
			continue;
		if (n < max)
			v[n] = a;
		n++;
	}
	return n;
}

bool
rule_gather(const struct call *c, struct result *r)
{
	const struct arg *v[3];

	return without_out(c, v, 3) == 3 && plain(r, v[0], 0, 2);
}

bool
rule_masked_scatter(const struct call *c, struct result *r)
{
	const struct arg *v = c->m->arg;

	if (c->m->n != 3 || !is_tensor(&v[1]) || !is_tensor(&v[2]) ||
	    !plain(r, &v[0], 0, 2) || !shape_same(&v[0].shape, &v[1].shape) ||
	    (!c->last && !mv_eq(v[1].dtype, "uint8")))
		return false;
	r->bytes.i = pynum_add(r->bytes.i, shape_elems(&v[0].shape));
	if (c->sub > 0)
		r->bytes = pynum_int(0);
	return true;
}

/* The worst case: all indices, of type long. */
bool
rule_nonzero(const struct call *c, struct result *r)
{
	const struct arg *a = first(c);

	if (c->m->n != 1 || !plain(r, a, 0, 1))
		return false;
	r->bytes.i = pynum_add(
	    r->bytes.i, pynum_mul(shape_elems(&a->shape), 8 * a->shape.n));
	if (c->sub > 0)
		r->bytes = pynum_int(0);
	return true;
}

bool
rule_index_select(const struct call *c, struct result *r)
{
	const struct arg *v[3];
	struct shape out;
	int64_t dim, n;

	if (without_out(c, v, 3) != 3 || !is_tensor(v[0]) || !is_tensor(v[2]) ||
	    !arg_int(v[1], &dim) || !mv_eq(v[2]->dtype, "int64") ||
	    v[2]->shape.n != 1)
		return false;
	out = v[0]->shape;
	if (dim >= out.n || dim < -out.n)
		return false;
	n = v[2]->shape.v[0];
	out.v[dim < 0 ? dim + out.n : dim] = n;
	put_shape(r, "T", &v[0]->shape);
	put_int(r, "D", dim);
	put_int(r, "I", n);
	r->bytes = pynum_int(pynum_add(pynum_mul(8, n),
	    pynum_mul(2 * dtype_size(v[0]->dtype), shape_elems(&out))));
	return put_type(r, v[0]->dtype);
}

bool
rule_masked_select(const struct call *c, struct result *r)
{
	const struct arg *v[2];
	struct shape out;

	if (without_out(c, v, 2) != 2 || !is_tensor(v[0]) || !is_tensor(v[1]) ||
	    (!c->last && !mv_eq(v[1]->dtype, "uint8")) ||
	    !shape_broadcast(&v[0]->shape, &v[1]->shape, &out))
		return false;
	put_shape(r, "T", &v[0]->shape);
	put_shape(r, "M", &v[1]->shape);
	r->bytes = pynum_int(pynum_add(shape_elems(&v[1]->shape),
	    pynum_mul(2 * dtype_size(v[0]->dtype), shape_elems(&v[0]->shape))));
	return put_type(r, v[0]->dtype);
}

/* The axis, as the later rules print it. */
static int64_t
axis_of(const struct call *c, int dims)
{
	int64_t axis = 0, v;
	int i;

	for (i = 0; i < c->m->n; i++) {
		const struct arg *a = &c->m->arg[i];

		if (!arg_is(a, "tensor") && arg_int(a, &v))
			axis = v == -1 ? dims - 1 : v;
	}
	return axis;
}

static void
put_cat(const struct call *c, struct result *r, struct mview type)
{
	bool any = false;
	int i;

	buf_puts(&r->params, c->last ? "T=" : "T=[");
	for (i = 0; i < c->m->n; i++) {
		const struct arg *a = &c->m->arg[i];

		if (!arg_is(a, "tensor"))
			continue;
		if (any)
			buf_putc(&r->params, c->last ? ';' : ',');
		any = true;
		if (c->last)
			tensor_put(&r->params, &a->shape, type);
		else
			shape_put(&r->params, &a->shape, "()");
	}
	if (!c->last) {
		buf_puts(&r->params, "],");
		return;
	}
	buf_puts(&r->params, ",A=");
	buf_i64(&r->params, axis_of(c, first(c)->shape.n));
}

bool
rule_cat(const struct call *c, struct result *r)
{
	const struct arg *a = first(c);
	int64_t n = 0;
	int i;

	if (a == NULL || !is_tensor(a) || (!c->last && c->m->n < 2))
		return false;
	for (i = 0; i < c->m->n; i++)
		if (arg_is(&c->m->arg[i], "tensor"))
			n = pynum_add(n, shape_elems(&c->m->arg[i].shape));
	if (c->sub == 0)
		r->bytes = pynum_int(pynum_mul(n, 2 * dtype_size(a->dtype)));
	put_cat(c, r, a->dtype);
	return c->last || put_type(r, a->dtype);
}

bool
rule_embedding(const struct call *c, struct result *r)
{
	const struct arg *i = first(c), *e = &c->m->arg[1];
	int64_t n, row;

	if (!mv_eq(c->m->mod, "torch.nn.functional") || c->m->n < 2 ||
	    !is_tensor(i) || !is_tensor(e) || e->shape.n != 2)
		return false;
	n = shape_elems(&i->shape);
	row = pynum_mul(e->shape.v[1], dtype_size(e->dtype));
	if (!c->bwd)
		r->bytes = pynum_int(
		    pynum_mul(n, pynum_add(dtype_size(i->dtype), 2 * row)));
	else if (c->sub == 0)
		r->bytes = pynum_int(pynum_mul(n, 3 * row));
	put_shape(r, "I", &i->shape);
	if (!put_type(r, i->dtype))
		return false;
	put_shape(r, "E", &e->shape);
	return put_type(r, e->dtype);
}
