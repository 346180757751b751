/* Arithmetic of what may be unknown; see expr_val.h. */
#include <string.h>

#include "expr_val.h"
#include "size.h"

const struct val unknown = { false, 0 };

struct val
val(int64_t v)
{
	return (struct val){ v >= 0, v };
}

struct val
val_apply(char op, struct val a, struct val b)
{
	struct val r = { a.known && b.known, 0 };
	bool over = false;

	if (!r.known)
		return unknown;
	if (op == '+')
		over = __builtin_add_overflow(a.v, b.v, &r.v);
	else if (op == '-')
		over = __builtin_sub_overflow(a.v, b.v, &r.v);
	else if (op == '*')
		over = __builtin_mul_overflow(a.v, b.v, &r.v);
	else if (b.v <= 0 || a.v < 0)
		return unknown;
	else
		r.v = op == '/' ? a.v / b.v : a.v % b.v;
	size_overflow |= over;
	return over ? unknown : r;
}

static struct val
extreme(const struct val *v, int n, bool most)
{
	struct val r = v[0];
	int i;

	for (i = 0; i < n; i++) {
		if (!v[i].known)
			return unknown;
		if (most ? v[i].v > r.v : v[i].v < r.v)
			r = v[i];
	}
	return r;
}

static struct val
min(const struct val *v, int n)
{
	return extreme(v, n, false);
}

static struct val
max(const struct val *v, int n)
{
	return extreme(v, n, true);
}

/* The first that is known. */
static struct val
either(const struct val *v, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (v[i].known)
			return v[i];
	return unknown;
}

/* A quotient, rounded up. */
static struct val
cdiv(const struct val *v, int n)
{
	struct val one = { true, 1 };

	(void)n;
	return val_apply(
	    '/', val_apply('+', v[0], val_apply('-', v[1], one)), v[1]);
}

static struct val
choose(const struct val *v, int n)
{
	(void)n;
	if (!v[0].known)
		return unknown;
	return v[0].v > 0 ? v[1] : v[2];
}

static struct val
equal(const struct val *v, int n)
{
	(void)n;
	if (!v[0].known || !v[1].known)
		return unknown;
	return (struct val){ true, v[0].v == v[1].v };
}

static const struct val_fn functions[] = {
	{ "min", 1, VAL_ARGS, min },
	{ "max", 1, VAL_ARGS, max },
	{ "or", 1, VAL_ARGS, either },
	{ "cdiv", 2, 2, cdiv },
	{ "if", 3, 3, choose },
	{ "eq", 2, 2, equal },
};

const struct val_fn *
val_function(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strlen(functions[i].name) == n &&
		    memcmp(functions[i].name, s, n) == 0)
			return &functions[i];
	return NULL;
}
