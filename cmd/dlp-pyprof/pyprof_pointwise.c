/*
 * Element-wise ops (pointwise.py).
 *
 *	2019: the elements that are read and written, and half of them, as a
 *	float, for the FLOPs of most ops
 *	2021: by groups of ops, in whole numbers
 */
#include "array.h"
#include "pyprof.h"

/*
 * The rules of 2021
 */

enum group { NONE, UNARY, COSTLY, BINARY, COMPARE, POWER, TERNARY, UNKNOWN };

/* clang-format off */
static const struct {
	const char *op; /* with and without a final _ */
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
	for (i = 0; i < ARRAY_LEN(ops); i++)
		if (mv_eq(op, ops[i].op))
			return ops[i].group;
	return NONE;
}

bool
rule_is_pointwise(struct mview op)
{
	return group_of(op) != NONE;
}

struct point_input {
	struct pyprof_shape shape;
	struct mview dtype;
	bool scalar;
};

static bool
read_inputs(const struct pyprof_call *c, struct point_input *v)
{
	int i;

	if (c->m->n > 4)
		return false;
	for (i = 0; i < c->m->n; i++) {
		const struct pyprof_arg *a = &c->m->arg[i];

		v[i].scalar = arg_is(a, "float") || arg_is(a, "int");
		v[i].shape.n = 0;
		v[i].dtype = a->type;
		if (v[i].scalar)
			continue;
		if (!arg_is(a, "tensor") || !arg_is_tensor(a))
			return false;
		v[i].shape = a->shape;
		v[i].dtype = a->dtype;
	}
	return true;
}

static int64_t
bytes_of(const struct point_input *v)
{
	return pynum_mul(shape_elems(&v->shape), dtype_size(v->dtype));
}

/* The result of two operands: shape, and the greater of their types' sizes. */
struct point_out {
	struct pyprof_shape shape;
	int64_t n, size;
};

static bool
join_inputs(const struct point_input *a, const struct point_input *b,
    struct point_out *o)
{
	int64_t sa = dtype_size(a->dtype), sb = dtype_size(b->dtype);

	o->size = sa > sb ? sa : sb;
	if (!shape_broadcast(&a->shape, &b->shape, &o->shape))
		return false;
	o->n = shape_elems(&o->shape);
	return true;
}

static bool
binary_backward(const struct pyprof_call *c, struct pyprof_result *r,
    const struct point_out *o)
{
	static const char *const sum[] = { "add", "__add__", "sub", "__sub__",
		"__isub__", NULL };
	static const char *const product[] = { "__mul__", "__imul__",
		"__rmul__", "mul_", "div", "__truediv__", "__itruediv__",
		NULL };
	int64_t b = pynum_mul(o->n, o->size);

	if (mv_one_of(c->m->op, sum)) {
		r->bytes = pynum_int(pynum_mul(2, b));
		return true;
	}
	r->bytes = pynum_int(pynum_mul(3, b));
	r->flops = pynum_int(o->n);
	return mv_one_of(c->m->op, product);
}

static bool
binary(const struct pyprof_call *c, struct pyprof_result *r,
    const struct point_input *v, enum group g)
{
	struct point_out o;

	if (c->m->n < 2 || !join_inputs(&v[0], &v[1], &o))
		return false;
	if (g != POWER && c->bwd)
		return binary_backward(c, r, &o);
	r->flops = pynum_int(pynum_mul(o.n, g == POWER ? 20 : 1));
	r->bytes =
	    pynum_int(pynum_add(pynum_add(bytes_of(&v[0]), bytes_of(&v[1])),
		pynum_mul(o.n, g == COMPARE ? 1 : o.size)));
	return true;
}

static bool
ternary(const struct pyprof_call *c, struct pyprof_result *r,
    const struct point_input *v)
{
	struct point_input t[4];
	struct point_out o;
	int i, n = 0;

	for (i = 0; i < c->m->n; i++)
		if (v[i].shape.n > 0)
			t[n++] = v[i];
	if (n != 3 || !join_inputs(&t[0], &t[1], &o) ||
	    !shape_broadcast(&o.shape, &t[2].shape, &o.shape))
		return false;
	o.n = shape_elems(&o.shape);
	r->flops = pynum_int(pynum_mul(3, o.n));
	r->bytes =
	    pynum_int(pynum_add(pynum_add(bytes_of(&t[0]), bytes_of(&t[1])),
		pynum_add(bytes_of(&t[2]), pynum_mul(o.n, o.size))));
	return true;
}

