/*
 * Ops over whole tensors: reductions, norms, softmax, dropout, losses
 * (reduction.py, normalization.py, softmax.py, dropout.py, loss.py, optim.py,
 * activation.py); ops that pick data (index_slice_join_mutate.py,
 * embedding.py); and ops that move data (convert.py, data.py, misc.py).
 */
#include "pyprof.h"

/*
 * Whole tensors
 */

static const struct pyprof_arg *
first_arg(const struct pyprof_call *c)
{
	return c->m->n > 0 ? &c->m->arg[0] : NULL;
}

bool
rule_tensor(const struct pyprof_call *c, struct pyprof_result *r)
{
	const struct pyprof_rule *u = c->rule;
	const struct pyprof_arg *a = first_arg(c);
	int n = c->m->n;

	if (u->by == ARG_UNNAMED) {
		a = NULL;
		n = call_unnamed(c, &a, 1);
	} else if (u->by == ARG_INPUT && a != NULL && !arg_unnamed(a) &&
		   !c->last) {
		a = call_named(c, "input");
	}
	if (a == NULL || (u->most > 0 && n > u->most) ||
	    !count_plain(r, a, c->last ? u->flops_last : u->flops,
		c->bwd ? u->tensors_b : u->tensors))
		return false;
	if (u->norm)
		r->flops.i = pynum_add(r->flops.i, 1);
	if (c->last && c->sub > 0 && u->later != LATER_ALL)
		r->bytes.i = 0;
	if (c->last && c->sub > 0 && u->later == LATER_NONE)
		r->flops.i = 0;
	return true;
}

bool
rule_mean(const struct pyprof_call *c, struct pyprof_result *r)
{
	const struct pyprof_arg *v[2];
	int n = call_unnamed(c, v, 2);

	if (n < 1 || n > 2 || !count_plain(r, v[0], 1, 1))
		return false;
	r->flops.i = pynum_add(r->flops.i, 1);
	if (c->last) {
		r->params.len = 0;
		params_tensor(&r->params, &v[0]->shape, v[0]->dtype);
		r->bytes.i = pynum_add(r->bytes.i, dtype_size(v[0]->dtype));
	}
	if (c->sub > 0)
		r->bytes.i = r->flops.i = 0;
	return true;
}

/* The parameters contain the reduction's name. */
bool
rule_mse_loss(const struct pyprof_call *c, struct pyprof_result *r)
{
	const struct pyprof_arg *v = c->m->arg;
	struct mview red;
	int64_t per;

	if (c->m->n != 3 || !arg_is_tensor(&v[0]) || !arg_is_tensor(&v[1]) ||
	    !shape_same(&v[0].shape, &v[1].shape) || v[2].value.n < 3)
		return false;
	red = (struct mview){ v[2].value.s + 1, v[2].value.n - 2 };
	per = (c->bwd ? 3 : 2) + mv_eq(red, "none");
	if (!count_plain(r, &v[0], 2 * per, per))
		return false;
	r->flops.i = pynum_add(r->flops.i, 1);
	buf_puts(&r->params, "red=");
	buf_put(&r->params, red.s, red.n);
	buf_putc(&r->params, ',');
	return true;
}

/* Apex's fused Adam: weights, their copy in half precision, two moments,
 * gradient, ... */
bool
rule_adam(const struct pyprof_call *c, struct pyprof_result *r)
{
	const struct pyprof_arg *v = c->m->arg;
	int64_t n, s, g;

	if ((c->m->n != 12 && c->m->n != 14) || !arg_is_tensor(&v[0]) ||
	    !arg_is_tensor(&v[4]) || !shape_same(&v[0].shape, &v[4].shape) ||
	    !mv_eq(v[0].dtype, "float32"))
		return false;
	n = shape_elems(&v[0].shape);
	s = dtype_size(v[0].dtype);
	g = dtype_size(v[4].dtype);
	r->bytes.i = pynum_mul(n, 6 * s + (g == s ? g : 2 * g));
	if (c->last && c->sub > 0)
		r->bytes.i = 0;
	params_shape(r, "T", &v[0].shape);
	return params_type(r, v[0].dtype) && params_type(r, v[4].dtype);
}

bool
rule_randperm(const struct pyprof_call *c, struct pyprof_result *r)
{
	int64_t n;

	if (c->m->n != 1 || !arg_is(&c->m->arg[0], "int") ||
	    !arg_int(&c->m->arg[0], &n))
		return false;
	params_int(r, "N", n);
	r->flops.i = pynum_mul(3, n);
	r->bytes.i = pynum_mul(8, n);
	return true;
}

/*
 * Ops that pick data: gathering, indexing, masks, cat, embedding
 */

/* The arguments except the one that is named out. */
static int
without_out(const struct pyprof_call *c, const struct pyprof_arg **v, int max)
{
	const struct pyprof_arg *a;
	int n = 0;

	for (a = c->m->arg; a < c->m->arg + c->m->n; a++)
		if (!mv_eq(a->name, "out")) {
			if (n < max)
				v[n] = a;
			n++;
		}
	return n;
}

