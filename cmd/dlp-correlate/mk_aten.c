/*
 * Names of ATen's ops as PyTorch before 1.6 wrote them into ranges: without a
 * namespace, and without a tail if no gradient was recorded ("addmm"). The
 * names have no final _ (in place) here. Words that programs also use for their
 * own ranges and layers (linear, dropout, sum) are in a table of their own.
 * Source: native_functions.yaml of PyTorch 1.0 to 1.5.
 */
#include "array.h"
#include "mk.h"

#include <stdlib.h>

/* clang-format off */
static const char *const telling[] = {
	"CudaTransfer", "_adaptive_avg_pool2d",
	"_adaptive_avg_pool2d_backward", "_baddbmm_mkl", "_bmm", "_cast_Float",
	"_cast_Half", "_cat", "_convolution", "_convolution_nogroup",
	"_ctc_loss", "_ctc_loss_backward", "_cudnn_ctc_loss",
	"_cudnn_init_dropout_state", "_cudnn_rnn", "_cudnn_rnn_backward",
	"_cudnn_rnn_flatten_weight", "_dim_arange", "_embedding_bag",
	"_embedding_bag_backward", "_embedding_bag_dense_backward",
	"_fft_with_size", "_fused_dropout", "_fused_dropout_backward",
	"_local_scalar_dense", "_log_softmax", "_log_softmax_backward_data",
	"_masked_scale", "_nnpack_spatial_convolution",
	"_pack_padded_sequence", "_pad_packed_sequence", "_reshape_alias",
	"_s_where", "_shape_as_tensor", "_softmax", "_softmax_backward_data",
	"_th_addmm", "_thnn_differentiable_lstm_cell_backward",
	"_thnn_fused_gru_cell", "_thnn_fused_lstm_cell", "_to_copy", "_unique",
	"_unique2", "_unsafe_view", "_weight_norm",
	"_weight_norm_cuda_interface", "acos", "adaptive_avg_pool2d_backward",
	"adaptive_avg_pool3d", "adaptive_max_pool1d",
	"adaptive_max_pool2d_backward", "addbmm", "addcdiv", "addcmul",
	"addmm", "addmv", "addr", "affine_grid_generator", "allclose",
	"alpha_dropout", "as_strided", "asin", "atan", "atan2",
	"avg_pool2d_backward", "baddbmm", "bartlett_window",
	"binary_cross_entropy", "binary_cross_entropy_backward",
	"binary_cross_entropy_with_logits", "blackman_window", "bmm",
	"broadcast_tensors", "cauchy", "chain_matmul", "cholesky_inverse",
	"cholesky_solve", "clamp", "clamp_max", "clamp_min", "col2im", "conj",
	"constant_pad_nd", "conv_tbc", "conv_transpose1d", "conv_transpose3d",
	"cos", "cosh", "cosine_embedding_loss", "cudnn_affine_grid_generator",
	"cudnn_batch_norm", "cudnn_batch_norm_backward", "cudnn_convolution",
	"cudnn_convolution_backward", "cudnn_convolution_backward_input",
	"cudnn_convolution_backward_weight", "cudnn_convolution_transpose",
	"cudnn_grid_sampler", "cudnn_is_acceptable", "cummax", "cummin",
	"diag_embed", "diagonal", "digamma", "elu_backward",
	"embedding_backward", "embedding_dense_backward", "embedding_renorm",
	"embedding_sparse_backward", "empty_like", "empty_strided", "erf",
	"erfc", "erfinv", "expand", "expand_as", "expm1",
	"feature_alpha_dropout", "feature_dropout", "floor_divide", "fmod",
	"frac", "fractional_max_pool2d", "frobenius_norm", "full_like",
	"gelu_backward", "geometric", "geqrf", "ger", "gesv", "glu_backward",
	"grid_sampler", "grid_sampler_2d", "grid_sampler_2d_backward",
	"grid_sampler_3d", "hamming_window", "hann_window", "hardshrink",
	"hardtanh", "hardtanh_backward", "hinge_embedding_loss", "hspmm",
	"im2col", "index_add", "index_copy", "index_fill", "index_put",
	"index_select", "is_floating_point", "is_nonzero", "is_same_size",
	"isclose", "isfinite", "isnan", "kl_div_backward", "kthvalue",
	"l1_loss_backward", "leaky_relu_backward", "lerp", "lgamma", "log10",
	"log1p", "log2", "log_normal", "log_sigmoid", "log_sigmoid_backward",
	"log_sigmoid_forward", "logdet", "logical_and", "logical_not",
	"logical_or", "logical_xor", "logspace", "logsumexp", "lstsq",
	"lu_solve", "margin_ranking_loss", "masked_fill", "masked_scale",
	"masked_scatter", "masked_select", "matrix_power", "matrix_rank",
	"max_pool2d_with_indices", "max_pool2d_with_indices_backward",
	"max_pool3d_with_indices", "max_unpool2d", "max_unpool3d",
	"max_values", "min_values", "miopen_batch_norm", "miopen_convolution",
	"mkldnn_convolution", "mm", "mse_loss_backward", "multi_margin_loss",
	"multilabel_margin_loss", "mvlgamma", "narrow", "narrow_copy",
	"native_batch_norm", "native_batch_norm_backward", "native_dropout",
	"native_group_norm", "native_layer_norm", "native_layer_norm_backward",
	"native_norm", "neg", "new_empty", "new_full", "new_ones", "new_zeros",
	"nll_loss2d", "nll_loss2d_backward", "nll_loss_backward",
	"nll_loss_forward", "norm_except_dim", "nuclear_norm", "numpy_T",
	"ones_like", "orgqr", "ormqr", "pad_packed_sequence",
	"pairwise_distance", "pin_memory", "pinverse", "poisson_nll_loss",
	"polygamma", "quantize_per_tensor", "rand_like", "randint",
	"randint_like", "randn_like", "reciprocal", "reflection_pad1d",
	"reflection_pad2d", "reflection_pad2d_backward", "remainder", "renorm",
	"repeat_interleave", "replication_pad1d", "replication_pad2d",
	"replication_pad3d", "reshape_as", "resize_as", "rnn_relu_cell",
	"rnn_tanh", "rnn_tanh_cell", "rot90", "rrelu", "rrelu_with_noise",
	"rsqrt", "rsub", "s_native_addmm", "scalar_tensor", "scatter_add",
	"sigmoid_backward", "sin", "sinh", "slogdet", "slow_conv2d_forward",
	"smm", "smooth_l1_loss", "smooth_l1_loss_backward", "soft_margin_loss",
	"softplus_backward", "softshrink", "split_with_sizes", "squeeze",
	"sspaddmm", "std_mean", "stft", "sum_to_size", "symeig", "tan",
	"tanh_backward", "th_addmm", "thnn_conv2d", "thnn_conv2d_backward",
	"thnn_conv2d_forward", "thnn_conv3d", "thnn_conv_depthwise2d",
	"threshold_backward", "to_dense", "to_mkldnn", "to_sparse", "trapz",
	"triangular_solve", "triplet_margin_loss", "true_divide", "trunc",
	"type_as", "unbind", "unfold", "unique_consecutive", "unique_dim",
	"unsqueeze", "upsample_bicubic2d", "upsample_bilinear2d",
	"upsample_bilinear2d_backward", "upsample_linear1d",
	"upsample_nearest1d", "upsample_nearest2d",
	"upsample_nearest2d_backward", "upsample_nearest3d",
	"upsample_trilinear3d", "var_mean", "view_as", "zeros_like",
};

