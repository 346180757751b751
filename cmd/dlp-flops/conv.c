/*
 * Convolutions of one to three dimensions, transposed ones, and their
 * gradients.
 *
 *	input (N, C, i..), weight (K, C/g, r..), output (N, K, o..):
 *		2 N K C/g prod(r) prod(o)
 *	transposed: input (N, C, i..), weight (C, K/g, r..):
 *		2 N C K/g prod(r) prod(i)
 *	bytes: input, weight and output once
 *
 * as torch.utils.flop_counter counts them (conv_flop_count), except the weight
 * gradient of a grouped convolution, which it makes g times too large. Each
 * gradient is a convolution of the same size. The output's size follows from
 * the marker's arguments; emit_nvtx gives it as the size of a backward's
 * gradient.
 *
 *	input (64, 3, 32, 32), weight (6, 3, 5, 5), output (64, 6, 28, 28):
 *		2 * 64 * 6 * 3 * 5 * 5 * 28 * 28 = 45,158,400 FLOPs
 */

#include <string.h>

#include "flops_rules.h"

/* An argument that is one number for all dimensions, or one for each. */
static bool
spatial_arg(const struct kern_work *w, const char *name, int place,
    int64_t unset, int nsp, int64_t *v)
{
	int i;

	for (i = 0; i < nsp; i++) {
		v[i] = operand_spatial(w, name, place, (size_t)i, unset);
		if (v[i] < 0 || v[i] > INT32_MAX)
			return false;
	}
	return true;
}

/* Stride, padding and dilation; only a marker has them. Places as in
 * torch.nn.functional.convNd and conv_transposeNd. */
static bool
conv_args(const struct kern_work *w, struct conv_sizes *c, bool transposed)
{
	const struct op_arg *p = arg_named(w->a, "padding", 4);
	int i;

	if (!w->a->typed ||
	    !spatial_arg(w, "stride", 3, 1, c->nsp, c->stride) ||
	    !spatial_arg(w, "dilation", transposed ? 7 : 5, 1, c->nsp, c->dil))
		return false;
	for (i = 0; i < c->nsp; i++)
		if (c->stride[i] == 0 || c->dil[i] == 0)
			return false;
	if (p != NULL && p->type == ARG_STR) {
		c->same = mv_eq(p->str, "same");
		return true; /* "valid" means no padding */
	}
	return spatial_arg(w, "padding", 4, 0, c->nsp, c->pad);
}

static bool
conv_out(const struct kern_work *w, struct conv_sizes *c, bool transposed)
{
	int64_t extra[CONV_SPATIAL], span, len;
	int i;

	if (transposed &&
	    !spatial_arg(w, "output_padding", 5, 0, c->nsp, extra))
		return false;
	for (i = 0; i < c->nsp; i++) {
		span = size_add(size_mul(c->dil[i], c->r[i] - 1), 1);
		if (c->same)
			c->out[i] = (c->in[i] - 1) / c->stride[i] + 1;
		else if (transposed) {
			len = size_mul(c->in[i] - 1, c->stride[i]);
			len = size_add(size_add(len, span), extra[i]);
			c->out[i] = len - 2 * c->pad[i];
		} else {
			len = size_add(c->in[i], 2 * c->pad[i]);
			if (len < 0 || span < 0 || len < span)
				return false;
			c->out[i] = (len - span) / c->stride[i] + 1;
		}
		if (c->out[i] < 0)
			return false;
	}
	return true;
}

/* The output's size from a gradient. A backward's own sizes begin with the size
 * of the output; a forward op has the size of its result, or of its backward's
 * gradient if that came in time. */
static bool
grad_out(const struct op_args *a, struct conv_sizes *c)
{
	const struct op_arg *g = a == NULL ? NULL : arg_tensor(a, 0);
	int i;

	if (g == NULL || g->bad || (int)g->nd < c->nsp + 1)
		return false;
	if (c->k < 0)
		c->k = arg_dim(a, g, -c->nsp - 1);
	else if (arg_dim(a, g, -c->nsp - 1) != c->k)
		return false;
	if ((int)g->nd == c->nsp + 2 && arg_dim(a, g, 0) != c->n)
		return false;
	for (i = 0; i < c->nsp; i++)
		c->out[i] = arg_dim(a, g, i - c->nsp);
	return true;
}

