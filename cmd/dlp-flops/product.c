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

/* A bias costs one addition per element of the result, forward (read and
 * write the result, read the bias) and backward (read the gradient, write
 * the bias's). */
bool
helper_count(
    const struct work *w, struct answer *r, int64_t n_out, int64_t n_bias)
{
	enum kpart want = w->bprop ? KP_REDUCE : KP_ELEM;

	if (w->k->part == KP_MAIN)
		return false;
	r->eligible = false;
	if (w->k->part != want || n_bias == NO_BIAS) {
		r->role = ROLE_AUX;
		r->flop = 0; /* counted with the product, or none at all */
		return true;
	}
	r->role = ROLE_BIAS;
	r->family = w->bprop ? FAM_REDUCE : FAM_POINTWISE;
	r->flop = n_out;
	r->bytes =
	    work_bytes(w, size_add(size_mul(w->bprop ? 1 : 2, n_out), n_bias));
	return true;
}
