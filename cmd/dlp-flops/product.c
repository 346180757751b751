/*
 * What products and convolutions share: which of an op's kernels carries the
 * arithmetic, and what the others do.
 */
#include "product.h"
#include "size.h"

void
product_role(const struct work *w, struct answer *r)
{
	if (!w->bprop) {
		r->role = ROLE_MAIN;
		return;
	}
	r->role_sure = w->k->dir_sure;
	if (w->k->dir == KD_DGRAD)
		r->role = ROLE_DGRAD;
	else if (w->k->dir == KD_WGRAD)
		r->role = ROLE_WGRAD;
	else
		r->role = ROLE_GRAD;
}

/* Whether it is the forward's product once more: a checkpoint. */
static bool
runs_again(int64_t b, int64_t n_out, int64_t k, int64_t fwd_k, int64_t n_x,
    int64_t n_y)
{
	return k > 0 && k == fwd_k && n_out != n_x && n_out != n_y &&
	       size_mul(n_out, b) == size_mul(n_x / k, n_y / k);
}

void
product_gradient(
    const struct work *w, struct answer *r, int64_t b, int64_t n_out, int64_t k)
{
	const struct arg *x, *y;
	int64_t n_x, n_y;

	if (!w->prim || !w->bprop)
		return;
	r->role = ROLE_MAIN;
	if (w->first < 0)
		return;
	x = arg_tensor(w->fa, (size_t)w->first);
	y = arg_tensor(w->fa, (size_t)w->first + 1);
	n_x = x == NULL ? -1 : arg_numel(w->fa, x);
	n_y = y == NULL ? -1 : arg_numel(w->fa, y);
	r->role = ROLE_GRAD;
	if (n_out == n_x && n_out != n_y)
		r->role = ROLE_DGRAD;
	else if (n_out == n_y && n_out != n_x)
		r->role = ROLE_WGRAD;
	else if (runs_again(b, n_out, k, arg_dim(w->fa, x, -1), n_x, n_y))
		r->role = ROLE_MAIN;
	else if (w->k->dir != KD_NONE)
		r->role = w->k->dir == KD_DGRAD ? ROLE_DGRAD : ROLE_WGRAD;
}

/* A bias costs one addition per element of the result, forward (read and
 * write the result, read the bias) and backward (read the gradient, write
 * the bias's). */
bool
helper_count(const struct work *w, struct answer *r, bool known, int64_t n_out,
    int64_t n_bias)
{
	enum kpart want = w->bprop ? KP_REDUCE : KP_ELEM;

	if (w->k->part == KP_MAIN)
		return false;
	r->eligible = false;
	if (w->k->part != want || n_bias == NO_BIAS) {
		r->role = ROLE_AUX;
		r->flop = known ? 0 : -1; /* counted with the product */
		return true;
	}
	r->role = ROLE_BIAS;
	r->family = w->bprop ? FAM_REDUCE : FAM_POINTWISE;
	r->flop = n_out;
	r->bytes =
	    work_bytes(w, size_add(size_mul(w->bprop ? 1 : 2, n_out), n_bias));
	return true;
}
