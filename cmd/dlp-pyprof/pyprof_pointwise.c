/*
 * Element-wise ops (pointwise.py).
 *
 *	2019: the elements that are read and written, and half of them, as a
 *	float, for the FLOPs of most ops
 *	2021: by groups of ops, in whole numbers
 */
#include "array.h"
#include "pyprof.h"
#include "shipped.h"

/*
 * The rules of 2021
 */

enum { /* groups of ops, and FLOPs per element in 2019 */
	UNARY = 1,
	COSTLY = 2,
	BINARY = 4,
	COMPARE = 8,
	POWER = 16,
	TERNARY = 32,
	UNKNOWN = 64,
	HALF = 128,
	ONE = 256,
	TWO = 512,
	TEN = 1024
};

/* The classes of an op in the rules' list of words, a bit each. */
static unsigned
classes_of(struct mview op)
{
	static const char *const classes[] = { "unary", "costly", "binary",
		"compare", "power", "ternary", "unknown", "half", "one", "two",
		"ten", NULL };
	static struct shipped_words words = { "pyprof.tab", classes, { 0 } };

	return shipped_class(&words, op);
}

unsigned
pointwise_group(struct mview op)
{
	if (op.n > 1 && op.s[op.n - 1] == '_' && op.s[op.n - 2] != '_')
		op.n--;
	return classes_of(op) & (HALF - 1);
}

/* Ops whose gradient does not read their inputs. */
static const char sums[] = "add __add__ sub __sub__ __isub__";

struct point_input {
	struct pyprof_shape shape;
	struct mview dtype;
};

static int64_t
bytes_of(const struct point_input *v)
{
	return pynum_mul(shape_elems(&v->shape), dtype_size(v->dtype));
}

/* An op of n operands, whose result has the shape of all and the greater type
 * of two. */
static bool
count_joined(const struct pyprof_call *c, struct pyprof_result *r,
    const struct point_input *v, int n, unsigned g)
{
	struct pyprof_shape out = v[0].shape, sofar;
	int64_t size = dtype_size(v[0].dtype), elems;
	int i;

	for (i = 1; i < n; i++) {
		sofar = out;
		if (!shape_broadcast(&sofar, &v[i].shape, &out))
			return false;
	}
	if (dtype_size(v[1].dtype) > size)
		size = dtype_size(v[1].dtype);
	elems = shape_elems(&out);
	if (c->bwd && g != POWER && g != TERNARY) {
		bool sum = is_word_of(c->m->op, sums);

		r->bytes.i = pynum_mul(sum ? 2 : 3, pynum_mul(elems, size));
		r->flops.i = sum ? 0 : elems;
		return sum ||
		       is_word_of(c->m->op, "__mul__ __imul__ __rmul__ mul_ div"
					    " __truediv__ __itruediv__");
	}
	r->flops.i = pynum_mul(elems, g == POWER ? 20 : g == TERNARY ? 3 : 1);
	r->bytes.i = pynum_mul(elems, g == COMPARE ? 1 : size);
	for (i = 0; i < n; i++)
		r->bytes.i = pynum_add(r->bytes.i, bytes_of(&v[i]));
	return true;
}

/* Scalars are tensors without dimensions. */
static bool
rule_pointwise_last(const struct pyprof_call *c, struct pyprof_result *r)
{
	unsigned g = pointwise_group(c->m->op);
	const struct pyprof_arg *a;
	struct point_input v[4];
	int i, n = 0;

	if (c->m->n < 1 || c->m->n > 4 || g == UNKNOWN)
		return false;
	for (i = 0; i < c->m->n; i++) {
		a = &c->m->arg[i];
		v[i] = (struct point_input){ a->shape, a->dtype };
		if (arg_is(a, "float") || arg_is(a, "int"))
			v[i] = (struct point_input){ { 0 }, a->type };
		else if (!arg_is(a, "tensor") || !arg_is_tensor(a))
			return false;
		if (i > 0)
			buf_putc(&r->params, ';');
		params_tensor(&r->params, &v[i].shape, v[i].dtype);
	}
	if (g == UNARY || g == COSTLY) {
		r->bytes.i = pynum_mul(2, bytes_of(&v[0]));
		r->flops.i =
		    pynum_mul(shape_elems(&v[0].shape), g == COSTLY ? 20 : 1);
		return true;
	}
	if (g != TERNARY)
		return c->m->n >= 2 && count_joined(c, r, v, 2, g);
	for (i = 0; i < c->m->n; i++)
		if (v[i].shape.n > 0)
			v[n++] = v[i];
	return n == 3 && count_joined(c, r, v, 3, g);
}

/*
 * The rules of 2019
 */

struct point_inputs {
	const struct pyprof_arg *v[3];
	int n;
};

/* Elements read and written: of two tensors of the same shape three times
 * theirs, fewer in the backward pass. */
static bool
elems_2019(
    const struct pyprof_call *c, const struct point_inputs *in, int64_t *n)
{
	const struct pyprof_shape *a = in->n > 0 ? &in->v[0]->shape : NULL;
	const struct pyprof_shape *b = in->n > 1 ? &in->v[1]->shape : NULL;
	bool sum = c->bwd && is_word_of(c->m->op, sums);
	struct pyprof_shape out;

	if (in->n <= 1) {
		*n = pynum_mul(2, in->n == 0 ? 1 : shape_elems(a));
		return true;
	}
	if (in->n == 3) {
		*n = pynum_mul(4, shape_elems(a));
		return shape_same(a, b) && shape_same(a, &in->v[2]->shape);
	}
	if (shape_same(a, b)) {
		*n = pynum_mul(shape_elems(a), sum ? 2 : 3);
		return !c->bwd || sum ||
		       is_word_of(c->m->op, "__mul__ __rmul__ div __truediv__");
	}
	if (!shape_broadcast(a, b, &out))
		return false;
	*n = pynum_add(
	    pynum_add(shape_elems(a), shape_elems(b)), shape_elems(&out));
	return true;
}

bool
rule_pointwise(const struct pyprof_call *c, struct pyprof_result *r)
{
	struct mview type = { "float32", 7 };
	const struct pyprof_arg *a;
	struct point_inputs in;
	unsigned classes;
	int64_t n;
	int i;

	if (c->last)
		return rule_pointwise_last(c, r);
	/* the tensors without a name: at most three, of one type */
	for (in.n = 0, a = c->m->arg; a < c->m->arg + c->m->n; a++) {
		if (!arg_unnamed(a) || !arg_is(a, "tensor"))
			continue;
		if (in.n == 3 || !arg_is_tensor(a) ||
		    (in.n > 0 &&
			dtype_size(a->dtype) != dtype_size(in.v[0]->dtype)))
			return false;
		in.v[in.n++] = a;
	}
	if (!elems_2019(c, &in, &n))
		return false;
	if (in.n > 0)
		type = in.v[0]->dtype;
	buf_puts(&r->params, "T=[");
	for (i = 0; i < in.n; i++) {
		if (i > 0)
			buf_putc(&r->params, ',');
		params_sizes(&r->params, &in.v[i]->shape, "()");
	}
	buf_puts(&r->params, in.n == 0 ? "(1,)]," : "],");
	classes = classes_of(c->m->op);
	if (classes & HALF)
		r->flops = pynum_float((double)n / 2);
	else if (classes & (ONE | TWO | TEN))
		r->flops.i = pynum_mul(n, classes & ONE   ? 1
					  : classes & TWO ? 2
							  : 10);
	r->bytes.i = pynum_mul(n, dtype_size(type));
	return params_type(r, type);
}
