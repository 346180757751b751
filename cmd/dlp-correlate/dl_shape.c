/*
 * Shapes as DLProf prints them: <32, 400>, and of two types with the names of
 * the axes: <N:32, K:400>. Only these have an output: DLProf's markers tell
 * neither stride nor padding, and so it takes 1 and 0.
 */
#include "dl_shape.h"

#include <string.h>

#include "num.h"

#define RANK_MAX 16

struct shape {
	int64_t v[RANK_MAX];
	int n; /* -1: no shape */
};

static const struct named {
	const char *type;
	const char *in[2], *out;
} named[] = {
	{ "conv2d", { "NCHW", "KCRS" }, "NKPQ" },
	{ "linear", { "NK", "MK" }, "NM" },
};

static const struct named *
named_of(struct text type)
{
	size_t i;

	for (i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (strlen(named[i].type) == type.n &&
		    memcmp(named[i].type, type.s, type.n) == 0)
			return &named[i];
	return NULL;
}

static bool
number(const char **p, const char *e, int64_t *v)
{
	const char *s = *p;

	while (*p < e && (**p == '-' || (**p >= '0' && **p <= '9')))
		++*p;
	return num_i64(s, (size_t)(*p - s), v);
}

/* The next element of the list of shapes: [1,2], or anything else up to its
 * comma; false at the end. */
static bool
next_shape(const char **p, const char *e, struct shape *x)
{
	int64_t v;

	while (*p < e && (**p == ',' || **p == ' '))
		++*p;
	if (*p == e || **p == ']')
		return false;
	x->n = -1;
	if (**p == '[') {
		for (++*p, x->n = 0; *p < e && **p != ']';) {
			if (x->n >= 0 && x->n < RANK_MAX && number(p, e, &v))
				x->v[x->n++] = v;
			else
				x->n = -1;
			while (*p < e && **p != ',' && **p != ']')
				++*p;
			if (*p < e && **p == ',')
				++*p;
		}
	}
	while (*p < e && **p != ',' && **p != ']')
		++*p;
	if (*p < e && **p == ']' && x->n >= 0)
		++*p;
	return true;
}

static void
put_shape(struct buf *b, const struct shape *x, const char *axes)
{
	int i;

	if (axes != NULL && strlen(axes) != (size_t)x->n)
		axes = NULL;
	buf_putc(b, '<');
	for (i = 0; i < x->n; i++) {
		if (i > 0)
			buf_put(b, ", ", 2);
		if (axes != NULL) {
			buf_putc(b, axes[i]);
			buf_putc(b, ':');
		}
		buf_i64(b, x->v[i]);
	}
	buf_putc(b, '>');
}

/* Of a conv2d the image shrinks by the filter; of a linear the last axis
 * becomes the rows of the weight. */
static void
put_output(struct buf *out, const struct named *t, const struct shape *x)
{
	struct shape y = x[0];

	if (x[0].n < 1 || x[1].n != (int)strlen(t->in[1]))
		return;
	if (x[1].n == 2) {
		y.v[y.n - 1] = x[1].v[0];
	} else if (x[0].n == 4) {
		y.v[1] = x[1].v[0];
		y.v[2] = num_add(num_sub(x[0].v[2], x[1].v[2]), 1);
		y.v[3] = num_add(num_sub(x[0].v[3], x[1].v[3]), 1);
	} else {
		return;
	}
	put_shape(out, &y, t->out);
}

void
dl_shapes(struct text type, struct text shapes, bool scalars, struct buf *in,
    struct buf *out)
{
	const struct named *t = named_of(type);
	const char *p = shapes.s, *e;
	struct shape first[2] = { { .n = -1 }, { .n = -1 } }, x;
	int n = 0;

	if (p == NULL || shapes.n < 2)
		return;
	e = p + shapes.n;
	for (p++; next_shape(&p, e, &x);) {
		if (x.n < 0 || (x.n == 0 && !scalars))
			continue;
		if (n < 2)
			first[n] = x;
		if (n > 0)
			buf_put(in, "; ", 2);
		put_shape(in, &x, t != NULL && n < 2 ? t->in[n] : NULL);
		n++;
	}
	if (t != NULL)
		put_output(out, t, first);
}
