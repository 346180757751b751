/*
 * Templates of PyTorch's Inductor (torch/_inductor/kernel): a kernel such as
 * triton_tem_fused_mm_relu_0 is a product or convolution with what follows it.
 * emit_nvtx has a range of that name with the sizes of the kernel's arguments:
 * perhaps a bias first, then the two operands as they lie in memory, each
 * perhaps transposed, then the inputs of the rest; the last is the result.
 *
 *	A of b m k, B of b k n, result of b m n elements: 2 b m n k
 *	convolution: 2 (elements of the result) C/g prod(kernel)
 *
 * No aten op runs for them, so torch.utils.flop_counter leaves them out; that
 * is why they are families of their own.
 */

#include "flops_rules.h"
#include "pat.h"

static const struct op_arg *
last_tensor(const struct op_args *a)
{
	size_t i;

	for (i = a->n; i > 0; i--)
		if (a->v[i - 1].type == ARG_TENSOR)
			return &a->v[i - 1];
	return NULL;
}

/* The first tensor of at least two dimensions, and the next tensor. */
static bool
template_operands(
    const struct op_args *a, const struct op_arg **x, const struct op_arg **y)
{
	size_t i;

	for (i = 0; i + 1 < a->n; i++)
		if (a->v[i].type == ARG_TENSOR && a->v[i].nd >= 2) {
			*x = &a->v[i];
			*y = &a->v[i + 1];
			return a->v[i + 1].nd >= 2;
		}
	return false;
}

static int64_t
product_flop(const struct op_args *a, bool batched)
{
	const struct op_arg *x, *y, *out = last_tensor(a);
	int64_t n_a, n_b, n_out, b, k, m;
	int i;

	if (out == NULL || !template_operands(a, &x, &y) || out == x ||
	    out == y)
		return -1;
	n_a = arg_numel(a, x);
	n_b = arg_numel(a, y);
	n_out = arg_numel(a, out);
	b = batched ? arg_dim(a, x, 0) : 1;
	for (i = -1; i >= -2; i--) {
		k = arg_dim(a, x, i);
		if (n_a <= 0 || n_b <= 0 || k <= 0 || b <= 0 || b > n_a / k ||
		    n_a % (b * k) != 0 || n_b % (b * k) != 0)
			continue;
		/* k is that dimension of A if the other sizes follow from it */
		m = size_mul(n_a / (b * k), n_b / (b * k));
		if (size_mul(b, m) == n_out)
			return size_mul(2, size_mul(n_out, k));
	}
	return -1;
}

/* 2 (elements of the result) C/g prod(kernel) */
static int64_t
conv_flop(const struct op_args *a)
{
	const struct op_arg *x, *y, *out = last_tensor(a);
	int64_t f;
	size_t i;

	if (out == NULL || !template_operands(a, &x, &y) || y->nd < 3 ||
	    out == y)
		return -1;
	f = size_mul(2, arg_numel(a, out));
	for (i = 1; i < y->nd; i++)
		f = size_mul(f, a->dims[y->dim + i]);
	return f;
}

void
triton_count(const struct kern_work *w, struct answer *r, int unused)
{
	const char *s = w->k->lower;
	size_t n = w->k->len;

	(void)unused;
	r->role = ROLE_MAIN;
	r->one = w->prim;
	r->eligible = true;
	if (pat_match("convolution", s, n)) {
		r->family = FAM_CONV_FUSED;
		r->flop = conv_flop(w->a);
	} else if (pat_match("attention", s, n)) {
		r->family = FAM_ATTENTION;
	} else if (pat_match("mm", s, n)) {
		r->flop = product_flop(w->a, pat_match("bmm", s, n));
	} else {
		r->family = FAM_NONE;
		r->eligible = false;
	}
}
