/* See arg.h. */
#include "arg.h"

#include "num.h"
#include "pylit_json.h"
#include "pynum.h"
#include "pyrow.h"

static struct mview
text(struct mview v)
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
ints(struct mview v, struct shape *out)
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
read_arg(struct arg *a, struct mview v)
{
	static struct pyrow r;

	memset(a, 0, sizeof(*a));
	if (!pyrow_read(&r, v.s, v.n))
		return false;
	a->name = text(pyrow_get(&r, "name"));
	a->type = text(pyrow_get(&r, "type"));
	a->dtype = text(pyrow_get(&r, "dtype"));
	a->value = pyrow_get(&r, "value");
	a->has_shape = ints(pyrow_get(&r, "shape"), &a->shape);
	return a->type.s != NULL;
}

static bool
read_args(struct marker *m, struct mview v)
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
		    !read_arg(&m->arg[m->n++], mv(from, l.p)))
			return false;
	}
	return !l.bad;
}

bool
marker_read(struct marker *m, const char *s, size_t n)
{
	static struct pyrow r;
	struct mview args;

	if (!pyrow_read(&r, s, n))
		return false;
	m->mod = text(pyrow_get(&r, "mod"));
	m->op = text(pyrow_get(&r, "op"));
	args = pyrow_get(&r, "args");
	return m->mod.s != NULL && m->op.s != NULL && args.s != NULL &&
	       read_args(m, args);
}

bool
arg_is(const struct arg *a, const char *type)
{
	return mv_eq(a->type, type);
}

bool
arg_unnamed(const struct arg *a)
{
	return a->name.s == NULL || a->name.n == 0;
}

bool
arg_int(const struct arg *a, int64_t *v)
{
	struct mview t = text(a->value);

	return t.s != NULL && num_i64(t.s, t.n, v);
}

bool
arg_ints(const struct arg *a, struct shape *v)
{
	return ints(a->value, v);
}

int64_t
shape_elems(const struct shape *s)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < s->n; i++)
		n = pynum_mul(n, s->v[i]);
	return n;
}

bool
shape_same(const struct shape *a, const struct shape *b)
{
	return a->n == b->n &&
	       memcmp(a->v, b->v, (size_t)a->n * sizeof(a->v[0])) == 0;
}

bool
shape_broadcast(const struct shape *a, const struct shape *b, struct shape *out)
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

	for (i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++)
		if (dtype.s != NULL && mv_eq(dtype, dtypes[i].name))
			return dtypes[i].size;
	return 0;
}

const char *
dtype_word(struct mview dtype)
{
	size_t i;

	for (i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++)
		if (dtype.s != NULL && mv_eq(dtype, dtypes[i].name))
			return dtypes[i].word;
	return NULL;
}