bool
rule_gather(const struct pyprof_call *c, struct pyprof_result *r)
{
	const struct pyprof_arg *v[3];

	return without_out(c, v, 3) == 3 && count_plain(r, v[0], 0, 2);
}

bool
rule_masked_scatter(const struct pyprof_call *c, struct pyprof_result *r)
{
	const struct pyprof_arg *v = c->m->arg;

	if (c->m->n != 3 || !arg_is_tensor(&v[1]) || !arg_is_tensor(&v[2]) ||
	    !count_plain(r, &v[0], 0, 2) ||
	    !shape_same(&v[0].shape, &v[1].shape) ||
	    (!c->last && !mv_eq(v[1].dtype, "uint8")))
		return false;
	r->bytes.i = pynum_add(r->bytes.i, shape_elems(&v[0].shape));
	if (c->sub > 0)
		r->bytes.i = 0;
	return true;
}

/* The worst case: all indices, of type long. */
bool
rule_nonzero(const struct pyprof_call *c, struct pyprof_result *r)
{
	const struct pyprof_arg *a = first_arg(c);

	if (c->m->n != 1 || !count_plain(r, a, 0, 1))
		return false;
	r->bytes.i = pynum_add(
	    r->bytes.i, pynum_mul(shape_elems(&a->shape), 8 * a->shape.n));
	if (c->sub > 0)
		r->bytes.i = 0;
	return true;
}

bool
rule_index_select(const struct pyprof_call *c, struct pyprof_result *r)
{
	const struct pyprof_arg *v[3];
	struct pyprof_shape out;
	int64_t dim, n;

	if (without_out(c, v, 3) != 3 || !arg_is_tensor(v[0]) ||
	    !arg_is_tensor(v[2]) || !arg_int(v[1], &dim) ||
	    !mv_eq(v[2]->dtype, "int64") || v[2]->shape.n != 1)
		return false;
	out = v[0]->shape;
	if (dim >= out.n || dim < -out.n)
		return false;
	n = v[2]->shape.v[0];
	out.v[dim < 0 ? dim + out.n : dim] = n;
	params_shape(r, "T", &v[0]->shape);
	params_int(r, "D", dim);
	params_int(r, "I", n);
	r->bytes.i = pynum_add(pynum_mul(8, n),
	    pynum_mul(2 * dtype_size(v[0]->dtype), shape_elems(&out)));
	return params_type(r, v[0]->dtype);
}

bool
rule_masked_select(const struct pyprof_call *c, struct pyprof_result *r)
{
	const struct pyprof_arg *v[2];
	struct pyprof_shape out;

	if (without_out(c, v, 2) != 2 || !arg_is_tensor(v[0]) ||
	    !arg_is_tensor(v[1]) ||
	    (!c->last && !mv_eq(v[1]->dtype, "uint8")) ||
	    !shape_broadcast(&v[0]->shape, &v[1]->shape, &out))
		return false;
	params_shape(r, "T", &v[0]->shape);
	params_shape(r, "M", &v[1]->shape);
	r->bytes.i = pynum_add(shape_elems(&v[1]->shape),
	    pynum_mul(2 * dtype_size(v[0]->dtype), shape_elems(&v[0]->shape)));
	return params_type(r, v[0]->dtype);
}

bool
rule_cat(const struct pyprof_call *c, struct pyprof_result *r)
{
	const struct pyprof_arg *first = first_arg(c), *a;
	int64_t n = 0, axis = 0, v;
	const char *sep = "";

	if (first == NULL || !arg_is_tensor(first) || (!c->last && c->m->n < 2))
		return false;
	buf_puts(&r->params, c->last ? "T=" : "T=[");
	for (a = first; a < first + c->m->n; a++) {
		if (!arg_is(a, "tensor")) {
			if (arg_int(a, &v))
				axis = v == -1 ? first->shape.n - 1 : v;
			continue;
		}
		n = pynum_add(n, shape_elems(&a->shape));
		buf_puts(&r->params, sep);
		sep = c->last ? ";" : ",";
		if (c->last)
			params_tensor(&r->params, &a->shape, first->dtype);
		else
			params_sizes(&r->params, &a->shape, "()");
	}
	if (c->sub == 0)
		r->bytes.i = pynum_mul(n, 2 * dtype_size(first->dtype));
	buf_puts(&r->params, c->last ? ",A=" : "],");
	if (!c->last)
		return params_type(r, first->dtype);
	buf_i64(&r->params, axis);
	return true;
}

