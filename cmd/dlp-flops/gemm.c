/*
 * Matrix products: linear, mm, addmm, bmm, baddbmm, matmul, mv, dot.
 *
 *	A (.., m, k) times B (.., k, n):  2 b m n k, a multiply-add being 2
 *	bytes: A, B and the result once, batches included
 *
 * as torch.utils.flop_counter counts them (a bias is not counted there; here
 * it is its own family where a kernel of its own adds it). Both gradients of
 * a product are products of the same size, so each costs the same and moves
 * the same three matrices.
 */
#include <string.h>

#include "gemm.h"
#include "params.h"
#include "product.h"
#include "size.h"

struct gemm {
	int64_t b, m, n, k;
	int64_t n_a, n_b, n_c, n_out; /* elements; n_c is an added matrix */
};

/* Dimension i from the end of t, not counting the last two; 1 if none. */
static int64_t
batch_dim(const struct args *a, const struct arg *t, size_t i)
{
	return t->nd < i + 3 ? 1 : a->dims[t->dim + t->nd - 3 - i];
}

/* The product of the broadcast batch dimensions; -1 if they do not fit. */
static int64_t
batches(const struct args *a, const struct arg *x, const struct arg *y)
{
	int64_t p, q, r = 1;
	size_t i;

	for (i = 0; i + 2 < x->nd || i + 2 < y->nd; i++) {
		p = batch_dim(a, x, i);
		q = batch_dim(a, y, i);
		if (p != q && p != 1 && q != 1)
			return -1;
		r = size_mul(r, p == 1 ? q : p);
	}
	return r;
}

/* x times y as matmul defines it; false if the shapes do not fit. */
static bool
matmul_dims(const struct args *a, const struct arg *x, const struct arg *y,
    struct gemm *g)
{
	if (x == NULL || y == NULL || x->nd == 0 || y->nd == 0 || x->bad ||
	    y->bad)
		return false;
	g->m = x->nd == 1 ? 1 : arg_dim(a, x, -2);
	g->k = arg_dim(a, x, -1);
	g->n = y->nd == 1 ? 1 : arg_dim(a, y, -1);
	if (arg_dim(a, y, y->nd == 1 ? -1 : -2) != g->k)
		return false;
	g->b = batches(a, x, y);
	g->n_a = arg_numel(a, x);
	g->n_b = arg_numel(a, y);
	return true;
}

static bool
linear_dims(const struct args *a, struct gemm *g)
{
	const struct arg *x = arg_named(a, "input", 0);
	const struct arg *w = arg_named(a, "weight", 1);
	size_t i;

	if (x == NULL || w == NULL || x->nd == 0 || w->nd < 1 || w->nd > 2 ||
	    arg_dim(a, x, -1) != arg_dim(a, w, -1))
		return false;
	g->b = g->m = 1;
	for (i = 0; i + 1 < x->nd; i++)
		g->m = size_mul(g->m, a->dims[x->dim + i]);
	g->k = arg_dim(a, x, -1);
	g->n = w->nd == 1 ? 1 : arg_dim(a, w, 0);
	g->n_a = arg_numel(a, x);
	g->n_b = arg_numel(a, w);
	return true;
}

static bool
gemm_dims(const struct work *w, int first, struct gemm *g)
{
	const struct args *a = w->a;

	memset(g, 0, sizeof(*g));
	if (first == G_LINEAR) {
		if (!linear_dims(a, g))
			return false;
	} else if (!matmul_dims(a, arg_at(a, (size_t)first),
		       arg_at(a, (size_t)first + 1), g)) {
		return false;
	} else if (first == 1) {
		g->n_c = arg_numel(a, arg_at(a, 0));
	}
	g->n_out = size_mul(size_mul(g->b, g->m), g->n);
	return true;
}

static bool
has_bias(const struct work *w, int first)
{
	const struct arg *b = arg_named(w->a, "bias", 2);

	if (first == G_LINEAR)
		return b != NULL && b->type == ARG_TENSOR;
	return first == 1; /* addmm and its like */
}

void
gemm_count(const struct work *w, struct answer *r, int first)
{
	struct gemm g;
	bool known = gemm_dims(w, first, &g);

	r->eligible = true;
	if (!known)
		g.n_out = g.n = -1;
	if (helper_count(
		w, r, known, g.n_out, has_bias(w, first) ? g.n : NO_BIAS))
		return;
	product_role(w, r);
	r->one = w->prim;
	product_gradient(w, r, g.b, g.n_out, g.k);
	if (!known)
		return;
	if (g.m == 1 || g.n == 1)
		r->eligible = false; /* a matrix times a vector */
	if (w->k->dt == DT_FP4)
		g.k = size_mul(g.k, 2); /* a shape counts pairs */
	r->flop = size_mul(2, size_mul(g.n_out, g.k));
	if (r->family == FAM_GEMM_INT) /* integers add up in 32 bits */
		r->bytes = size_add(work_bytes(w, size_add(g.n_a, g.n_b)),
		    size_mul(4, g.n_out));
	else
		r->bytes = work_bytes(w,
		    size_add(size_add(g.n_a, g.n_b), size_add(g.n_c, g.n_out)));
}

