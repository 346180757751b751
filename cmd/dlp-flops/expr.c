/*
 * The expressions of rules; see kern_work.h. They are evaluated while they are
 * parsed. That is quick enough, because an answer is found once per op and
 * kernel name. A result is unknown if any operand is unknown.
 */

#include <string.h>

#include "array.h"
#include "kern_work.h"
#include "num.h"

#define MAX_ARGS 8   /* the most arguments of a function */
#define MAX_DEPTH 64 /* of nested brackets and signs */

struct val { /* a number that may be unknown */
	bool known;
	int64_t v;
};

static const struct val unknown = { false, 0 };

/* A size: unknown if negative. */
static struct val
val(int64_t v)
{
	return (struct val){ v >= 0, v };
}

/* a op b, where op is + - * / or %. Unknown if an operand is unknown, the
 * result is undefined (a division by 0, a remainder of a negative number), or
 * it does not fit. */
static struct val
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
	if (over)
		size_overflowed();
	return over ? unknown : r;
}

enum { FN_MIN, FN_MAX, FN_OR, FN_CDIV, FN_IF, FN_EQ };

static const struct val_fn {
	const char *name;
	int least, most; /* number of arguments */
} functions[] = {
	/* in the order of the enum */
	{ "min", 1, MAX_ARGS },
	{ "max", 1, MAX_ARGS },
	{ "or", 1, MAX_ARGS }, /* the first value that is known */
	{ "cdiv", 2, 2 },      /* a quotient, rounded up */
	{ "if", 3, 3 },
	{ "eq", 2, 2 },
};

static struct val
val_call(int f, const struct val *v, int n)
{
	static const struct val one = { true, 1 };
	struct val r = v[0];
	int i;

	switch (f) {
	case FN_OR:
		for (i = 1; i < n && !r.known; i++)
			r = v[i];
		return r.known ? r : unknown;
	case FN_CDIV:
		r = val_apply('+', v[0], val_apply('-', v[1], one));
		return val_apply('/', r, v[1]);
	case FN_IF:
		return r.known ? v[r.v > 0 ? 1 : 2] : unknown;
	case FN_EQ:
		if (!v[0].known || !v[1].known)
			return unknown;
		return (struct val){ true, v[0].v == v[1].v };
	default:
		for (i = 0; i < n; i++) {
			if (!v[i].known)
				return unknown;
			if (f == FN_MAX ? v[i].v > r.v : v[i].v < r.v)
				r = v[i];
		}
		return r;
	}
}

struct ex {
	const char *s, *p, *end;
	const struct kern_work *w; /* NULL: only the grammar is checked */
	int depth;
	const char *err; /* the first error; parsing stops there */
	const char *at;
};

static struct val sum(struct ex *x);

static struct val
ex_fail(struct ex *x, const char *why)
{
	if (x->err == NULL) {
		x->err = why;
		x->at = x->p;
	}
	return unknown;
}

static char
ex_peek(struct ex *x)
{
	while (x->p < x->end && (*x->p == ' ' || *x->p == '\t'))
		x->p++;
	return x->p < x->end && x->err == NULL ? *x->p : '\0';
}

static bool
ex_take(struct ex *x, char c)
{
	if (ex_peek(x) != c || c == '\0')
		return false;
	x->p++;
	return true;
}

static size_t
ex_word(struct ex *x)
{
	size_t n;
	char c;

	ex_peek(x);
	for (n = 0; x->p + n < x->end; n++) {
		c = x->p[n];
		if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '_' &&
		    (n == 0 || c < '0' || c > '9'))
			break;
	}
	return n;
}

/* An argument: a capital letter is its place, with A the first; any other word
 * is the name of a keyword argument. */
static const struct op_arg *
argument(const struct ex *x, const char *s, size_t n)
{
	const struct op_args *a;
	size_t i;

	if (x->w == NULL)
		return NULL;
	a = x->w->a;
	if (n == 1 && *s >= 'A' && *s <= 'Z')
		return arg_at(a, (size_t)(*s - 'A'));
	for (i = 0; i < a->n; i++)
		if (a->v[i].named && a->v[i].name.n == n &&
		    memcmp(a->v[i].name.s, s, n) == 0)
			return &a->v[i];
	return NULL;
}