bool
conv_sizes(const struct kern_work *w, int flags, struct conv_sizes *c)
{
	const struct op_args *a = w->a;
	int at = (flags & CONV_BACKWARD) != 0;
	bool transposed = (flags & CONV_TRANSPOSED) != 0;
	const struct op_arg *x = arg_named(a, "input", at);
	const struct op_arg *wt = arg_named(a, "weight", at + 1);
	const struct op_arg *groups = arg_named(a, "groups", 6);
	int64_t c0, c1;
	int i;

	memset(c, 0, sizeof(*c));
	if (x == NULL || wt == NULL || x->bad || wt->bad || wt->nd < 3 ||
	    wt->nd > 2 + CONV_SPATIAL || x->nd + 1 < wt->nd || x->nd > wt->nd)
		return false;
	c->nsp = (int)wt->nd - 2;
	c->n = x->nd < wt->nd ? 1 : arg_dim(a, x, 0); /* no batch */
	c->c = arg_dim(a, x, -c->nsp - 1);
	c0 = arg_dim(a, wt, 0);
	c1 = arg_dim(a, wt, 1);
	if (c0 <= 0 || c1 <= 0 || c->c <= 0 ||
	    (transposed ? c0 != c->c : c->c % c1 != 0))
		return false;
	/* groups and output channels */
	c->g = !transposed      ? c->c / c1
	       : !w->a->typed   ? -1
	       : groups == NULL ? 1
				: groups->ival;
	c->k = transposed ? size_mul(c1, c->g) : c0;
	c->w01 = size_mul(c0, c1);
	for (i = 0; i < c->nsp; i++) {
		c->in[i] = arg_dim(a, x, i - c->nsp);
		c->r[i] = arg_dim(a, wt, i + 2);
		if (c->in[i] <= 0 || c->r[i] <= 0)
			return false;
	}
	c->has_args = conv_args(w, c, transposed);
	if (c->has_args)
		c->has_out = conv_out(w, c, transposed);
	if (!c->has_out)
		c->has_out = grad_out(at != 0 ? a : w->grad, c);
	return true;
}

/* emit_nvtx's sizes do not show if aten::convolution is transposed. The op
 * around it may show it by its name; otherwise the sizes decide: the result of
 * a plain convolution exceeds the input by no more than the kernel's width. */
static bool
is_transposed(const struct kern_work *w, int flags)
{
	struct conv_sizes c;
	int i;

	if ((flags & CONV_TRANSPOSED) != 0 || !w->prim)
		return (flags & CONV_TRANSPOSED) != 0;
	if (mv_has(w->op, "transpose") || !conv_sizes(w, flags, &c) ||
	    (!c.has_out && w->grad != NULL && w->grad->n > 0))
		return true;
	for (i = 0; c.has_out && i < c.nsp; i++)
		if (c.in[i] > 1 && c.out[i] > size_add(c.in[i], c.r[i]))
			return true;
	return false;
}

static int64_t
prod(const int64_t *v, int n)
{
	int64_t r = 1;

	while (n-- > 0)
		r = size_mul(r, v[n]);
	return r;
}

void
conv_count(const struct kern_work *w, struct answer *r, int flags)
{
	struct conv_sizes c;
	const struct op_arg *bias;
	int64_t n_in, n_w, n_out = -1, at;
	bool known, transposed, has_bias;

	transposed = is_transposed(w, flags);
	if (transposed)
		flags |= CONV_TRANSPOSED;
	known = conv_sizes(w, flags, &c);

	r->eligible = true;
	if (known && c.has_out)
		n_out = size_mul(size_mul(c.n, c.k), prod(c.out, c.nsp));
	bias = arg_named(w->a, "bias", 2);
	has_bias = (flags & CONV_BACKWARD) != 0 ||
		   (bias != NULL && bias->type == ARG_TENSOR);
	if (product_helper(w, r, known && (transposed || c.has_out), n_out,
		!has_bias ? NO_BIAS
		: known   ? c.k
			  : -1))
		return;
	product_role(w, r);
	r->one = w->prim && !w->bprop;
	if (!known)
		return;
	n_w = size_mul(c.w01, prod(c.r, c.nsp));
	n_in = size_mul(size_mul(c.n, c.c), prod(c.in, c.nsp));
	if (transposed || c.has_out) {
		at = prod(transposed ? c.in : c.out, c.nsp);
		r->flop = size_mul(size_mul(2, c.n), size_mul(n_w, at));
	}
	r->bytes = work_bytes(w, size_add(size_add(n_in, n_w), n_out));
}
