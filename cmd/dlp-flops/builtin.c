/*
 * The table of ops whose count is a function. One row per op type; types of
 * PyProf's markers and of emit_nvtx (aten::linear is linear) share a row where
 * their arguments stand in the same order. A row with FAM_NONE only says how
 * PyProf prints it.
 */
#include <string.h>

#include "attention.h"
#include "builtin.h"
#include "cell.h"
#include "conv.h"
#include "einsum.h"
#include "gemm.h"
#include "params.h"
#include "rnn.h"
#include "triton.h"

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
#define CONV_BWD(o)                                                            \
	{                                                                      \
		o, FAM_CONV, conv_count, C_BACKWARD, NULL, NULL, NULL          \
	}
#define PW(o) IS(o, FAM_POINTWISE, POINT)
#define IS(o, fam, spec)                                                       \
	{                                                                      \
		o, fam, NULL, 0, spec, NULL, NULL                              \
	}
#define SDPA_OF(o, flags)                                                      \
	{                                                                      \
		o, FAM_ATTENTION, attention_count, flags, NULL, NULL, NULL     \
	}
#define SDPA(o) SDPA_OF(o, 0)
#define SDPA_BWD(o) SDPA_OF(o, A_BACKWARD)
#define CELL(o, weight, fn)                                                    \
	{                                                                      \
		o, FAM_GEMM, cell_count, weight, NULL, fn, NULL                \
	}

#define RNN(o)                                                                 \
	{                                                                      \
		o, FAM_RNN, rnn_count, 0, NULL, NULL, NULL                     \
	}

