/*
 * The table of rules. One row per op type; types of PyProf's markers and of
 * emit_nvtx (aten::linear is linear) share a row where their arguments stand
 * in the same order. A row with FAM_NONE only says how PyProf prints it.
 */
#include <string.h>

#include "attention.h"
#include "cell.h"
#include "conv.h"
#include "einsum.h"
#include "gemm.h"
#include "map.h"
#include "params.h"
#include "point.h"
#include "reduce.h"
#include "rules.h"

#define ONE "T=#0,@0" /* most classes: first argument's shape and type */
#define POINT "T=*,&" /* element-wise */
#define GEMM(o, first, fn)                                                     \
	{                                                                      \
		o, FAM_GEMM, gemm_count, first, NULL, fn, NULL                 \
	}
#define GEMV(o, first)                                                         \
	{                                                                      \
		o, FAM_GEMV, gemm_count, first, NULL, NULL, NULL               \
	}
#define CONV(o, t, fn)                                                         \
	{                                                                      \
		o, FAM_CONV, conv_count, t, NULL, fn, "onvolution"             \
	}
#define PW(o, kind)                                                            \
	{                                                                      \
		o, FAM_POINTWISE, point_count, kind, POINT, NULL, NULL         \
	}
#define SLOW(o) /* exp and the like: not counted */                            \
	{                                                                      \
		o, FAM_POINTWISE, NULL, 0, POINT, NULL, NULL                   \
	}
#define EACH(o, fam, kind, spec)                                               \
	{                                                                      \
		o, fam, element_count, kind, spec, NULL, NULL                  \
	}
#define IS(o, fam, spec)                                                       \
	{                                                                      \
		o, fam, NULL, 0, spec, NULL, NULL                              \
	}
#define SDPA(o)                                                                \
	{                                                                      \
		o, FAM_ATTENTION, attention_count, 0, NULL, NULL, NULL         \
	}
#define CELL(o, weight, fn)                                                    \
	{                                                                      \
		o, FAM_GEMM, cell_count, weight, NULL, fn, NULL                \
	}

