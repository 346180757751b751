/* The words of an answer, the data of a question, and the arithmetic of sizes;
 * see kern_work.h. */

#include "kern_work.h"

const char *const family_names[FAM_N] = {
	[FAM_GEMM] = "gemm",
	[FAM_GEMV] = "gemv",
	[FAM_GEMM_INT] = "gemm_int",
	[FAM_GEMM_FUSED] = "gemm_fused",
	[FAM_CONV] = "conv",
	[FAM_CONV_FUSED] = "conv_fused",
	[FAM_ATTENTION] = "attention",
	[FAM_RNN] = "rnn",
	[FAM_POINTWISE] = "pointwise",
	[FAM_REDUCE] = "reduce",
	[FAM_NORM] = "norm",
	[FAM_SOFTMAX] = "softmax",
	[FAM_EMBEDDING] = "embedding",
	[FAM_ACTIVATION] = "activation",
	[FAM_DROPOUT] = "dropout",
	[FAM_POOL] = "pool",
	[FAM_RESIZE] = "resize",
	[FAM_LOSS] = "loss",
	[FAM_SORT] = "sort",
	[FAM_INDEX] = "index",
	[FAM_COPY] = "copy",
	[FAM_OPTIMIZER] = "optimizer",
	[FAM_COLLECTIVE] = "collective",
	[FAM_FUSED] = "fused",
	[FAM_SOLVER] = "solver",
	[FAM_MEMORY] = "memory",
	[FAM_OTHER] = "other",
};

const char *const role_names[ROLE_N] = {
	[ROLE_MAIN] = "main",
	[ROLE_DGRAD] = "dgrad",
	[ROLE_WGRAD] = "wgrad",
	[ROLE_GRAD] = "grad",
	[ROLE_PART] = "part",
	[ROLE_BIAS] = "bias",
	[ROLE_AUX] = "aux",
};

enum dtype
work_dtype(const struct kern_work *w)
{
	const struct op_arg *t = arg_tensor(w->fa != NULL ? w->fa : w->a, 0);
	enum dtype dt = DT_NONE;

	if (w->k->dt_sure)
		return w->k->dt;
	if (t != NULL)
		dt = t->dt;
	return dt != DT_NONE ? dt : w->k->dt;
}

int64_t
work_bytes(const struct kern_work *w, int64_t n)
{
	int size = dt_size(work_dtype(w));

	return size == 0 ? -1 : size_mul(n, size);
}

int64_t
work_grad(const struct kern_work *w)
{
	const struct op_arg *g =
	    w->grad == NULL ? NULL : arg_tensor(w->grad, 0);

	return g == NULL ? -1 : arg_numel(w->grad, g);
}

/* See size_overflowed(): one per process is intended. */
static bool overflow;

void
size_overflowed(void)
{
	overflow = true;
}

bool
size_overflow_taken(void)
{
	bool was = overflow;

	overflow = false;
	return was;
}

int64_t
size_mul(int64_t x, int64_t y)
{
	int64_t r;

	if (x < 0 || y < 0)
		return -1;
	if (!__builtin_mul_overflow(x, y, &r))
		return r;
	overflow = true;
	return -1;
}

int64_t
size_add(int64_t x, int64_t y)
{
	int64_t r;

	if (x < 0 || y < 0)
		return -1;
	if (!__builtin_add_overflow(x, y, &r))
		return r;
	overflow = true;
	return -1;
}
