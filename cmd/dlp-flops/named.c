/*
 * Families by kernel names, where no op has a rule:
 *
 *	ncclDevKernel_AllReduce_Sum_f32_RING_LL, ncclKernel_AllReduce_...
 *	triton_poi_fused_add_gelu_3
 *
 * Inductor puts into the name of a kernel the kind of it (poi: pointwise,
 * red, per: reduction, tem: template of a product, for: foreach) and the
 * aten ops that went into it, joined by _. Where all ops that do work are of
 * one family the kernel is of that family, else it is fused. Sizes are not in
 * the name, so neither operations nor bytes are known.
 */
#include <string.h>

#include "named.h"
#include "pat.h"

/* How ops begin; a longer beginning stands before a shorter one. FAM_NONE:
 * what only moves or names data, beside other ops. */
static const struct {
	const char *op;
	enum family family;
} ops[] = {
	{ "native_layer_norm", FAM_NORM },
	{ "native_group_norm", FAM_NORM },
	{ "native_batch_norm", FAM_NORM },
	{ "_native_batch_norm", FAM_NORM },
	{ "cudnn_batch_norm", FAM_NORM },
	{ "batch_norm", FAM_NORM },
	{ "layer_norm", FAM_NORM },
	{ "group_norm", FAM_NORM },
	{ "_fused_rms_norm", FAM_NORM },
	{ "rms_norm", FAM_NORM },
	{ "var_mean", FAM_NORM },
	{ "_softmax", FAM_SOFTMAX },
	{ "_log_softmax", FAM_SOFTMAX },
	{ "_safe_softmax", FAM_SOFTMAX },
	{ "softmax", FAM_SOFTMAX },
	{ "log_softmax", FAM_SOFTMAX },
	{ "prepare_softmax_online", FAM_SOFTMAX },
	{ "native_dropout", FAM_DROPOUT },
	{ "dropout", FAM_DROPOUT },
	{ "threshold_backward", FAM_ACTIVATION },
	{ "gelu", FAM_ACTIVATION },
	{ "silu", FAM_ACTIVATION },
	{ "relu", FAM_ACTIVATION },
	{ "sigmoid", FAM_ACTIVATION },
	{ "tanh", FAM_ACTIVATION },
	{ "leaky_relu", FAM_ACTIVATION },
	{ "hardtanh", FAM_ACTIVATION },
	{ "hardswish", FAM_ACTIVATION },
	{ "elu", FAM_ACTIVATION },
	{ "embedding", FAM_EMBEDDING },
	{ "nll_loss", FAM_LOSS },
	{ "mse_loss", FAM_LOSS },
	{ "smooth_l1_loss", FAM_LOSS },
	{ "binary_cross_entropy", FAM_LOSS },
	{ "_foreach", FAM_OPTIMIZER },
	{ "_fused_adam", FAM_OPTIMIZER },
	{ "_fused_sgd", FAM_OPTIMIZER },
	{ "max_pool", FAM_POOL },
	{ "avg_pool", FAM_POOL },
	{ "_low_memory_max_pool", FAM_POOL },
	{ "_adaptive_avg_pool", FAM_POOL },
	{ "adaptive_", FAM_POOL },
	{ "upsample", FAM_RESIZE },
	{ "_upsample", FAM_RESIZE },
	{ "index", FAM_INDEX },
	{ "gather", FAM_INDEX },
	{ "scatter", FAM_INDEX },
	{ "cat", FAM_INDEX },
	{ "stack", FAM_INDEX },
	{ "split", FAM_INDEX },
	{ "constant_pad", FAM_INDEX },
	{ "sort", FAM_SORT },
	{ "topk", FAM_SORT },
	{ "cumsum", FAM_SORT },
	{ "sum", FAM_REDUCE },
	{ "mean", FAM_REDUCE },
	{ "amax", FAM_REDUCE },
	{ "amin", FAM_REDUCE },
	{ "argmax", FAM_REDUCE },
	{ "argmin", FAM_REDUCE },
	{ "linalg_vector_norm", FAM_REDUCE },
	{ "max", FAM_REDUCE },
	{ "min", FAM_REDUCE },
	{ "_to_copy", FAM_NONE },
	{ "clone", FAM_NONE },
	{ "copy", FAM_NONE },
	{ "convert_element_type", FAM_NONE },
	{ "_unsafe_view", FAM_NONE },
	{ "view", FAM_NONE },
	{ "reshape", FAM_NONE },
	{ "permute", FAM_NONE },
	{ "transpose", FAM_NONE },
	{ "unsqueeze", FAM_NONE },
	{ "squeeze", FAM_NONE },
	{ "expand", FAM_NONE },
	{ "slice", FAM_NONE },
	{ "select", FAM_NONE },
	{ "as_strided", FAM_NONE },
	{ "detach", FAM_NONE },
	{ "empty", FAM_NONE },
	{ "full", FAM_NONE },
	{ "t", FAM_NONE },
	{ "backward", FAM_NONE }, /* the end of an op's name, as the next */
	{ "data", FAM_NONE },
	{ "with", FAM_NONE },
	{ "indices", FAM_NONE },
	{ "convolution", FAM_POINTWISE }, /* its bias; tem is the product */
	{ "addmm", FAM_POINTWISE },
	{ "mm", FAM_POINTWISE },
	{ "bmm", FAM_POINTWISE },
};

static const struct {
	const char *pat;
	enum family family;
} names[] = {
	{ "nccldevkernel|ncclkernel|^nccl", FAM_COLLECTIVE },
	{ "triton_tem_ convolution", FAM_CONV_FUSED },
	{ "triton_tem_ attention", FAM_ATTENTION },
	{ "triton_tem_ mm", FAM_GEMM_FUSED },
	{ "triton_for_", FAM_OPTIMIZER },
};

/* The family of the op that begins at s; its end is the next _ behind what
 * is known of it. Other words, add and the like, are pointwise. */
static enum family
op_at(const char *s, size_t *len)
{
	size_t i, n;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		n = strlen(ops[i].op);
		if (strncmp(s, ops[i].op, n) == 0 &&
		    (n > 1 || s[n] == '_' || s[n] == '\0')) {
			*len = n + strcspn(s + n, "_");
			return ops[i].family;
		}
	}
	*len = strcspn(s, "_");
	return *s >= '0' && *s <= '9' ? FAM_NONE : FAM_POINTWISE;
}

static enum family
fused(const char *s)
{
	enum family all = FAM_NONE, f;
	size_t n;

	for (; *s != '\0'; s += n + (s[n] == '_')) {
		f = op_at(s, &n);
		if (f == FAM_NONE || f == all)
			continue;
		if (all != FAM_NONE)
			return FAM_FUSED;
		all = f;
	}
	return all == FAM_NONE ? FAM_COPY : all;
}

enum family
named_family(const struct kname *k)
{
	const char *s;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (pat_match(names[i].pat, k->lower, k->len))
			return names[i].family;
	s = strstr(k->lower, "triton_");
	if (s == NULL || (s = strstr(s, "_fused_")) == NULL)
		return FAM_NONE;
	s += strlen("_fused_");
	return fused(s);
}
