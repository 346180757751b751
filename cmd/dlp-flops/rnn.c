/*
 * Recurrent layers: LSTM, GRU and RNN of several steps and layers, which cuDNN
 * runs as many kernels of its own choice.
 *
 *	forward: each of the rows of the input (steps times batch) is
 *		multiplied with each weight matrix once: 2 rows sum(weights)
 *	backward: two gradients of that size, 4 rows sum(weights)
 *
 * where the weights of a layer and direction are (gates h, inputs), (gates h,
 * h) and with a projection (p, h). The element-wise rest is not counted.
 * emit_nvtx gives the weights' sizes; a marker gives the input alone, and the
 * module around it its own sizes. Which kernel does how much of it only cuDNN
 * knows: they share it by their time.
 */
#include <string.h>

#include "num.h"
#include "pat.h"
#include "rnn.h"
#include "size.h"

int64_t
repr_size(const struct work *w, int i)
{
	const char *s = w->repr, *end;
	int64_t v;

	if (s == NULL)
		return -1;
	for (;; s = end + 1) {
		s += strspn(s, " ");
		end = s + strcspn(s, ",");
		if (!num_i64(s, (size_t)(end - s), &v) || v <= 0)
			return -1;
		if (i-- == 0)
			return v;
		if (*end == '\0')
			return -1;
	}
}

/* The number behind name=, or unset. */
static int64_t
repr_named(const struct work *w, const char *name, int64_t unset)
{
	const char *p = w->repr == NULL ? NULL : strstr(w->repr, name);
	int64_t v;

	if (p == NULL)
		return unset;
	p += strlen(name);
	return num_i64(p, strcspn(p, ","), &v) && v >= 0 ? v : unset;
}

/* Elements of all weight matrices of the module around a marker. */
static int64_t
by_repr(const struct work *w)
{
	int64_t in = repr_size(w, 0), h = repr_size(w, 1), gates, out, n,
		sum = 0;
	int64_t layers = repr_named(w, "num_layers=", 1);
	int64_t p = repr_named(w, "proj_size=", 0);
	bool two = w->repr != NULL && strstr(w->repr, "bidirectional=True");

	if (in < 0 || h < 0 || w->mod == NULL || layers > 4096)
		return -1;
	gates = w->mod[0] == 'L' ? 4 : w->mod[0] == 'G' ? 3 : 1;
	for (out = p > 0 ? p : h; layers > 0; layers--) {
		n = size_mul(size_mul(gates, h), size_add(in, out));
		sum = size_add(
		    sum, size_mul(two ? 2 : 1, size_add(n, size_mul(p, h))));
		in = two ? size_mul(2, out) : out;
	}
	return sum;
}

/* The same from emit_nvtx's sizes: the matrices behind the input, up to the
 * first argument that is no tensor. States have three dimensions. */
static int64_t
by_sizes(const struct args *a)
{
	int64_t sum = 0;
	size_t i;

	for (i = 1; i < a->n && a->v[i].type == ARG_TENSOR; i++)
		if (a->v[i].nd == 2)
			sum = size_add(sum, arg_numel(a, &a->v[i]));
	return sum > 0 ? sum : -1;
}

/* Of the whole run; -1 if unknown. */
static int64_t
run_flop(const struct work *w)
{
	const struct arg *x = arg_named(w->a, "input", 0);
	int64_t n, in, weights;

	if (x == NULL || x->type != ARG_TENSOR || x->nd < 2)
		return -1;
	n = arg_numel(w->a, x);
	in = arg_dim(w->a, x, -1);
	if (n < 0 || in <= 0)
		return -1;
	weights = w->a->typed ? by_repr(w) : by_sizes(w->a);
	return size_mul(w->bprop ? 4 : 2, size_mul(n / in, weights));
}

void
rnn_count(const struct work *w, struct answer *r, int unused)
{
	int64_t flop = run_flop(w);

	(void)unused;
	r->eligible = false;
	r->role = ROLE_AUX;
	r->flop = flop < 0 ? -1 : 0;
	if (w->k->part != KP_MAIN ||
	    pat_match("elemwise|elementwise|pointwise", w->k->lower, w->k->len))
		return;
	r->eligible = true;
	r->role = ROLE_MAIN;
	r->flop = flop;
	r->shared = flop > 0;
}