bool
rule_embedding(const struct pyprof_call *c, struct pyprof_result *r)
{
	const struct pyprof_arg *i = first_arg(c), *e = &c->m->arg[1];
	int64_t n, row;

	if (!mv_eq(c->m->mod, "torch.nn.functional") || c->m->n < 2 ||
	    !arg_is_tensor(i) || !arg_is_tensor(e) || e->shape.n != 2)
		return false;
	n = shape_elems(&i->shape);
	row = pynum_mul(e->shape.v[1], dtype_size(e->dtype));
	if (!c->bwd)
		r->bytes.i =
		    pynum_mul(n, pynum_add(dtype_size(i->dtype), 2 * row));
	else if (c->sub == 0)
		r->bytes.i = pynum_mul(n, 3 * row);
	params_shape(r, "I", &i->shape);
	if (!params_type(r, i->dtype))
		return false;
	params_shape(r, "E", &e->shape);
	return params_type(r, e->dtype);
}

/*
 * Ops that move data: copies, conversions, filling; and all others
 */

/* Bytes of a copy between two types; 0 if a type is unknown. */
static bool
copied(struct pyprof_result *r, const struct pyprof_shape *s, struct mview from,
    struct mview to)
{
	int64_t a = dtype_size(from), b = dtype_size(to);

	r->bytes.i = pynum_mul(shape_elems(s), a + b);
	return a > 0 && b > 0;
}

bool
rule_convert(const struct pyprof_call *c, struct pyprof_result *r)
{
	static const struct pyprof_shape scalar = { 1, { 1 } },
					 none = { 0, { 0 } };
	const struct pyprof_arg *a = first_arg(c);
	bool tensor = a != NULL && arg_is(a, "tensor");
	const struct pyprof_shape *s = tensor    ? &a->shape
				       : c->last ? &none
						 : &scalar;
	struct mview from, to;

	if (c->m->n != 1 || !mv_eq(c->m->mod, "Tensor"))
		return false;
	from = tensor ? a->dtype : a->type;
	to = mv_eq(c->m->op, "to") ? from : c->m->op;
	if (!copied(r, s, from, to))
		return false;
	if (c->last) {
		params_tensor(&r->params, s, from);
		return true;
	}
	params_shape(r, "T", s);
	return params_type(r, from) && params_type(r, to);
}

bool
rule_copy(const struct pyprof_call *c, struct pyprof_result *r)
{
	const struct pyprof_arg *dst = first_arg(c), *src = &c->m->arg[1];
	struct mview from;

	if (!mv_eq(c->m->mod, "Tensor") || c->m->n < 2 ||
	    (!c->last && c->m->n != 2) || !arg_is_tensor(dst))
		return false;
	from = arg_is_tensor(src) ? src->dtype : src->type;
	if (arg_is_tensor(src) ? !shape_same(&src->shape, &dst->shape)
			       : !c->last || src->value.s == NULL)
		return false;
	params_shape(r, "T", &dst->shape);
	return copied(r, &dst->shape, from, dst->dtype) &&
	       params_type(r, from) && params_type(r, dst->dtype);
}

bool
rule_any(const struct pyprof_call *c, struct pyprof_result *r)
{
	return (c->m->n == 1 || (c->last && c->m->n == 2)) &&
	       count_plain(r, first_arg(c), 0, 1);
}

/* The rules of 2021 for ops that fill a tensor, of type float if the arguments
 * have no type. A full tensor has sizes and a value, the others sizes or a
 * tensor. */
bool
rule_fill(const struct pyprof_call *c, struct pyprof_result *r)
{
	const struct pyprof_arg *a = c->m->arg;
	struct mview type = { "float", 5 };
	struct pyprof_shape s;

	if (c->m->n != c->rule->most)
		return false;
	if (arg_is_tensor(a) && !c->rule->sizes) {
		s = a->shape;
		type = a->dtype;
	} else if (!arg_ints(a, &s) ||
		   (c->rule->most == 2 && !c->rule->sizes)) {
		return false;
	}
	if (c->rule->sizes)
		type = a[1].type;
	params_tensor(&r->params, &s, type);
	r->bytes.i = pynum_mul(shape_elems(&s), dtype_size(type));
	return dtype_size(type) > 0;
}

/* Any other op: only the shapes and types. */
bool
rule_other(const struct pyprof_call *c, struct pyprof_result *r)
{
	struct buf *b = &r->params;
	const struct pyprof_arg *a;
	const char *sep;
	int k;

	for (k = 0; k < 2; k++) {
		buf_puts(b, k == 0 ? "T=[" : "[");
		sep = "";
		for (a = c->m->arg; a < c->m->arg + c->m->n; a++) {
			if (!arg_is(a, "tensor"))
				continue;
			buf_puts(b, sep);
			sep = ",";
			if (k == 0) {
				params_sizes(b, &a->shape, "()");
				continue;
			}
			buf_putc(b, '\'');
			buf_put(b, a->dtype.s, a->dtype.n);
			buf_putc(b, '\'');
		}
		buf_puts(b, k == 0 ? "]," : "]");
	}
	return true;
}
