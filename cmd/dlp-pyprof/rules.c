/* Which rule an op has; the first that fits, as PyProf asked. */
#include "point.h"
#include "rule.h"

static const char *const activations[] = { "celu", "elu", "elu_", "hardshrink",
	"hardtanh", "hardtanh_", "leaky_relu", "leaky_relu_", "logsigmoid",
	"prelu", "relu", "relu_", "relu6", "rrelu", "rrelu_", "selu", "sigmoid",
	"softplus", "softshrink", "softsign", "tanh", "tanhshrink", "threshold",
	"threshold_", NULL };

static const struct {
	const char *op;
	rule_fn *rule;
	bool last; /* only the rules of 2021 have it */
} table[] = {
	{ "byte", rule_convert, false },
	{ "char", rule_convert, false },
	{ "double", rule_convert, false },
	{ "float", rule_convert, false },
	{ "half", rule_convert, false },
	{ "int", rule_convert, false },
	{ "long", rule_convert, false },
	{ "short", rule_convert, false },
	{ "to", rule_convert, false },
	{ "__matmul__", rule_matmul, false },
	{ "matmul", rule_matmul, false },
	{ "embedding", rule_embedding, false },
	{ "sum", rule_sum, false },
	{ "mean", rule_mean, false },
	{ "norm", rule_norm, false },
	{ "dropout", rule_dropout, false },
	{ "cat", rule_cat, false },
	{ "reshape", rule_reshape, false },
	{ "masked_scatter_", rule_masked_scatter, false },
	{ "gather", rule_gather, false },
	{ "nonzero", rule_nonzero, false },
	{ "index_select", rule_index_select, false },
	{ "masked_select", rule_masked_select, false },
	{ "addmm", rule_addmm, false },
	{ "addmm_", rule_addmm, false },
	{ "mm", rule_mm, false },
	{ "bmm", rule_bmm, false },
	{ "softmax", rule_softmax, false },
	{ "log_softmax", rule_log_softmax, false },
	{ "mse_loss", rule_mse_loss, false },
	{ "adam", rule_adam, false },
	{ "batch_norm", rule_batch_norm, false },
	{ "randperm", rule_randperm, false },
	{ "copy_", rule_copy, false },
	{ "clone", rule_clone, false },
	{ "contiguous", rule_contiguous, false },
	{ "any", rule_any, false },
	{ "ones", rule_one_zero, true },
	{ "ones_like", rule_one_zero, true },
	{ "zero_", rule_one_zero, true },
	{ "zeros", rule_one_zero, true },
	{ "zeros_like", rule_one_zero, true },
	{ "fill_", rule_fill, true },
	{ "full", rule_full, true },
};

rule_fn *
rule_find(struct mview mod, struct mview op, bool last)
{
	size_t i;

	if (mv_eq(op, "linear"))
		return rule_linear;
	if (mv_eq(op, "forward") &&
	    (mv_eq(mod, "LSTMCell") || mv_eq(mod, "GRUCell")))
		return rule_cell;
	if (mv_eq(op, "conv1d") || mv_eq(op, "conv2d"))
		return rule_conv;
	if (is_pointwise(op))
		return rule_pointwise;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (mv_eq(op, table[i].op) && (last || !table[i].last))
			return table[i].rule;
	return one_of(op, activations) ? rule_activation : rule_other;
}