static const struct rule rules[] = {
	/* products; the number is the place of the left operand */
	GEMM("linear", G_LINEAR, linear_params),
	GEMM("mm", 0, mm_params),
	{ "_int_mm", FAM_GEMM_INT, gemm_count, 0, NULL, mm_params, NULL },
	GEMM("_scaled_mm", 0, mm_params),
	GEMM("addmm", 1, addmm_params),
	GEMM("addmm_", 1, addmm_params),
	GEMM("_addmm_activation", 1, addmm_params),
	GEMM("bmm", 0, bmm_params),
	GEMM("baddbmm", 1, NULL),
	GEMM("baddbmm_", 1, NULL),
	{ "matmul", FAM_GEMM, gemm_count, 0, "A=#0,B=#1,@0", NULL, NULL },
	{ "__matmul__", FAM_GEMM, gemm_count, 0, "A=#0,B=#1,@0", NULL, NULL },
	GEMM("linalg_matmul", 0, NULL),
	GEMV("mv", 0),
	GEMV("addmv", 1),
	GEMV("addmv_", 1),
	GEMV("dot", 0),
	GEMV("vdot", 0),

	{ "einsum", FAM_GEMM, einsum_count, 0, NULL, NULL, "Bmm" },

	CONV("conv1d", 0, conv_params),
	CONV("conv2d", 0, conv_params),
	CONV("conv3d", 0, NULL),
	CONV("convolution", 0, NULL),
	CONV("_convolution", 0, NULL),
	CONV("cudnn_convolution", 0, NULL),
	CONV("thnn_conv2d", 0, NULL),
	CONV("_conv_depthwise2d", 0, NULL),
	CONV("conv_depthwise3d", 0, NULL),
	CONV("conv_transpose1d", 1, NULL),
	CONV("conv_transpose2d", 1, NULL),
	CONV("conv_transpose3d", 1, NULL),

	SDPA("scaled_dot_product_attention"),
	SDPA("_scaled_dot_product_flash_attention"),
	SDPA("_scaled_dot_product_efficient_attention"),
	SDPA("_scaled_dot_product_cudnn_attention"),
	IS("multi_head_attention_forward", FAM_ATTENTION, NULL),

	CELL("LSTMCell.forward", 0, cell_params),
	CELL("GRUCell.forward", 0, cell_params),
	CELL("RNNCell.forward", 0, cell_params),
	CELL("lstm_cell", 3, NULL),
	CELL("gru_cell", 2, NULL),
	CELL("rnn_tanh_cell", 2, NULL),
	CELL("rnn_relu_cell", 2, NULL),
	IS("lstm", FAM_RNN, NULL),
	IS("gru", FAM_RNN, NULL),
	IS("rnn_tanh", FAM_RNN, NULL),
	IS("rnn_relu", FAM_RNN, NULL),

#include "point.tab"

	{ "embedding", FAM_EMBEDDING, embedding_count, 0, "I=#0,@0E=#1,@1",
	    NULL, NULL },
	EACH("softmax", FAM_SOFTMAX, PE_SOFTMAX, ONE),
	EACH("log_softmax", FAM_SOFTMAX, PE_SOFTMAX, ONE),
	EACH("dropout", FAM_POINTWISE, PE_DROPOUT, ONE),
	IS("batch_norm", FAM_NORM, ONE),
	IS("layer_norm", FAM_NORM, NULL),
	IS("group_norm", FAM_NORM, NULL),
	IS("instance_norm", FAM_NORM, NULL),
	IS("rms_norm", FAM_NORM, NULL),
	{ "sum", FAM_REDUCE, reduce_count, 's', ONE, NULL, NULL },
	{ "mean", FAM_REDUCE, reduce_count, 'm', ONE, NULL, NULL },
	{ "norm", FAM_REDUCE, reduce_count, 'n', ONE, NULL, NULL },
	IS("any", FAM_REDUCE, ONE),
	IS("mse_loss", FAM_NONE, "T=#0,@0red=%2,"),
	IS("adam", FAM_NONE, "T=#0,@0@4"),
	IS("randperm", FAM_NONE, "N=%0,"),

	IS("byte", FAM_MOVE, "T=#0,@0="),
	IS("char", FAM_MOVE, "T=#0,@0="),
	IS("double", FAM_MOVE, "T=#0,@0="),
	IS("float", FAM_MOVE, "T=#0,@0="),
	IS("half", FAM_MOVE, "T=#0,@0="),
	IS("int", FAM_MOVE, "T=#0,@0="),
	IS("long", FAM_MOVE, "T=#0,@0="),
	IS("short", FAM_MOVE, "T=#0,@0="),
	IS("to", FAM_MOVE, "T=#0,@0@0"),
	IS("copy_", FAM_MOVE, "T=#1,@1@0"),
	EACH("clone", FAM_MOVE, PE_COPY, ONE),
	EACH("contiguous", FAM_MOVE, PE_COPY, ONE),
	IS("reshape", FAM_MOVE, ONE),
	IS("gather", FAM_MOVE, ONE),
	IS("nonzero", FAM_MOVE, ONE),
	IS("masked_scatter_", FAM_MOVE, ONE),
	IS("masked_select", FAM_MOVE, "T=#0,M=#1,@0"),
	IS("index_select", FAM_MOVE, "T=#0,D=%1,I=^2,@0"),
	IS("cat", FAM_MOVE, "T=+,@0"),
};

static struct smap by_op;

const struct rule *
rule_find(const char *mod, size_t nmod, const char *op, size_t nop)
{
	static struct buf key;
	uint32_t id;
	size_t i;

	if (by_op.n == 0)
		for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
			id = smap_put(
			    &by_op, rules[i].op, strlen(rules[i].op), NULL);
			if (by_op.val[id] == 0)
				by_op.val[id] = i + 1;
		}
	if (nop == 7 && memcmp(op, "forward", 7) == 0) {
		buf_clear(&key); /* a module's method: LSTMCell.forward */
		buf_put(&key, mod, nmod);
		buf_putc(&key, '.');
		buf_put(&key, op, nop);
		op = key.s;
		nop = key.len;
	}
	id = smap_find(&by_op, op, nop);
	return id == SMAP_NONE ? NULL : &rules[by_op.val[id] - 1];
}

bool
rule_by_grid(const struct rule *rule)
{
	return rule != NULL && rule->params == cell_params;
}

bool
rule_params(const struct rule *rule, const struct work *w, struct buf *b)
{
	size_t was = b->len;

	/* PyProf's word for an element-wise op of numbers alone */
	if (rule != NULL && rule->family == FAM_POINTWISE && w->a->typed &&
	    w->a->n > 0 && arg_tensor(w->a, 0) == NULL) {
		buf_puts(b, "T=[(1,)],fp32,");
		return true;
	}
	if (rule != NULL && rule->params != NULL) {
		if (rule->params(w, b))
			return true;
	} else if (rule != NULL && rule->spec != NULL) {
		if (w->a->typed && params_spec(w, rule->spec, b))
			return true;
	}
	b->len = was;
	return params_any(w, b);
}