static const char *const common_words[] = {
	"abs", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
	"adaptive_max_pool2d", "add", "alias", "all", "any", "arange",
	"argmax", "argmin", "argsort", "avg_pool1d", "avg_pool2d",
	"avg_pool3d", "batch_norm", "bernoulli", "bilinear", "bincount", "cat",
	"cdist", "ceil", "celu", "cholesky", "chunk", "clone", "contiguous",
	"conv1d", "conv2d", "conv3d", "conv_transpose2d", "convolution",
	"copy", "cosine_similarity", "cross", "ctc_loss", "cumprod", "cumsum",
	"det", "detach", "diag", "dist", "div", "dot", "dropout", "einsum",
	"elu", "embedding", "embedding_bag", "empty", "eq", "equal", "exp",
	"exponential", "eye", "fft", "fill", "flatten", "flip", "floor",
	"full", "gather", "ge", "gelu", "glu", "group_norm", "gru", "gru_cell",
	"gt", "hardsigmoid", "hardswish", "histc", "ifft", "index",
	"instance_norm", "inverse", "irfft", "item", "kl_div", "l1_loss",
	"layer_norm", "le", "leaky_relu", "linear", "linspace", "log",
	"log_softmax", "lstm", "lstm_cell", "lt", "matmul", "max",
	"max_pool1d", "max_pool2d", "max_pool3d", "mean", "median", "meshgrid",
	"min", "mode", "mse_loss", "mul", "multinomial", "mv", "ne",
	"nll_loss", "nonzero", "norm", "normal", "one_hot", "ones", "pdist",
	"permute", "pixel_shuffle", "poisson", "pow", "prelu", "prod", "put",
	"qr", "rand", "randn", "random", "randperm", "range", "real", "relu",
	"relu6", "repeat", "reshape", "resize", "rfft", "rnn_relu", "roll",
	"round", "scatter", "select", "selu", "set", "sigmoid", "sign", "silu",
	"size", "slice", "softmax", "softplus", "solve", "sort", "sparse_mask",
	"split", "sqrt", "stack", "std", "stride", "sub", "sum", "svd", "t",
	"take", "tanh", "tensordot", "threshold", "to", "topk", "trace",
	"transpose", "tril", "triu", "uniform", "values", "var", "view",
	"where", "zero", "zeros",
};
/* clang-format on */

enum aten_name
mk_aten(struct mview v)
{
	bool in_place = v.n > 1 && v.s[v.n - 1] == '_';

	v.n -= in_place;
	if (v.n == 0 || v.n > 64)
		return ATEN_NO;
	if (mv_listed(v, telling, ARRAY_LEN(telling)))
		return ATEN_TELLING;
	if (!mv_listed(v, common_words, ARRAY_LEN(common_words)))
		return ATEN_NO;
	return in_place ? ATEN_TELLING : ATEN_WORD;
}
