/* Ops that move data: copies, conversions, filling; and all others. */
#include "rule.h"

static const struct arg *
first(const struct call *c)
{
	return c->m->n > 0 ? &c->m->arg[0] : NULL;
}

/* Bytes of a copy between two types; 0 if one is not known. */
static bool
copied(
    struct result *r, const struct shape *s, struct mview from, struct mview to)
{
	int64_t a = dtype_size(from), b = dtype_size(to);

	r->bytes = pynum_int(pynum_mul(shape_elems(s), a + b));
	return a > 0 && b > 0;
}

bool
rule_convert(const struct call *c, struct result *r)
{
	static const struct shape scalar = { 1, { 1 } }, none = { 0, { 0 } };
	const struct arg *a = first(c);
	bool tensor = a != NULL && arg_is(a, "tensor");
	const struct shape *s = tensor ? &a->shape : c->last ? &none : &scalar;
	struct mview from, to;

	if (c->m->n != 1 || !mv_eq(c->m->mod, "Tensor"))
		return false;
	from = tensor ? a->dtype : a->type;
	to = mv_eq(c->m->op, "to") ? from : c->m->op;
	if (!copied(r, s, from, to))
		return false;
	if (c->last) {
		tensor_put(&r->params, s, from);
		return true;
	}
	put_shape(r, "T", s);
	return put_type(r, from) && put_type(r, to);
}

bool
rule_copy(const struct call *c, struct result *r)
{
	const struct arg *dst = first(c), *src = &c->m->arg[1];
	struct mview from;

	if (!mv_eq(c->m->mod, "Tensor") || c->m->n < 2 ||
	    (!c->last && c->m->n != 2) || !is_tensor(dst))
		return false;
	from = is_tensor(src) ? src->dtype : src->type;
	if (is_tensor(src) ? !shape_same(&src->shape, &dst->shape)
			   : !c->last || src->value.s == NULL)
		return false;
	put_shape(r, "T", &dst->shape);
	return copied(r, &dst->shape, from, dst->dtype) && put_type(r, from) &&
	       put_type(r, dst->dtype);
}

bool
rule_clone(const struct call *c, struct result *r)
{
	return c->m->n == 1 && plain(r, first(c), 0, 2);
}

bool
rule_contiguous(const struct call *c, struct result *r)
{
	return c->m->n == 1 && plain(r, first(c), 0, 2);
}

bool
rule_any(const struct call *c, struct result *r)
{
	return (c->m->n == 1 || (c->last && c->m->n == 2)) &&
	       plain(r, first(c), 0, 1);
}

bool
rule_reshape(const struct call *c, struct result *r)
{
	return first(c) != NULL && plain(r, first(c), 0, 0);
}

/* Of the later rules: a tensor that is written, its type float if it is not
 * in the arguments. */
static bool
filled(struct result *r, const struct shape *s, struct mview type)
{
	tensor_put(&r->params, s, type);
	r->bytes = pynum_int(pynum_mul(shape_elems(s), dtype_size(type)));
	return dtype_size(type) > 0;
}

bool
rule_one_zero(const struct call *c, struct result *r)
{
	static const struct mview fp = { "float", 5 };
	const struct arg *a = first(c);
	struct shape s;

	if (a == NULL || c->m->n != 1)
		return false;
	if (is_tensor(a))
		return filled(r, &a->shape, a->dtype);
	return arg_ints(a, &s) && filled(r, &s, fp);
}

bool
rule_fill(const struct call *c, struct result *r)
{
	return c->m->n == 2 && is_tensor(first(c)) &&
	       filled(r, &first(c)->shape, first(c)->dtype);
}

bool
rule_full(const struct call *c, struct result *r)
{
	struct shape s;

	return c->m->n == 2 && arg_ints(first(c), &s) &&
	       filled(r, &s, c->m->arg[1].type);
}

/* All else: nothing but the shapes and types. */
bool
rule_other(const struct call *c, struct result *r)
{
	struct buf *b = &r->params;
	bool any = false;
	int i, k;

	for (k = 0; k < 2; k++) {
		buf_puts(b, k == 0 ? "T=[" : "[");
		any = false;
		for (i = 0; i < c->m->n; i++) {
			const struct arg *a = &c->m->arg[i];

			if (!arg_is(a, "tensor"))
				continue;
			if (any)
				buf_putc(b, ',');
			any = true;
			if (k == 0) {
				shape_put(b, &a->shape, "()");
				continue;
			}
			buf_putc(b, '\'');
			buf_put(b, a->dtype.s, a->dtype.n);
			buf_putc(b, '\'');
		}
		buf_puts(b, k == 0 ? "]," : "]");
	}
	return true;
}
