/* Ops over whole tensors: reductions, norms, softmax, dropout, losses. */
#include "rule.h"

static const struct arg *
first(const struct call *c)
{
	return c->m->n > 0 ? &c->m->arg[0] : NULL;
}

/* The first, or the one called input. */
static const struct arg *
input(const struct call *c)
{
	const struct arg *a = first(c);

	return a == NULL || arg_unnamed(a) || c->last ? a : named(c, "input");
}

static void
nothing(struct pynum *n)
{
	*n = pynum_int(0);
}

bool
rule_sum(const struct call *c, struct result *r)
{
	const struct arg *a = input(c);

	if (a == NULL || !plain(r, a, 1, 1))
		return false;
	if (c->last && c->sub > 0)
		nothing(&r->bytes);
	return true;
}

bool
rule_mean(const struct call *c, struct result *r)
{
	const struct arg *v[2];
	int n = unnamed(c, v, 2);

	if (n < 1 || n > 2 || !plain(r, v[0], 1, 1))
		return false;
	r->flops.i = pynum_add(r->flops.i, 1);
	if (c->last) {
		r->params.len = 0;
		tensor_put(&r->params, &v[0]->shape, v[0]->dtype);
		r->bytes.i = pynum_add(r->bytes.i, dtype_size(v[0]->dtype));
	}
	if (c->sub > 0) {
		nothing(&r->bytes);
		nothing(&r->flops);
	}
	return true;
}

bool
rule_norm(const struct call *c, struct result *r)
{
	const struct arg *a = first(c);

	if (a == NULL || !plain(r, a, 2, 1))
		return false;
	r->flops.i = pynum_add(r->flops.i, 1);
	if (c->last && c->sub > 0) {
		nothing(&r->bytes);
		nothing(&r->flops);
	}
	return true;
}

bool
rule_dropout(const struct call *c, struct result *r)
{
	return first(c) != NULL && plain(r, first(c), 5, 2);
}

static bool
softmax(const struct call *c, struct result *r, int64_t flops)
{
	const struct arg *v[2];
	int n = unnamed(c, v, 2);

	return n >= 1 && n <= 2 &&
	       plain(r, v[0], c->last ? flops : 0, c->bwd ? 5 : 3);
}

bool
rule_softmax(const struct call *c, struct result *r)
{
	return softmax(c, r, 40);
}

bool
rule_log_softmax(const struct call *c, struct result *r)
{
	return softmax(c, r, 21);
}

bool
rule_batch_norm(const struct call *c, struct result *r)
{
	if (first(c) == NULL || !plain(r, first(c), 8, c->bwd ? 5 : 4))
		return false;
	if (c->last && c->sub > 0)
		nothing(&r->bytes);
	return true;
}

bool
rule_activation(const struct call *c, struct result *r)
{
	const struct arg *v[1];

	return unnamed(c, v, 1) >= 1 && plain(r, v[0], 1, c->bwd ? 3 : 2);
}

/* The reduction's name stands in the parameters. */
bool
rule_mse_loss(const struct call *c, struct result *r)
{
	const struct arg *v = c->m->arg;
	struct mview red;
	int64_t per;

	if (c->m->n != 3 || !is_tensor(&v[0]) || !is_tensor(&v[1]) ||
	    !shape_same(&v[0].shape, &v[1].shape) || v[2].value.n < 3)
		return false;
	red = (struct mview){ v[2].value.s + 1, v[2].value.n - 2 };
	per = (c->bwd ? 3 : 2) + mv_eq(red, "none");
	if (!plain(r, &v[0], 2 * per, per))
		return false;
	r->flops.i = pynum_add(r->flops.i, 1);
	buf_puts(&r->params, "red=");
	buf_put(&r->params, red.s, red.n);
	buf_putc(&r->params, ',');
	return true;
}

/* Apex's: weights, half precision copy, two moments, gradient, ... */
bool
rule_adam(const struct call *c, struct result *r)
{
	const struct arg *v = c->m->arg;
	int64_t n, s, g;

	if ((c->m->n != 12 && c->m->n != 14) || !is_tensor(&v[0]) ||
	    !is_tensor(&v[4]) || !shape_same(&v[0].shape, &v[4].shape) ||
	    !mv_eq(v[0].dtype, "float32"))
		return false;
	n = shape_elems(&v[0].shape);
	s = dtype_size(v[0].dtype);
	g = dtype_size(v[4].dtype);
	r->bytes = pynum_int(pynum_mul(n, 6 * s + (g == s ? g : 2 * g)));
	if (c->last && c->sub > 0)
		nothing(&r->bytes);
	put_shape(r, "T", &v[0].shape);
	return put_type(r, v[0].dtype) && put_type(r, v[4].dtype);
}

bool
rule_randperm(const struct call *c, struct result *r)
{
	int64_t n;

	if (c->m->n != 1 || !arg_is(&c->m->arg[0], "int") ||
	    !arg_int(&c->m->arg[0], &n))
		return false;
	put_int(r, "N", n);
	r->flops = pynum_int(pynum_mul(3, n));
	r->bytes = pynum_int(pynum_mul(8, n));
	return true;
}
