/* Finds the rule of an op, the first that fits in PyProf's order; and the
 * functions that rules share. */
#include "array.h"
#include "pyprof.h"

bool
call_has(const struct pyprof_call *c, const char *word)
{
	return strstr(c->name, word) != NULL;
}

bool
call_has_any(const struct pyprof_call *c, const char *const *words)
{
	for (; *words != NULL; words++)
		if (call_has(c, *words))
			return true;
	return false;
}

bool
mv_one_of(struct mview v, const char *const *list)
{
	for (; *list != NULL; list++)
		if (v.s != NULL && mv_eq(v, *list))
			return true;
	return false;
}

bool
call_tc_known(const struct pyprof_call *c)
{
	static const char *const words[] = { "h884", "s884", "h1688", "s1688",
		"hmma", "i8816", "16816", "dgrad_1x1_stride_2x2",
		"first_layer_wgrad_kernel", "conv1x1", "conv2d_c1_k1",
		"direct_group", "xmma_implicit_gemm", "xmma_sparse_conv",
		"xmma_warp_specialized_implicit_gemm", "xmma_gemm",
		"xmma_sparse_gemm", "c1688", NULL };

	return call_has_any(c, words);
}

const char *
call_tc_gemm(const struct pyprof_call *c)
{
	if (c->last)
		return call_tc_known(c) ? "1" : "0";
	return call_has(c, "884gemm") || call_has(c, "1688gemm") ? "1" : "0";
}

int
call_unnamed(const struct pyprof_call *c, const struct pyprof_arg **v, int max)
{
	int i, n = 0;

	for (i = 0; i < c->m->n; i++)
		if (arg_unnamed(&c->m->arg[i])) {
			if (n < max)
				v[n] = &c->m->arg[i];
			n++;
		}
	return n;
}

const struct pyprof_arg *
call_named(const struct pyprof_call *c, const char *name)
{
	int i;

	for (i = 0; i < c->m->n; i++)
		if (c->m->arg[i].name.s != NULL &&
		    mv_eq(c->m->arg[i].name, name))
			return &c->m->arg[i];
	return NULL;
}

bool
arg_is_tensor(const struct pyprof_arg *a)
{
	return a->has_shape && dtype_size(a->dtype) > 0;
}

void
params_int(struct pyprof_result *r, const char *key, int64_t v)
{
	buf_puts(&r->params, key);
	buf_putc(&r->params, '=');
	buf_i64(&r->params, v);
	buf_putc(&r->params, ',');
}

void
params_sizes(struct buf *b, const struct pyprof_shape *s, const char *ends)
{
	int i;

	buf_putc(b, ends[0]);
	for (i = 0; i < s->n; i++) {
		if (i > 0)
			buf_putc(b, ',');
		buf_i64(b, s->v[i]);
	}
	if (s->n == 1 && ends[0] == '(')
		buf_putc(b, ',');
	buf_putc(b, ends[1]);
}

void
params_shape(
    struct pyprof_result *r, const char *key, const struct pyprof_shape *s)
{
	buf_puts(&r->params, key);
	buf_putc(&r->params, '=');
	params_sizes(&r->params, s, "()");
	buf_putc(&r->params, ',');
}

bool
params_type(struct pyprof_result *r, struct mview dtype)
{
	const char *word = dtype_word(dtype);

	if (word == NULL)
		return false;
	buf_puts(&r->params, word);
	buf_putc(&r->params, ',');
	return true;
}

/* [35,20,200]fp32 */
void
params_tensor(struct buf *b, const struct pyprof_shape *s, struct mview dtype)
{
	const char *word = dtype_word(dtype);

	params_sizes(b, s, "[]");
	buf_puts(b, word != NULL ? word : "");
}

bool
count_plain(struct pyprof_result *r, const struct pyprof_arg *a,
    int64_t flops_per, int64_t tensors)
{
	int64_t n;

	if (!arg_is_tensor(a))
		return false;
	n = shape_elems(&a->shape);
	params_shape(r, "T", &a->shape);
	r->flops = pynum_int(pynum_mul(n, flops_per));
	r->bytes =
	    pynum_int(pynum_mul(pynum_mul(n, tensors), dtype_size(a->dtype)));
	return params_type(r, a->dtype);
}

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
pyprof_rule_find(struct mview mod, struct mview op, bool last)
{
	size_t i;

	if (mv_eq(op, "linear"))
		return rule_linear;
	if (mv_eq(op, "forward") &&
	    (mv_eq(mod, "LSTMCell") || mv_eq(mod, "GRUCell")))
		return rule_cell;
	if (mv_eq(op, "conv1d") || mv_eq(op, "conv2d"))
		return rule_conv;
	if (rule_is_pointwise(op))
		return rule_pointwise;
	for (i = 0; i < ARRAY_LEN(table); i++)
		if (mv_eq(op, table[i].op) && (last || !table[i].last))
			return table[i].rule;
	return mv_one_of(op, activations) ? rule_activation : rule_other;
}
