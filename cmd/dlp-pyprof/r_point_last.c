/*
 * Element-wise ops by the rules of 2021: by groups of ops, in whole numbers,
 * with scalars as tensors without dimensions.
 */
#include "point.h"

enum group { NONE, UNARY, COSTLY, BINARY, COMPARE, POWER, TERNARY, UNKNOWN };

/* clang-format off */
static const struct {
	const char *op; /* with and without _ behind it */
	enum group group;
} ops[] = {
	{ "abs", UNARY }, { "neg", UNARY }, { "reciprocal", UNARY },
	{ "__abs__", UNARY }, { "__neg__", UNARY }, { "__invert__", UNARY },
	{ "ceil", UNARY }, { "clamp", UNARY }, { "floor", UNARY },
	{ "frac", UNARY }, { "round", UNARY }, { "sign", UNARY },
	{ "trunc", UNARY }, { "exp", COSTLY }, { "exp1m", COSTLY },
	{ "log", COSTLY }, { "log10", COSTLY }, { "log1p", COSTLY },
	{ "log2", COSTLY }, { "rsqrt", COSTLY }, { "sqrt", COSTLY },
	{ "acos", COSTLY }, { "asin", COSTLY }, { "atan", COSTLY },
	{ "atan2", COSTLY }, { "cos", COSTLY }, { "cosh", COSTLY },
	{ "sin", COSTLY }, { "sinh", COSTLY }, { "tan", COSTLY },
	{ "sigmoid", COSTLY }, { "tanh", COSTLY }, { "erf", COSTLY },
	{ "erfc", COSTLY }, { "erfinv", COSTLY }, { "add", BINARY },
	{ "div", BINARY }, { "mul", BINARY }, { "remainder", BINARY },
	{ "sub", BINARY }, { "fmod", BINARY }, { "__add__", BINARY },
	{ "__sub__", BINARY }, { "__mul__", BINARY },
	{ "__floordiv__", BINARY }, { "__truediv__", BINARY },
	{ "__mod__", BINARY }, { "__radd__", BINARY }, { "__rsub__", BINARY },
	{ "__rmul__", BINARY }, { "__rdiv__", BINARY },
	{ "__rtruediv__", BINARY }, { "__rfloordiv__", BINARY },
	{ "__iadd__", BINARY }, { "__isub__", BINARY },
	{ "__imul__", BINARY }, { "__itruediv__", BINARY },
	{ "__and__", BINARY }, { "__or__", BINARY }, { "__xor__", BINARY },
	{ "__lshift__", BINARY }, { "__rshift__", BINARY },
	{ "__iand__", BINARY }, { "__ior__", BINARY }, { "__ixor__", BINARY },
	{ "__ilshift__", BINARY }, { "__irshift__", BINARY },
	{ "lt", COMPARE }, { "gt", COMPARE }, { "ge", COMPARE },
	{ "le", COMPARE }, { "eq", COMPARE }, { "ne", COMPARE },
	{ "__lt__", COMPARE }, { "__gt__", COMPARE }, { "__ge__", COMPARE },
	{ "__le__", COMPARE }, { "__eq__", COMPARE }, { "__ne__", COMPARE },
	{ "pow", POWER }, { "__pow__", POWER }, { "__rpow__", POWER },
	{ "addcdiv", TERNARY }, { "addcmul", TERNARY }, { "digamma", UNKNOWN },
	{ "lerp", UNKNOWN }, { "mvlgamma", UNKNOWN },
};
/* clang-format on */

static enum group
group_of(struct mview op)
{
	size_t i;

	if (op.n > 1 && op.s[op.n - 1] == '_' && op.s[op.n - 2] != '_')
		op.n--;
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (mv_eq(op, ops[i].op))
			return ops[i].group;
	return NONE;
}

bool
is_pointwise(struct mview op)
{
	return group_of(op) != NONE;
}

struct input {
	struct shape shape;
	struct mview dtype;
	bool scalar;
};