/* X[i]: dimension i, counted from the end if negative. */
static struct val
dimension(struct ex *x, const char *s, size_t n)
{
	const struct op_arg *t = argument(x, s, n);
	struct val i;

	x->p += n + 1;
	i = sum(x);
	if (!ex_take(x, ']'))
		return ex_fail(x, "']' expected");
	if (t == NULL || !i.known || i.v < -64 || i.v > 64)
		return unknown;
	return val(arg_dim(x->w->a, t, (int)i.v));
}

/* numel(X) and other functions of an argument, not of a number. */
static struct val
of_argument(struct ex *x, int fn)
{
	const struct op_arg *t;
	size_t n = ex_word(x);

	if (n == 0)
		return ex_fail(x, "an argument expected: A, B, or a name");
	t = argument(x, x->p, n);
	x->p += n;
	if (!ex_take(x, ')'))
		return ex_fail(x, "')' expected");
	return t == NULL ? unknown : val(operand_of(x->w, t, fn));
}

static struct val
of_numbers(struct ex *x, int f)
{
	struct val v[MAX_ARGS] = { { false, 0 } };
	int n = 0;

	do {
		if (n == functions[f].most)
			return ex_fail(x, "too many arguments");
		v[n++] = sum(x);
	} while (ex_take(x, ','));
	if (!ex_take(x, ')'))
		return ex_fail(x, "')' expected");
	if (n < functions[f].least)
		return ex_fail(x, "too few arguments");
	return val_call(f, v, n);
}

static struct val
name(struct ex *x, size_t n)
{
	const char *s = x->p;
	int f, word;

	if (s + n < x->end && s[n] == '[')
		return dimension(x, s, n);
	if (s + n < x->end && s[n] == '(') {
		for (f = 0; f < (int)ARRAY_LEN(functions); f++)
			if (text_is(s, n, functions[f].name)) {
				x->p += n + 1;
				return of_numbers(x, f);
			}
		f = operand_function(s, n);
		if (f < 0)
			return ex_fail(x, "no such function");
		x->p += n + 1;
		return of_argument(x, f);
	}
	word = operand_word(s, n);
	if (word < 0)
		return ex_fail(x, "no such word");
	x->p += n;
	return x->w == NULL ? unknown : val(operand_value(x->w, word));
}

static struct val factor(struct ex *x);

static struct val
atom(struct ex *x)
{
	const char *s;
	struct val r = { true, 0 };
	size_t n;

	if (ex_take(x, '-'))
		return val_apply('-', r, factor(x));
	if (ex_take(x, '(')) {
		r = sum(x);
		return ex_take(x, ')') ? r : ex_fail(x, "')' expected");
	}
	if (ex_peek(x) >= '0' && ex_peek(x) <= '9') {
		for (s = x->p; x->p < x->end && *x->p >= '0' && *x->p <= '9';)
			x->p++;
		if (num_i64(s, (size_t)(x->p - s), &r.v))
			return r;
		x->p = s;
		return ex_fail(x, "number too large");
	}
	n = ex_word(x);
	return n > 0 ? name(x, n) : ex_fail(x, "a number or name expected");
}

/* Limits the depth of calls, so that no text can exhaust the stack. */
static struct val
factor(struct ex *x)
{
	struct val r;

	if (x->depth == MAX_DEPTH)
		return ex_fail(x, "nested too deeply");
	x->depth++;
	r = atom(x);
	x->depth--;
	return r;
}

static struct val
sum(struct ex *x)
{
	struct val r = { true, 0 }, t;
	char c, sign = '+';

	for (;; sign = c) {
		t = factor(x);
		while ((c = ex_peek(x)) == '*' || c == '/' || c == '%') {
			x->p++;
			t = val_apply(c, t, factor(x));
		}
		r = val_apply(sign, r, t);
		if (c != '+' && c != '-')
			return r;
		x->p++;
	}
}

static struct val
ex_whole(struct ex *x)
{
	struct val r = sum(x);

	if (x->err == NULL && ex_peek(x) != '\0')
		return ex_fail(x, "operator expected");
	return x->err == NULL ? r : unknown;
}

int64_t
expr_eval(const char *s, size_t n, const struct kern_work *w)
{
	struct ex x = { .s = s, .p = s, .end = s + n, .w = w };
	struct val r = ex_whole(&x);

	return r.known && r.v >= 0 ? r.v : -1;
}

const char *
expr_check(const char *s, size_t n, size_t *at)
{
	struct ex x = { .s = s, .p = s, .end = s + n };

	ex_whole(&x);
	*at = x.err == NULL ? 0 : (size_t)(x.at - s);
	return x.err;
}