/* A (.., m, k) and B (.., k, n) in groups, which divide the rows of A, the
 * columns of B, or k between them where one of the two is a matrix: together
 * one product of the whole. Both batched: one per group. */
void
grouped_count(const struct work *w, struct answer *r, int first)
{
	const struct args *a = w->a;
	const struct arg *x = arg_at(a, (size_t)first);
	const struct arg *y = arg_at(a, (size_t)first + 1);
	bool known = x != NULL && y != NULL && x->nd >= 2 && y->nd >= 2;
	int64_t g, m, k, n;

	r->eligible = true;
	if (helper_count(w, r, known, -1, NO_BIAS))
		return;
	product_role(w, r);
	r->one = w->prim;
	if (!known)
		return;
	g = x->nd == 3 && y->nd == 3 ? arg_dim(a, x, 0) : 1;
	m = arg_dim(a, x, -2);
	k = arg_dim(a, x, -1);
	n = arg_dim(a, y, -1);
	r->flop = size_mul(size_mul(2, g), size_mul(m, size_mul(n, k)));
}

static void
put_dim(struct buf *b, const char *name, int64_t v)
{
	buf_puts(b, name);
	buf_putc(b, '=');
	buf_i64(b, v);
	buf_putc(b, ',');
}

/* x[0:-1] as PyProf prints it: a tuple, or the number if it is one. */
static void
put_lead(
    struct buf *b, const char *name, const struct args *a, const struct arg *x)
{
	struct arg lead = *x;

	if (x->nd == 2) {
		put_dim(b, name, arg_dim(a, x, 0));
		return;
	}
	lead.nd = x->nd == 0 ? 0 : x->nd - 1;
	buf_puts(b, name);
	buf_putc(b, '=');
	params_tuple(b, a, &lead);
	buf_putc(b, ',');
}

/* What adds the bias, or sums its gradient. */
static bool
linear_is_bias(const struct kname *k)
{
	return !k->pyprof_gemm && k->pyprof_bias;
}

/* PyProf takes the first kernel of a backward for dgrad and the second for
 * wgrad, whatever they are; its M is the weight's rows. */
bool
linear_params(const struct work *w, struct buf *b)
{
	const struct args *a = w->a;
	const struct arg *x = arg_named(a, "input", 0);
	const struct arg *wt = arg_named(a, "weight", 1);
	int64_t m, k;

	if (x == NULL || wt == NULL || wt->nd != 2 || x->nd == 0)
		return false;
	m = arg_dim(a, wt, 0);
	k = arg_dim(a, x, -1);
	if (linear_is_bias(w->k)) {
		put_dim(b, "M", m);
		put_lead(b, "N", a, x);
	} else if (!w->bprop) {
		put_dim(b, "M", m);
		put_lead(b, "N", a, x);
		put_dim(b, "K", k);
	} else if (w->sub == 0) {
		put_dim(b, "M", k);
		put_lead(b, "N", a, x);
		put_dim(b, "K", m);
	} else if (w->sub == 1) {
		put_dim(b, "M", k);
		put_dim(b, "N", m);
		put_lead(b, "K", a, x);
	} else {
		buf_puts(b, "X=");
		params_tuple(b, a, x);
		buf_puts(b, ",W=");
		params_tuple(b, a, wt);
		buf_putc(b, ',');
	}
	params_dtype(b, w, x);
	return true;
}

/* M and N change places: PyProf thinks in columns, as BLAS does. */
static bool
mnk_params(const struct work *w, struct buf *b, int first, bool batch)
{
	struct gemm g;

	if (!gemm_dims(w, first, &g) || g.b < 0)
		return false;
	if (batch)
		put_dim(b, "B", g.b);
	put_dim(b, "M", g.n);
	put_dim(b, "N", g.m);
	put_dim(b, "K", g.k);
	params_dtype(b, w, arg_at(w->a, (size_t)first));
	return true;
}

bool
mm_params(const struct work *w, struct buf *b)
{
	return mnk_params(w, b, 0, false);
}

bool
addmm_params(const struct work *w, struct buf *b)
{
	return mnk_params(w, b, 1, false);
}

bool
bmm_params(const struct work *w, struct buf *b)
{
	return mnk_params(w, b, 0, true);
}
