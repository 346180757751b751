/*
 * Rule expressions, evaluated as they are read: a rule's answer is found once
 * per op and kernel name. What is unknown makes what is computed from it
 * unknown. See expr.h.
 */
#include <string.h>

#include "expr.h"
#include "expr_val.h"
#include "num.h"
#include "operand.h"

#define MAX_DEPTH 64 /* of brackets and signs */

struct ex {
	const char *s, *p, *end;
	const struct work *w; /* NULL: only the grammar is checked */
	int depth;
	const char *err; /* the first error; all stops */
	const char *at;
};

static struct val sum(struct ex *x);
static struct val factor(struct ex *x);

static struct val
fail(struct ex *x, const char *why)
{
	if (x->err == NULL) {
		x->err = why;
		x->at = x->p;
	}
	return unknown;
}

static char
peek(struct ex *x)
{
	while (x->p < x->end && (*x->p == ' ' || *x->p == '\t'))
		x->p++;
	return x->p < x->end && x->err == NULL ? *x->p : '\0';
}

static bool
take(struct ex *x, char c)
{
	if (peek(x) != c || c == '\0')
		return false;
	x->p++;
	return true;
}

static bool
letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t
word(struct ex *x)
{
	size_t n = 0;

	peek(x);
	while (x->p + n < x->end &&
	       (letter(x->p[n]) || (n > 0 && x->p[n] >= '0' && x->p[n] <= '9')))
		n++;
	return n;
}

/* An argument: a capital letter tells its place, A the first; another word
 * is the name of a keyword argument. */
static bool
is_place(const char *s, size_t n)
{
	return n == 1 && *s >= 'A' && *s <= 'Z';
}

static const struct arg *
argument(const struct ex *x, const char *s, size_t n)
{
	const struct args *a;
	size_t i;

	if (x->w == NULL)
		return NULL;
	a = x->w->a;
	if (is_place(s, n))
		return arg_at(a, (size_t)(*s - 'A'));
	for (i = 0; i < a->n; i++)
		if (a->v[i].named && a->v[i].name_len == n &&
		    memcmp(a->v[i].name, s, n) == 0)
			return &a->v[i];
	return NULL;
}

/* X[i]: dimension i, from the end if negative. */
static struct val
dimension(struct ex *x, const char *s, size_t n)
{
	const struct arg *t = argument(x, s, n);
	struct val i;

	x->p += n + 1;
	i = sum(x);
	if (!take(x, ']'))
		return fail(x, "']' expected");
	if (t == NULL || !i.known || i.v < -64 || i.v > 64)
		return unknown;
	return val(arg_dim(x->w->a, t, (int)i.v));
}

/* numel(X) and the like: functions of an argument, not of a number. */
static struct val
of_argument(struct ex *x, operand_fn *fn)
{
	const struct arg *t;
	size_t n = word(x);

	if (n == 0)
		return fail(x, "an argument expected: A, B, or a name");
	t = argument(x, x->p, n);
	x->p += n;
	if (!take(x, ')'))
		return fail(x, "')' expected");
	return t == NULL ? unknown : val(fn(x->w, t));
}

static struct val
function(struct ex *x, const struct val_fn *f)
{
	struct val v[VAL_ARGS] = { { false, 0 } };
	int n = 0;

	do {
		if (n == f->most)
			return fail(x, "too many arguments");
		v[n++] = sum(x);
	} while (take(x, ','));
	if (!take(x, ')'))
		return fail(x, "')' expected");
	if (n < f->least)
		return fail(x, "too few arguments");
	return f->call(v, n);
}

static struct val
name(struct ex *x, size_t n)
{
	const char *s = x->p;
	operand_fn *fn;
	value_fn *value;
	const struct val_fn *f;

	if (s + n < x->end && s[n] == '[')
		return dimension(x, s, n);
	if (s + n < x->end && s[n] == '(') {
		f = val_function(s, n);
		if (f != NULL) {
			x->p += n + 1;
			return function(x, f);
		}
		fn = operand_function(s, n);
		if (fn == NULL)
			return fail(x, "no such function");
		x->p += n + 1;
		return of_argument(x, fn);
	}
	value = operand_value(s, n);
	if (value == NULL)
		return fail(x, "no such word");
	x->p += n;
	return x->w == NULL ? unknown : val(value(x->w));
}

static struct val
number(struct ex *x)
{
	const char *s = x->p;
	int64_t v;

	while (x->p < x->end && *x->p >= '0' && *x->p <= '9')
		x->p++;
	if (!num_i64(s, (size_t)(x->p - s), &v)) {
		x->p = s;
		return fail(x, "number too large");
	}
	return (struct val){ true, v };
}

static struct val
atom(struct ex *x)
{
	struct val r;
	size_t n;

	if (take(x, '-'))
		return val_apply('-', (struct val){ true, 0 }, factor(x));
	if (take(x, '(')) {
		r = sum(x);
		return take(x, ')') ? r : fail(x, "')' expected");
	}
	if (peek(x) >= '0' && peek(x) <= '9')
		return number(x);
	n = word(x);
	return n > 0 ? name(x, n) : fail(x, "a number or name expected");
}

/* The depth is that of calls, so that no text can exhaust the stack. */
static struct val
factor(struct ex *x)
{
	struct val r;

	if (x->depth == MAX_DEPTH)
		return fail(x, "nested too deeply");
	x->depth++;
	r = atom(x);
	x->depth--;
	return r;
}

static struct val
term(struct ex *x)
{
	struct val r = factor(x);
	char c;

	while ((c = peek(x)) == '*' || c == '/' || c == '%') {
		x->p++;
		r = val_apply(c, r, factor(x));
	}
	return r;
}

static struct val
sum(struct ex *x)
{
	struct val r = term(x);
	char c;

	while ((c = peek(x)) == '+' || c == '-') {
		x->p++;
		r = val_apply(c, r, term(x));
	}
	return r;
}

static struct val
whole(struct ex *x)
{
	struct val r = sum(x);

	if (x->err == NULL && peek(x) != '\0')
		return fail(x, "operator expected");
	return x->err == NULL ? r : unknown;
}

int64_t
expr_eval(const char *s, size_t n, const struct work *w)
{
	struct ex x = { .s = s, .p = s, .end = s + n, .w = w };
	struct val r = whole(&x);

	return r.known && r.v >= 0 ? r.v : -1;
}

const char *
expr_check(const char *s, size_t n, size_t *at)
{
	struct ex x = { .s = s, .p = s, .end = s + n };

	whole(&x);
	*at = x.err == NULL ? 0 : (size_t)(x.at - s);
	return x.err;
}