static const struct rule rules[] = {
	/* products; the number is the place of the left operand */
	GEMM("linear", G_LINEAR, linear_params),
	GEMM("mm", 0, mm_params),
	{ "_int_mm", FAM_GEMM_INT, gemm_count, 0, NULL, mm_params, NULL },
	GEMM("_scaled_mm", 0, mm_params),
	{ "_grouped_mm", FAM_GEMM, grouped_count, 0, NULL, NULL, NULL },
	{ "_scaled_grouped_mm", FAM_GEMM, grouped_count, 0, NULL, NULL, NULL },
	GEMM("addmm", 1, addmm_params),
	GEMM("addmm_", 1, addmm_params),
	GEMM("_addmm_activation", 1, addmm_params),
	GEMM("bmm", 0, bmm_params),
	GEMM("baddbmm", 1, NULL),
	GEMM("addbmm", 1, NULL),
	GEMM("addbmm_", 1, NULL),
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
	{ "triton_tem", FAM_GEMM_FUSED, triton_count, 0, NULL, NULL, NULL },

	CONV("conv1d", 0, conv_params),
	CONV("conv2d", 0, conv_params),
	CONV("conv3d", 0, NULL),
	CONV("convolution", 0, NULL),
	CONV("_convolution", 0, NULL),
	CONV("cudnn_convolution", 0, NULL),
	CONV("thnn_conv2d", 0, NULL),
	CONV("_conv_depthwise2d", 0, NULL),
	CONV("conv_depthwise3d", 0, NULL),
	CONV("convolution_overrideable", 0, NULL),
	CONV("cudnn_convolution_relu", 0, NULL),
	CONV("cudnn_convolution_add_relu", 0, NULL),
	CONV("_slow_conv2d_forward", 0, NULL),
	CONV("slow_conv_dilated2d", 0, NULL),
	CONV("slow_conv_dilated3d", 0, NULL),
	CONV("cudnn_convolution_transpose", C_TRANSPOSED, NULL),
	CONV("slow_conv_transpose2d", C_TRANSPOSED, NULL),
	CONV("slow_conv_transpose3d", C_TRANSPOSED, NULL),
	CONV_BWD("convolution_backward"),
	CONV_BWD("convolution_backward_overrideable"),
	CONV("conv_transpose1d", C_TRANSPOSED, NULL),
	CONV("conv_transpose2d", C_TRANSPOSED, NULL),
	CONV("conv_transpose3d", C_TRANSPOSED, NULL),

	SDPA("scaled_dot_product_attention"),
	SDPA("_scaled_dot_product_flash_attention"),
	SDPA("_scaled_dot_product_efficient_attention"),
	SDPA("_scaled_dot_product_cudnn_attention"),
	SDPA("_scaled_dot_product_fused_attention_overrideable"),
	SDPA_BWD("_scaled_dot_product_flash_attention_backward"),
	SDPA_BWD("_scaled_dot_product_efficient_attention_backward"),
	SDPA_BWD("_scaled_dot_product_cudnn_attention_backward"),
	SDPA_BWD("_scaled_dot_product_fused_attention_overrideable_backward"),
	SDPA_OF("_flash_attention_forward", A_ROWS),
	SDPA_OF("_flash_attention_backward", A_ROWS | A_BACKWARD),
	SDPA_OF("_efficient_attention_forward", A_ROWS),
	SDPA_OF("_efficient_attention_backward", A_ROWS | A_BACKWARD),
	SDPA_OF("_flash_attn_forward", A_ROWS),
	SDPA_OF("_flash_attn_backward", A_ROWS | A_BACKWARD),
	IS("multi_head_attention_forward", FAM_ATTENTION, NULL),

	CELL("LSTMCell.forward", 0, cell_params),
	CELL("GRUCell.forward", 0, cell_params),
	CELL("RNNCell.forward", 0, cell_params),
	CELL("lstm_cell", 3, NULL),
	CELL("gru_cell", 2, NULL),
	CELL("rnn_tanh_cell", 2, NULL),
	CELL("rnn_relu_cell", 2, NULL),
	RNN("lstm"),
	RNN("gru"),
	RNN("rnn_tanh"),
	RNN("rnn_relu"),
	RNN("_cudnn_rnn"),
	RNN("LSTM.forward"),
	RNN("GRU.forward"),
	RNN("RNN.forward"),

#include "point.inc"

	IS("embedding", FAM_EMBEDDING, "I=#0,@0E=#1,@1"),
	IS("softmax", FAM_SOFTMAX, ONE),
	IS("log_softmax", FAM_SOFTMAX, ONE),
	IS("dropout", FAM_DROPOUT, ONE),
	IS("batch_norm", FAM_NORM, ONE),
	IS("layer_norm", FAM_NORM, NULL),
	IS("group_norm", FAM_NORM, NULL),
	IS("instance_norm", FAM_NORM, NULL),
	IS("rms_norm", FAM_NORM, NULL),
	IS("sum", FAM_REDUCE, ONE),
	IS("mean", FAM_REDUCE, ONE),
	IS("norm", FAM_REDUCE, ONE),
	IS("any", FAM_REDUCE, ONE),
	IS("mse_loss", FAM_LOSS, "T=#0,@0red=%2,"),
	IS("adam", FAM_OPTIMIZER, "T=#0,@0@4"),
	IS("randperm", FAM_INDEX, "N=%0,"),

	IS("byte", FAM_COPY, "T=#0,@0="),
	IS("char", FAM_COPY, "T=#0,@0="),
	IS("double", FAM_COPY, "T=#0,@0="),
	IS("float", FAM_COPY, "T=#0,@0="),
	IS("half", FAM_COPY, "T=#0,@0="),
	IS("int", FAM_COPY, "T=#0,@0="),
	IS("long", FAM_COPY, "T=#0,@0="),
	IS("short", FAM_COPY, "T=#0,@0="),
	IS("to", FAM_COPY, "T=#0,@0@0"),
	IS("copy_", FAM_COPY, "T=#1,@1@0"),
	IS("clone", FAM_COPY, ONE),
	IS("contiguous", FAM_COPY, ONE),
	IS("reshape", FAM_COPY, ONE),
	IS("gather", FAM_INDEX, ONE),
	IS("nonzero", FAM_INDEX, ONE),
	IS("masked_scatter_", FAM_INDEX, ONE),
	IS("masked_select", FAM_INDEX, "T=#0,M=#1,@0"),
	IS("index_select", FAM_INDEX, "T=#0,D=%1,I=^2,@0"),
	IS("cat", FAM_INDEX, "T=+,@0"),
};

const struct rule *
built_in(const char *op, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (strlen(rules[i].op) == n && memcmp(rules[i].op, op, n) == 0)
			return &rules[i];
	return NULL;
}
