/*
 * Element-wise ops of PyProf's list: one operation per element of the
 * (broadcast) result, each input read once and the result written once. The
 * functions that take several instructions (exp, log, sin, pow) are not
 * counted: how many is the device's affair.
 */
#include "rules.h"

#define MAX_DIMS 64

/* out[i], from the last dimension on, is broadcast with t; false if they do
 * not fit. */
static bool
broadcast(const struct args *a, const struct arg *t, int64_t *out, size_t *nd)
{
	size_t i;
	int64_t d;

	if (t->bad || t->nd > MAX_DIMS)
		return false;
	for (i = 0; i < t->nd; i++) {
		d = a->dims[t->dim + t->nd - 1 - i];
		if (i == *nd)
			out[(*nd)++] = d;
		else if (out[i] == 1)
			out[i] = d;
		else if (d != out[i] && d != 1)
			return false;
	}
	return true;
}

/* The tensors' bytes, and the result's elements; false if unknown. */
static bool
operands(const struct work *w, int64_t *bytes, int64_t *n_out)
{
	const struct args *a = w->a;
	const struct arg *t;
	int64_t out[MAX_DIMS];
	size_t i, nd = 0;

	*bytes = 0;
	*n_out = 1;
	for (i = 0; i < a->n; i++) {
		t = &a->v[i];
		if (t->type != ARG_TENSOR || t->named)
			continue;
		if (!broadcast(a, t, out, &nd))
			return false;
		*bytes = size_add(*bytes,
		    size_mul(arg_numel(a, t), dt_size(t->dt)));
		if (t->dt == DT_NONE || dt_size(t->dt) == 0)
			*bytes = -1;
	}
	for (i = 0; i < nd; i++)
		*n_out = size_mul(*n_out, out[i]);
	return nd > 0;
}

void
point_count(const struct work *w, struct answer *r, int kind)
{
	const struct arg *t = arg_tensor(w->a, 0);
	int64_t in, n, size;

	if (w->bprop || t == NULL || !w->a->typed || !operands(w, &in, &n))
		return; /* a backward's own ops are not these */
	size = kind == PW_COMPARE ? 1 : dt_size(t->dt);
	r->role = ROLE_MAIN;
	r->flop = kind == PW_TERNARY ? size_mul(3, n) : n;
	if (size > 0)
		r->bytes = size_add(in, size_mul(n, size));
}
