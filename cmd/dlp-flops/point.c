/*
 * Element-wise ops of PyProf's list, and others that touch each element of
 * their input a fixed number of times.
 *
 * Binary and ternary ops: one operation per element of the
 * (broadcast) result, each input read once and the result written once. The
 * functions that take several instructions (exp, log, sin, pow) are not
 * counted: how many is the device's affair.
 */
#include <string.h>

#include "point.h"
#include "size.h"

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
	enum dtype dt;

	*bytes = 0;
	*n_out = 1;
	for (i = 0; i < a->n; i++) {
		t = &a->v[i];
		if (t->type != ARG_TENSOR || t->named)
			continue;
		if (!broadcast(a, t, out, &nd))
			return false;
		dt = a->typed ? t->dt : w->k->dt;
		*bytes = size_add(*bytes,
		    dt_size(dt) == 0 ? -1
				     : size_mul(arg_numel(a, t), dt_size(dt)));
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

	if (w->bprop || t == NULL || !operands(w, &in, &n))
		return; /* a backward's own ops are not these */
	size = kind == PW_COMPARE ? 1 : dt_size(work_dtype(w));
	r->role = ROLE_MAIN;
	r->flop = kind == PW_TERNARY ? size_mul(3, n) : n;
	if (size > 0)
		r->bytes = size_add(in, size_mul(n, size));
}

/* Per element of the first tensor: operations, and elements moved, forward
 * and backward; -1 is unknown. */
static const struct {
	int flop, moves, back_flop, back_moves;
	int mask; /* further bytes, forward and backward alike */
} per_element[] = {
	/* compare; backward reads gradient and input or output */
	[PE_RELU] = { 1, 2, 1, 3, 0 },
	/* how many operations exp takes is the device's affair; backward
	 * reads gradient and output */
	[PE_SOFTMAX] = { -1, 2, -1, 3, 0 },
	/* random numbers are not counted; the mask is one byte */
	[PE_DROPOUT] = { -1, 2, -1, 2, 1 },
	/* a copy; its backward has no kernel of its own */
	[PE_COPY] = { 0, 2, -1, -1, 0 },
};

void
element_count(const struct work *w, struct answer *r, int kind)
{
	const struct arg *t = arg_named(w->a, "input", 0);
	int flop =
	    w->bprop ? per_element[kind].back_flop : per_element[kind].flop;
	int moves =
	    w->bprop ? per_element[kind].back_moves : per_element[kind].moves;
	int64_t n, size;

	if (t == NULL || t->type != ARG_TENSOR)
		return;
	n = arg_numel(w->a, t);
	size = dt_size(w->a->typed ? t->dt : w->k->dt);
	r->role = ROLE_MAIN;
	r->flop = size_mul(n, flop);
	if (size > 0 && moves > 0)
		r->bytes = size_mul(n, moves * size + per_element[kind].mask);
}

/* The rows of a table by index: no arithmetic; reads the indices and the
 * rows, writes the rows. Backward is a sum whose cost depends on the values
 * of the indices. torch.nn.functional takes the indices first, torch and
 * aten the table. */
void
embedding_count(const struct work *w, struct answer *r, int unused)
{
	static const char fn[] = "torch.nn.functional";
	bool functional =
	    w->mod_len == sizeof(fn) - 1 && memcmp(w->mod, fn, w->mod_len) == 0;
	const struct arg *e = arg_at(w->a, functional ? 1 : 0);
	const struct arg *i = arg_at(w->a, functional ? 0 : 1);
	int64_t n, row;

	(void)unused;
	if (w->bprop || e == NULL || i == NULL || e->nd != 2)
		return;
	n = arg_numel(w->a, i);
	row = size_mul(2, size_mul(n, arg_dim(w->a, e, 1)));
	r->role = ROLE_MAIN;
	r->flop = 0;
	if (dt_size(e->dt) > 0 && dt_size(i->dt) > 0)
		r->bytes = size_add(
		    size_mul(n, dt_size(i->dt)), size_mul(row, dt_size(e->dt)));
}
