/* Arguments of ops, and numbers; see pyprof.h. */
#include <stdio.h>
#include <stdlib.h>

#include "array.h"
#include "num.h"
#include "pylit.h"
#include "pyprof.h"

int64_t
pynum_mul(int64_t a, int64_t b)
{
	int64_t r;

	if (!__builtin_mul_overflow(a, b, &r))
		return r;
	return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

int64_t
pynum_add(int64_t a, int64_t b)
{
	int64_t r;

	if (!__builtin_add_overflow(a, b, &r))
		return r;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

void
pynum_put(struct buf *out, const struct pynum *v)
{
	char s[64];
	int prec;

	if (!v->is_float) {
		buf_i64(out, v->i);
		return;
	}
	if (v->d > -1e15 && v->d < 1e15 && v->d == (double)(int64_t)v->d) {
		buf_i64(out, (int64_t)v->d);
		buf_puts(out, ".0");
		return;
	}
	for (prec = 1; prec < 17; prec++) {
		snprintf(s, sizeof(s), "%.*g", prec, v->d);
		if (strtod(s, NULL) == v->d)
			break;
	}
	snprintf(s, sizeof(s), "%.*g", prec, v->d);
	if (v->d < 1e16 && v->d > -1e16 && strchr(s, 'e') != NULL)
		snprintf(s, sizeof(s), "%.1f", v->d);
	buf_puts(out, s);
}

/* A text or number as written, a text without its quotes; s is NULL if it is
 * neither. */
static struct mview
py_text(struct mview v)
{
	struct pylit l;
	struct pl_atom a;

	pl_init(&l, v.s != NULL ? v.s : "", v.s != NULL ? v.n : 0);
	if (v.s == NULL || pl_peek(&l) == '[' || pl_peek(&l) == '(' ||
	    pl_peek(&l) == '{' || !pl_atom(&l, &a))
		return (struct mview){ NULL, 0 };
	return a.raw;
}

static bool
py_ints(struct mview v, struct pyprof_shape *out)
{
	struct pylit l;
	struct pl_atom a;

	out->n = 0;
	if (v.s == NULL || v.n == 0 || (v.s[0] != '(' && v.s[0] != '['))
		return false;
	for (pyrow_list(&l, v); pyrow_item(&l, &a); out->n++)
		if (out->n == ARG_DIMS ||
		    !num_i64(a.raw.s, a.raw.n, &out->v[out->n]))
			return false;
	return !l.bad;
}

static bool
read_arg(struct pyrow *r, struct pyprof_arg *a, struct mview v)
{
	memset(a, 0, sizeof(*a));
	if (!pyrow_read(r, v.s, v.n))
		return false;
	a->name = py_text(pyrow_get(r, "name"));
	a->type = py_text(pyrow_get(r, "type"));
	a->dtype = py_text(pyrow_get(r, "dtype"));
	a->value = pyrow_get(r, "value");
	a->has_shape = py_ints(pyrow_get(r, "shape"), &a->shape);
	return a->type.s != NULL;
}

static bool
read_args(struct pyprof_marker *m, struct mview v)
{
	struct pylit l;
	const char *from;

	m->n = 0;
	pl_init(&l, v.s, v.n);
	if (!pl_enter(&l, '\0'))
		return false;
	while (pl_item(&l)) {
		(void)pl_peek(&l);
		from = l.p;
		if (m->n == ARG_MAX || !pl_skip(&l) ||
		    !read_arg(&m->arg_row, &m->arg[m->n++], mv(from, l.p)))
			return false;
	}
	return !l.bad;
}

bool
pyprof_marker_read(struct pyprof_marker *m, const char *s, size_t n)
{
	struct pyrow *r = &m->row;
	struct mview args;

	if (!pyrow_read(r, s, n))
		return false;
	m->mod = py_text(pyrow_get(r, "mod"));
	m->op = py_text(pyrow_get(r, "op"));
	args = pyrow_get(r, "args");
	return m->mod.s != NULL && m->op.s != NULL && args.s != NULL &&
	       read_args(m, args);
}

bool
arg_is(const struct pyprof_arg *a, const char *type)
{
	return mv_eq(a->type, type);
}

bool
arg_unnamed(const struct pyprof_arg *a)
{
	return a->name.s == NULL || a->name.n == 0;
}

bool
arg_int(const struct pyprof_arg *a, int64_t *v)
{
	struct mview t = py_text(a->value);

	return t.s != NULL && num_i64(t.s, t.n, v);
}

bool
arg_ints(const struct pyprof_arg *a, struct pyprof_shape *v)
{
	return py_ints(a->value, v);
}

int64_t
shape_elems(const struct pyprof_shape *s)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < s->n; i++)
		n = pynum_mul(n, s->v[i]);
	return n;
}

bool
shape_same(const struct pyprof_shape *a, const struct pyprof_shape *b)
{
	return a->n == b->n &&
	       memcmp(a->v, b->v, (size_t)a->n * sizeof(a->v[0])) == 0;
}

bool
shape_broadcast(const struct pyprof_shape *a, const struct pyprof_shape *b,
    struct pyprof_shape *out)
{
	int i;

	out->n = a->n > b->n ? a->n : b->n;
	for (i = 1; i <= out->n; i++) {
		int64_t x = i <= a->n ? a->v[a->n - i] : 1;
		int64_t y = i <= b->n ? b->v[b->n - i] : 1;

		if (x != y && x != 1 && y != 1)
			return false;
		out->v[out->n - i] = x == 1 ? y : x;
	}
	return true;
}

static const struct {
	const char *name, *word;
	int size;
} dtypes[] = {
	{ "uint8", "uint8", 1 },
	{ "int8", "int8", 1 },
	{ "byte", "uint8", 1 },
	{ "char", "uint8", 1 },
	{ "bool", "bool", 1 },
	{ "float16", "fp16", 2 },
	{ "half", "fp16", 2 },
	{ "int16", "int16", 2 },
	{ "short", "int16", 2 },
	{ "float32", "fp32", 4 },
	{ "float", "fp32", 4 },
	{ "int32", "int32", 4 },
	{ "int", "int32", 4 },
	{ "int64", "int64", 8 },
	{ "long", "int64", 8 },
	{ "float64", "fp64", 8 },
	{ "double", "fp64", 8 },
};

int64_t
dtype_size(struct mview dtype)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(dtypes); i++)
		if (dtype.s != NULL && mv_eq(dtype, dtypes[i].name))
			return dtypes[i].size;
	return 0;
}

const char *
dtype_word(struct mview dtype)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(dtypes); i++)
		if (dtype.s != NULL && mv_eq(dtype, dtypes[i].name))
			return dtypes[i].word;
	return NULL;
}
