/*
 * PyProf's params column. What PyProf 3 and its predecessor in apex print
 * for each class of ops is written as a pattern:
 *
 *	#i   the shape of argument i, as a tuple
 *	@i   its type in PyProf's words, and a comma
 *	%i   its value: a number or a string
 *	^i   its first dimension
 *	*    the shapes of all tensors among the positional arguments, [..]
 *	+    the same with the keyword arguments
 *	&    the type of the first of those tensors
 *	=    the type that the op's name is: half() to fp16
 *
 * other characters stand for themselves. Each field ends in a comma.
 */
#include <string.h>

#include "params.h"

void
params_tuple(struct buf *b, const struct args *a, const struct arg *t)
{
	size_t i;

	buf_putc(b, '(');
	for (i = 0; i < t->nd; i++) {
		if (i > 0)
			buf_putc(b, ',');
		buf_i64(b, a->dims[t->dim + i]);
	}
	if (t->nd == 1)
		buf_putc(b, ',');
	buf_putc(b, ')');
}

void
params_dtype(struct buf *b, const struct work *w, const struct arg *t)
{
	enum dtype dt = DT_NONE;

	if (t != NULL && t->dtype != NULL) {
		dt_pyprof(b, t->dtype, t->dtype_len);
	} else {
		if (t == NULL || !w->a->typed)
			dt = w->k->dt;
		if (dt == DT_NONE)
			return;
		buf_puts(b, dt_name(dt));
	}
	buf_putc(b, ',');
}

static void
put_shapes(const struct work *w, struct buf *b, bool named)
{
	const struct args *a = w->a;
	const char *sep = "";
	size_t i;

	buf_putc(b, '[');
	for (i = 0; i < a->n; i++) {
		if (a->v[i].type != ARG_TENSOR || (a->v[i].named && !named))
			continue;
		buf_puts(b, sep);
		params_tuple(b, a, &a->v[i]);
		sep = ",";
	}
	buf_putc(b, ']');
}

/* All shapes, and all types as Python prints them. */
bool
params_any(const struct work *w, struct buf *b)
{
	const struct args *a = w->a;
	const char *sep = "";
	size_t i;

	if (a->n == 0 && !a->typed)
		return false;
	buf_puts(b, "T=");
	put_shapes(w, b, true);
	buf_putc(b, ',');
	if (!a->typed)
		return true;
	buf_putc(b, '[');
	for (i = 0; i < a->n; i++) {
		if (a->v[i].type != ARG_TENSOR || a->v[i].dtype == NULL)
			continue;
		buf_puts(b, sep);
		buf_putc(b, '\'');
		buf_put(b, a->v[i].dtype, a->v[i].dtype_len);
		buf_putc(b, '\'');
		sep = ",";
	}
	buf_putc(b, ']');
	return true;
}

static bool
put_value(struct buf *b, const struct arg *g)
{
	if (g->type == ARG_INT || g->type == ARG_BOOL)
		buf_i64(b, g->ival);
	else if (g->str != NULL)
		buf_put(b, g->str, g->str_len);
	else
		return false;
	return true;
}

/* One field of argument g; false if the argument is not of that kind. */
static bool
put_field(const struct work *w, struct buf *b, char what, const struct arg *g)
{
	if (g == NULL || g->bad)
		return false;
	switch (what) {
	case '#':
		if (g->type == ARG_TENSOR)
			params_tuple(b, w->a, g);
		else
			buf_puts(b, "(1,)"); /* a Python scalar */
		return true;
	case '@':
		if (g->type == ARG_TENSOR) {
			params_dtype(b, w, g);
		} else if (g->type_txt != NULL) {
			dt_pyprof(b, g->type_txt, g->type_len);
			buf_putc(b, ',');
		}
		return true;
	case '%':
		return put_value(b, g);
	default: /* '^' */
		if (g->nd == 0)
			return false;
		buf_i64(b, w->a->dims[g->dim]);
		return true;
	}
}

/* The positional argument number i (PyProf leaves out the named ones). */
static const struct arg *
positional(const struct args *a, size_t i)
{
	size_t k;

	for (k = 0; k < a->n; k++)
		if (!a->v[k].named && i-- == 0)
			return &a->v[k];
	return NULL;
}

bool
params_spec(const struct work *w, const char *spec, struct buf *b)
{
	const char *p;

	for (p = spec; *p != '\0'; p++) {
		switch (*p) {
		case '#':
		case '@':
		case '%':
		case '^':
			if (!put_field(w, b, *p,
				positional(w->a, (size_t)(p[1] - '0'))))
				return false;
			p++;
			break;
		case '*':
		case '+':
			put_shapes(w, b, *p == '+');
			break;
		case '&':
			params_dtype(b, w, arg_tensor(w->a, 0));
			break;
		case '=':
			if (p > spec && p[-1] > '9') { /* behind a name */
				buf_putc(b, '=');
				break;
			}
			dt_pyprof(b, w->op, w->op_len);
			buf_putc(b, ',');
			break;
		default:
			buf_putc(b, *p);
		}
	}
	return true;
}
