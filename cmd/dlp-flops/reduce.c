/*
 * Reductions of PyProf's list: sum, mean and norm read their input once. The
 * kernels after an op's first one reduce parts; only the first is counted.
 *
 *	sum: n   mean: n + 1   norm (2): 2n + 1
 */
#include "reduce.h"
#include "size.h"

void
reduce_count(const struct work *w, struct answer *r, int kind)
{
	const struct arg *t = arg_named(w->a, "input", 0);
	int64_t n;

	if (w->bprop || t == NULL || t->type != ARG_TENSOR)
		return;
	n = arg_numel(w->a, t);
	r->role = ROLE_MAIN;
	if (kind == 'n')
		r->flop = size_add(size_mul(2, n), 1);
	else
		r->flop = kind == 'm' ? size_add(n, 1) : n;
	r->bytes = work_bytes(w, n);
}
