/*
 * Recurrent networks.
 *
 * Layers, LSTM, GRU and RNN of several steps and layers, which cuDNN runs as
 * many kernels of its own choice:
 *
 *	forward: each of the rows of the input (steps times batch) is
 *		multiplied with each weight matrix once: 2 rows sum(weights)
 *	backward: two gradients of that size, 4 rows sum(weights)
 *
 * where the weights of a layer and direction are (gates h, inputs), (gates h,
 * h) and with a projection (p, h). The element-wise rest is not counted.
 * emit_nvtx gives the weights' sizes; a marker gives only the input, and the
 * module around it prints its own sizes, as in
 *
 *	LSTM(10, 20, num_layers=2, bidirectional=True)
 *
 * How much of the work a kernel does only cuDNN knows, so the kernels share it
 * by their time (flops_hold.c).
 *
 * Cells, LSTMCell, GRUCell and RNNCell, of one step: the kernels come in
 * threes, the product with the input, 2 b (gates h) x, the product with the
 * hidden state, 2 b (gates h) h, and the element-wise rest, which is not
 * counted.
 */
#include <string.h>

#include "flops_rules.h"
#include "num.h"
#include "pat.h"

/* Number i, from 0, of the numbers at the beginning of a recurrent module's
 * print: 10 and 20 of "10, 20, num_layers=2"; -1 if it does not exist. */
static int64_t
repr_size(const struct kern_work *w, int i)
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

/* The number of name=NUMBER, or unset. */
static int64_t
repr_named(const struct kern_work *w, const char *name, int64_t unset)
{
	const char *p = w->repr == NULL ? NULL : strstr(w->repr, name);
	int64_t v;

	if (p == NULL)
		return unset;
	p += strlen(name);
	return num_i64(p, strcspn(p, ","), &v) && v >= 0 ? v : unset;
}

static int
gates_of(const struct kern_work *w)
{
	return w->mod.s[0] == 'L' ? 4 : w->mod.s[0] == 'G' ? 3 : 1;
}

/* Elements of all weight matrices, by the module around a marker: 4 gates for
 * an LSTM, 3 for a GRU, 1 for an RNN. */
static int64_t
weights_by_repr(const struct kern_work *w)
{
	int64_t in = repr_size(w, 0), h = repr_size(w, 1), gates, out, n,
		sum = 0;
	int64_t layers = repr_named(w, "num_layers=", 1);
	int64_t p = repr_named(w, "proj_size=", 0);
	bool two = w->repr != NULL && strstr(w->repr, "bidirectional=True");

	if (in < 0 || h < 0 || w->mod.s == NULL || layers > 4096)
		return -1;
	gates = gates_of(w);
	for (out = p > 0 ? p : h; layers > 0; layers--) {
		n = size_mul(size_mul(gates, h), size_add(in, out));
		sum = size_add(
		    sum, size_mul(two ? 2 : 1, size_add(n, size_mul(p, h))));
		in = two ? size_mul(2, out) : out;
	}
	return sum;
}

/* FLOPs of the whole run; -1 if unknown. */
static int64_t
run_flop(const struct kern_work *w)
{
	const struct op_args *a = w->a;
	const struct op_arg *x = arg_named(a, "input", 0);
	int64_t n, in, weights = 0;
	size_t i;

	if (x == NULL || x->type != ARG_TENSOR || x->nd < 2)
		return -1;
	n = arg_numel(a, x);
	in = arg_dim(a, x, -1);
	if (n < 0 || in <= 0)
		return -1;
	/* from emit_nvtx's sizes: the matrices that follow the input, up to
	 * the first argument that is not a tensor; states have three
	 * dimensions */
	for (i = 1; i < a->n && a->v[i].type == ARG_TENSOR && !a->typed; i++)
		if (a->v[i].nd == 2)
			weights = size_add(weights, arg_numel(a, &a->v[i]));
	if (a->typed)
		weights = weights_by_repr(w);
	else if (weights == 0)
		weights = -1;
	return size_mul(w->bprop ? 4 : 2, size_mul(n / in, weights));
}

void
rnn_count(const struct kern_work *w, struct answer *r, int unused)
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

bool
cell_sizes(const struct kern_work *w, struct cell_sizes *c)
{
	const struct op_arg *x = arg_named(w->a, "input", 0);
	const struct op_arg *h = arg_named(w->a, "hx", 1);

	if (x == NULL || x->nd < 1 || x->nd > 2)
		return false;
	c->b = x->nd == 2 ? arg_dim(w->a, x, 0) : 1;
	c->x = arg_dim(w->a, x, -1);
	c->h = h != NULL && h->type == ARG_TENSOR ? arg_dim(w->a, h, -1)
						  : repr_size(w, 1);
	if (c->h <= 0)
		return false;
	c->mult = gates_of(w);
	return true;
}

/* The sizes of a cell in emit_nvtx: input, hidden state (LSTM: two), the two
 * weights (gates x hidden, input or hidden). */
static bool
cell_by_weights(const struct kern_work *w, int weight, struct cell_sizes *c)
{
	const struct op_args *a = w->a;
	const struct op_arg *x = arg_tensor(a, 0);
	const struct op_arg *wi = arg_tensor(a, (size_t)weight);
	const struct op_arg *wh = arg_tensor(a, (size_t)weight + 1);

	if (a->typed || x == NULL || wi == NULL || wh == NULL || x->nd > 2 ||
	    wi->nd != 2 || wh->nd != 2)
		return false;
	c->b = x->nd == 2 ? arg_dim(a, x, 0) : 1;
	c->x = arg_dim(a, x, -1);
	c->h = arg_dim(a, wh, 1);
	if (arg_dim(a, wi, 1) != c->x || c->h <= 0)
		return false;
	c->mult = arg_dim(a, wh, 0) / c->h;
	return true;
}

/* Each of the two products is a kernel and is counted. In forward the order
 * shows which of the two it is, in backward the sequence id;
 * w->sub has the answer. */
void
cell_count(const struct kern_work *w, struct answer *r, int weight)
{
	struct cell_sizes c;
	int64_t k;

	if (w->k->part != KP_MAIN) {
		r->family = FAM_RNN;
		return;
	}
	r->eligible = true;
	r->each = true;
	r->role = ROLE_MAIN;
	if (weight > 0 ? !cell_by_weights(w, weight, &c) : !cell_sizes(w, &c))
		return;
	if (c.x != c.h && w->sub > 1)
		return;
	k = w->sub == 0 ? c.x : c.h;
	r->flop =
	    size_mul(size_mul(2, c.b), size_mul(size_mul(c.mult, c.h), k));
}