static bool
inputs(const struct call *c, struct input *v)
{
	int i;

	if (c->m->n > 4)
		return false;
	for (i = 0; i < c->m->n; i++) {
		const struct arg *a = &c->m->arg[i];

		v[i].scalar = arg_is(a, "float") || arg_is(a, "int");
		v[i].shape.n = 0;
		v[i].dtype = a->type;
		if (v[i].scalar)
			continue;
		if (!arg_is(a, "tensor") || !is_tensor(a))
			return false;
		v[i].shape = a->shape;
		v[i].dtype = a->dtype;
	}
	return true;
}

static int64_t
bytes_of(const struct input *v)
{
	return pynum_mul(shape_elems(&v->shape), dtype_size(v->dtype));
}

/* The result of two: shape, and the greater of their types' sizes. */
struct out {
	struct shape shape;
	int64_t n, size;
};

static bool
join(const struct input *a, const struct input *b, struct out *o)
{
	int64_t sa = dtype_size(a->dtype), sb = dtype_size(b->dtype);

	o->size = sa > sb ? sa : sb;
	if (!shape_broadcast(&a->shape, &b->shape, &o->shape))
		return false;
	o->n = shape_elems(&o->shape);
	return true;
}

static bool
backward(const struct call *c, struct result *r, const struct out *o)
{
	static const char *const sum[] = { "add", "__add__", "sub", "__sub__",
		"__isub__", NULL };
	static const char *const product[] = { "__mul__", "__imul__",
		"__rmul__", "mul_", "div", "__truediv__", "__itruediv__",
		NULL };
	int64_t b = pynum_mul(o->n, o->size);

	if (one_of(c->m->op, sum)) {
		r->bytes = pynum_int(pynum_mul(2, b));
		return true;
	}
	r->bytes = pynum_int(pynum_mul(3, b));
	r->flops = pynum_int(o->n);
	return one_of(c->m->op, product);
}

static bool
binary(
    const struct call *c, struct result *r, const struct input *v, enum group g)
{
	struct out o;

	if (c->m->n < 2 || !join(&v[0], &v[1], &o))
		return false;
	if (g != POWER && c->bwd)
		return backward(c, r, &o);
	r->flops = pynum_int(pynum_mul(o.n, g == POWER ? 20 : 1));
	r->bytes =
	    pynum_int(pynum_add(pynum_add(bytes_of(&v[0]), bytes_of(&v[1])),
		pynum_mul(o.n, g == COMPARE ? 1 : o.size)));
	return true;
}

static bool
ternary(const struct call *c, struct result *r, const struct input *v)
{
	struct input t[4];
	struct out o;
	int i, n = 0;

	for (i = 0; i < c->m->n; i++)
		if (v[i].shape.n > 0)
			t[n++] = v[i];
	if (n != 3 || !join(&t[0], &t[1], &o) ||
	    !shape_broadcast(&o.shape, &t[2].shape, &o.shape))
		return false;
	o.n = shape_elems(&o.shape);
	r->flops = pynum_int(pynum_mul(3, o.n));
	r->bytes =
	    pynum_int(pynum_add(pynum_add(bytes_of(&t[0]), bytes_of(&t[1])),
		pynum_add(bytes_of(&t[2]), pynum_mul(o.n, o.size))));
	return true;
}

bool
pointwise_last(const struct call *c, struct result *r)
{
	enum group g = group_of(c->m->op);
	struct input v[4];
	int i;

	if (c->m->n < 1 || g == UNKNOWN || !inputs(c, v))
		return false;
	for (i = 0; i < c->m->n; i++) {
		if (i > 0)
			buf_putc(&r->params, ';');
		tensor_put(&r->params, &v[i].shape, v[i].dtype);
	}
	if (g == TERNARY)
		return ternary(c, r, v);
	if (g != UNARY && g != COSTLY)
		return binary(c, r, v, g);
	r->bytes = pynum_int(pynum_mul(2, bytes_of(&v[0])));
	r->flops = pynum_int(
	    pynum_mul(shape_elems(&v[0].shape), g == COSTLY ? 20 : 1));
	return true;
}
