/*
 * Element-wise ops by the rules of 2019: the elements that are read and
 * written, and half of them, as a float, for the FLOPs of most ops.
 */
#include "point.h"
#include "rule.h"

struct inputs {
	const struct arg *v[4];
	int n;
};

/* FLOPs per element read or written; of other ops 0. */
/* clang-format off */
static const struct {
	const char *op;
	int twice; /* 1: a half, as a float */
} per_element[] = {
	{ "__abs__", 1 }, { "__neg__", 1 }, { "__add__", 1 }, { "__sub__", 1 },
	{ "__mul__", 1 }, { "__radd__", 1 }, { "__rmul__", 1 },
	{ "__iadd__", 1 }, { "__isub__", 1 }, { "__imul__", 1 },
	{ "__itruediv__", 1 }, { "abs", 1 }, { "abs_", 1 }, { "neg", 1 },
	{ "neg_", 1 }, { "add", 1 }, { "add_", 1 }, { "div", 1 }, { "div_", 1 },
	{ "mul", 1 }, { "mul_", 1 }, { "sub", 1 }, { "sub_", 1 }, { "exp", 1 },
	{ "exp_", 1 }, { "sign", 1 }, { "sign_", 1 }, { "trunc", 1 },
	{ "trunc_", 1 }, { "sin", 1 }, { "sin_", 1 }, { "cos", 1 },
	{ "cos_", 1 }, { "sinh", 1 }, { "sinh_", 1 }, { "cosh", 1 },
	{ "cosh_", 1 }, { "sqrt", 1 }, { "sqrt_", 1 }, { "rsqrt", 1 },
	{ "rsqrt_", 1 }, { "__lt__", 1 }, { "__gt__", 1 }, { "__ge__", 1 },
	{ "__le__", 1 }, { "__eq__", 1 }, { "__ne__", 1 }, { "lt", 1 },
	{ "lt_", 1 }, { "gt", 1 }, { "gt_", 1 }, { "ge", 1 }, { "ge_", 1 },
	{ "le", 1 }, { "le_", 1 }, { "eq", 1 }, { "eq_", 1 }, { "ne", 1 },
	{ "ne_", 1 }, { "ceil", 1 }, { "ceil_", 1 }, { "clamp", 1 },
	{ "clamp_", 1 }, { "floor", 1 }, { "floor_", 1 }, { "round", 1 },
	{ "fmod", 2 }, { "fmod_", 2 }, { "tanh", 4 }, { "tanh_", 4 },
	{ "sigmoid", 4 }, { "sigmoid_", 4 }, { "log", 4 }, { "log_", 4 },
	{ "log2", 4 }, { "log2_", 4 }, { "log10", 4 }, { "log10_", 4 },
	{ "asin", 20 }, { "asin_", 20 }, { "acos", 20 }, { "acos_", 20 },
	{ "atan", 20 }, { "atan_", 20 },
};
/* clang-format on */

static struct pynum
flops(struct mview op, int64_t elems)
{
	size_t i;

	for (i = 0; i < sizeof(per_element) / sizeof(per_element[0]); i++) {
		int twice = per_element[i].twice;

		if (!mv_eq(op, per_element[i].op))
			continue;
		if (twice == 1)
			return pynum_float((double)elems / 2);
		return pynum_int(pynum_mul(elems, twice / 2));
	}
	return pynum_int(0);
}

/* The tensors among the arguments without a name, at most three, of one
 * type. */
static bool
tensors(const struct call *c, struct inputs *in)
{
	int i;

	in->n = 0;
	for (i = 0; i < c->m->n; i++) {
		const struct arg *a = &c->m->arg[i];

		if (!arg_unnamed(a) || !arg_is(a, "tensor"))
			continue;
		if (in->n == 3 || !is_tensor(a) ||
		    (in->n > 0 &&
			dtype_size(a->dtype) != dtype_size(in->v[0]->dtype)))
			return false;
		in->v[in->n++] = a;
	}
	return true;
}

/* Two of the same shape: three times that, fewer in the backward pass. */
static bool
elems_same(const struct call *c, const struct inputs *in, int64_t *elems)
{
	static const char *const sum[] = { "add", "__add__", "sub", "__sub__",
		"__isub__", NULL };
	static const char *const product[] = { "__mul__", "__rmul__", "div",
		"__truediv__", NULL };
	int64_t n = shape_elems(&in->v[0]->shape);

	if (c->bwd && !one_of(c->m->op, sum) && !one_of(c->m->op, product))
		return false;
	*elems = pynum_mul(n, c->bwd && one_of(c->m->op, sum) ? 2 : 3);
	return true;
}

static bool
elems(const struct call *c, const struct inputs *in, int64_t *n)
{
	const struct shape *a = in->n > 0 ? &in->v[0]->shape : NULL;
	const struct shape *b = in->n > 1 ? &in->v[1]->shape : NULL;
	struct shape out;

	if (in->n <= 1) {
		*n = pynum_mul(2, in->n == 0 ? 1 : shape_elems(a));
		return true;
	}
	if (in->n == 3) {
		*n = pynum_mul(4, shape_elems(a));
		return shape_same(a, b) && shape_same(a, &in->v[2]->shape);
	}
	if (shape_same(a, b))
		return elems_same(c, in, n);
	if (!shape_broadcast(a, b, &out))
		return false;
	*n = pynum_add(
	    pynum_add(shape_elems(a), shape_elems(b)), shape_elems(&out));
	return true;
}

static void
put_shapes(struct result *r, const struct inputs *in)
{
	int i;

	buf_puts(&r->params, "T=[");
	for (i = 0; i < in->n; i++) {
		if (i > 0)
			buf_putc(&r->params, ',');
		shape_put(&r->params, &in->v[i]->shape, "()");
	}
	buf_puts(&r->params, in->n == 0 ? "(1,)]," : "],");
}

bool
rule_pointwise(const struct call *c, struct result *r)
{
	static const char fp32[] = "float32";
	struct mview type = { fp32, sizeof(fp32) - 1 };
	struct inputs in;
	int64_t n;

	if (c->last)
		return pointwise_last(c, r);
	if (!tensors(c, &in) || !elems(c, &in, &n))
		return false;
	if (in.n > 0)
		type = in.v[0]->dtype;
	put_shapes(r, &in);
	r->flops = flops(c->m->op, n);
	r->bytes = pynum_int(pynum_mul(n, dtype_size(type)));
	return put_type(r, type);
}
