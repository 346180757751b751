/*
 * Element-wise kernels of aten, whose names tell the function and its operands
 * (flops_kname.c). The op's sizes and the grid tell the number of elements.
 *
 *	FLOPs: elements times operations of the function (kernels.rules)
 *	bytes: elements times the bytes of each operand, as far as an operand
 *	has all elements in memory
 */
#include <string.h>

#include "array.h"
#include "flops_rules.h"
#include "num.h"

/* True if n elements, with per of them in a block, take that many blocks. */
static bool
blocks_fit(int64_t n, int block, int64_t blocks)
{
	return n > 0 && (n - 1) / block + 1 == blocks;
}

/* The number of elements: the first that the grid allows of the gradient's, the
 * result's and each tensor's. *size: bytes per element of a tensor. */
static int64_t
elements_by(const struct kern_work *w, int block, int64_t blocks, int *size)
{
	const struct op_args *from[2] = { w->grad, w->a };
	const struct op_arg *t;
	int64_t n = w->bprop ? work_grad(w) : -1;
	size_t i, j;

	if (blocks_fit(n, block, blocks))
		return n;
	if (blocks_fit(n = operand_out(w), block, blocks))
		return n;
	for (i = 0; i < 2; i++)
		for (j = 0; from[i] != NULL && j < from[i]->n; j++) {
			t = &from[i]->v[j];
			n = t->type == ARG_TENSOR ? arg_numel(from[i], t) : -1;
			if (!blocks_fit(n, block, blocks))
				continue;
			*size = dtypes[t->dt].size;
			return n;
		}
	return -1;
}

static int64_t
elements(const struct kern_work *w, const struct answer *r, int *size)
{
	static const int usual[] = { 1024, 512, 2048 };
	int block = w->k->elem.block;
	int64_t n, blocks;
	size_t i;

	*size = 0;
	if (w->grid == NULL ||
	    !num_i64(w->grid, strcspn(w->grid, ","), &blocks)) {
		n = w->bprop ? work_grad(w) : -1;
		return n >= 0 ? n : operand_out(w);
	}
	/* an op of emit_nvtx whose tensors have no dimensions has one element,
	 * unless it creates a tensor, whose size is not an argument */
	if (blocks == 1 && !w->bprop && !w->a->typed && w->a->n > 0 &&
	    arg_tensor(w->a, 0) == NULL && r->family != FAM_COPY)
		return 1;
	if (block > 0)
		return elements_by(w, block, blocks, size);
	for (i = 0; i < ARRAY_LEN(usual); i++)
		if ((n = elements_by(w, usual[i], blocks, size)) >= 0)
			return n;
	return -1;
}

/* Elements that input i has in memory. A forward op's own tensors can be
 * smaller than the result. A backward's only input is its gradient, which is
 * also smaller in the backward of a sum. */
static int64_t
stored(const struct kern_work *w, bool sums, int i, int64_t n)
{
	const struct elem *e = &w->k->elem;
	const struct op_arg *t = NULL;
	int64_t m = -1;

	if (!e->strided)
		return n;
	if (e->full > 0)
		return i < e->full ? n : 0; /* a number per row or channel */
	if (!w->bprop && arg_tensor(w->a, (size_t)e->n_in) == NULL &&
	    arg_tensor(w->a, (size_t)e->n_in - 1) != NULL)
		t = arg_tensor(w->a, (size_t)i);
	if (t != NULL)
		m = arg_numel(w->a, t);
	else if (w->bprop && e->n_in == 1)
		m = work_grad(w);
	if (sums && e->n_in == 1 && (m < 0 || m == n))
		return 0; /* one number per sum, read many times */
	return m >= 0 && m < n ? m : n;
}

bool
elem_count(const struct kern_work *w, struct answer *r)
{
	const struct elem *e = &w->k->elem;
	bool sums =
	    w->bprop && (r->family == FAM_REDUCE || r->family == FAM_POOL);
	const struct op_arg *t;
	int64_t n, bytes;
	int i, size, own;

	if (!e->is || (n = elements(w, r, &own)) < 0)
		return false;
	size = e->out > 0 ? e->out : own; /* lambda() names no type */
	bytes = size > 0 ? size_mul(n, size) : -1;
	for (i = 0; i < e->n_in; i++) {
		size = e->in[i];
		t = arg_tensor(w->a, (size_t)i);
		if (e->casts) /* only a marker has the sizes in memory */
			size = t != NULL && !w->bprop ? dtypes[t->dt].size : 0;
		bytes = size_add(bytes,
		    size > 0 ? size_mul(stored(w, sums, i, n), size) : -1);
	}
	r->role = ROLE_MAIN;
	r->each = true;
	r->flop = size_mul(n, e->flop);
	r->bytes = bytes;
	return true;
}