/* Scalars are tensors without dimensions. */
static bool
rule_pointwise_last(const struct pyprof_call *c, struct pyprof_result *r)
{
	enum group g = group_of(c->m->op);
	struct point_input v[4];
	int i;

	if (c->m->n < 1 || g == UNKNOWN || !read_inputs(c, v))
		return false;
	for (i = 0; i < c->m->n; i++) {
		if (i > 0)
			buf_putc(&r->params, ';');
		params_tensor(&r->params, &v[i].shape, v[i].dtype);
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

/*
 * The rules of 2019
 */

struct point_inputs {
	const struct pyprof_arg *v[4];
	int n;
};

/* FLOPs per element read or written; 0 for ops that are not in the table. */
/* clang-format off */
static const struct {
	const char *op;
	int twice; /* 1 means a half, as a float */
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
flops_2019(struct mview op, int64_t elems)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(per_element); i++) {
		int twice = per_element[i].twice;

		if (!mv_eq(op, per_element[i].op))
			continue;
		if (twice == 1)
			return pynum_float((double)elems / 2);
		return pynum_int(pynum_mul(elems, twice / 2));
	}
	return pynum_int(0);
}

/* The tensors among the arguments without a name: at most three, of one type.
 */
static bool
tensors_2019(const struct pyprof_call *c, struct point_inputs *in)
{
	int i;

	in->n = 0;
	for (i = 0; i < c->m->n; i++) {
		const struct pyprof_arg *a = &c->m->arg[i];

		if (!arg_unnamed(a) || !arg_is(a, "tensor"))
			continue;
		if (in->n == 3 || !arg_is_tensor(a) ||
		    (in->n > 0 &&
			dtype_size(a->dtype) != dtype_size(in->v[0]->dtype)))
			return false;
		in->v[in->n++] = a;
	}
	return true;
}

/* Elements of two tensors of the same shape: three times that, fewer in the
 * backward pass. */
static bool
elems_of_same(
    const struct pyprof_call *c, const struct point_inputs *in, int64_t *elems)
{
	static const char *const sum[] = { "add", "__add__", "sub", "__sub__",
		"__isub__", NULL };
	static const char *const product[] = { "__mul__", "__rmul__", "div",
		"__truediv__", NULL };
	int64_t n = shape_elems(&in->v[0]->shape);

	if (c->bwd && !mv_one_of(c->m->op, sum) &&
	    !mv_one_of(c->m->op, product))
		return false;
	*elems = pynum_mul(n, c->bwd && mv_one_of(c->m->op, sum) ? 2 : 3);
	return true;
}

static bool
elems_2019(
    const struct pyprof_call *c, const struct point_inputs *in, int64_t *n)
{
	const struct pyprof_shape *a = in->n > 0 ? &in->v[0]->shape : NULL;
	const struct pyprof_shape *b = in->n > 1 ? &in->v[1]->shape : NULL;
	struct pyprof_shape out;

	if (in->n <= 1) {
		*n = pynum_mul(2, in->n == 0 ? 1 : shape_elems(a));
		return true;
	}
	if (in->n == 3) {
		*n = pynum_mul(4, shape_elems(a));
		return shape_same(a, b) && shape_same(a, &in->v[2]->shape);
	}
	if (shape_same(a, b))
		return elems_of_same(c, in, n);
	if (!shape_broadcast(a, b, &out))
		return false;
	*n = pynum_add(
	    pynum_add(shape_elems(a), shape_elems(b)), shape_elems(&out));
	return true;
}

static void
put_inputs(struct pyprof_result *r, const struct point_inputs *in)
{
	int i;

	buf_puts(&r->params, "T=[");
	for (i = 0; i < in->n; i++) {
		if (i > 0)
			buf_putc(&r->params, ',');
		params_sizes(&r->params, &in->v[i]->shape, "()");
	}
	buf_puts(&r->params, in->n == 0 ? "(1,)]," : "],");
}

bool
rule_pointwise(const struct pyprof_call *c, struct pyprof_result *r)
{
	static const char fp32[] = "float32";
	struct mview type = { fp32, sizeof(fp32) - 1 };
	struct point_inputs in;
	int64_t n;

	if (c->last)
		return rule_pointwise_last(c, r);
	if (!tensors_2019(c, &in) || !elems_2019(c, &in, &n))
		return false;
	if (in.n > 0)
		type = in.v[0]->dtype;
	put_inputs(r, &in);
	r->flops = flops_2019(c->m->op, n);
	r->bytes = pynum_int(pynum_mul(n, dtype_size(type)));
	return params_type(r, type);
}
