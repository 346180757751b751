/*
 * Types of ops that could use Tensor Cores: what multiplies matrices, in the
 * words of each framework. DLProf's own list is known for conv2d and linear
 * only.
 */
#include "dl_tc.h"

#include <string.h>

static const char *const eligible[] = {
	/* PyTorch, as its functions and its markers are called */
	"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
	"conv_transpose3d", "conv_tbc", "linear", "bilinear", "mm", "bmm",
	"mv", "matmul", "__matmul__", "__rmatmul__", "addmm", "addmm_",
	"addmv", "addmv_", "addbmm", "addbmm_", "baddbmm", "baddbmm_",
	"chain_matmul", "multi_dot", "einsum", "tensordot", "inner", "dot",
	"lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell", "gru_cell",
	"rnn_tanh_cell", "rnn_relu_cell", "LSTM", "GRU", "RNN", "LSTMCell",
	"GRUCell", "RNNCell", "RNNTanhCell", "RNNReLUCell",
	"scaled_dot_product_attention", "multi_head_attention_forward",
	/* ATen, below them */
	"convolution", "_convolution", "_convolution_mode",
	"convolution_overrideable", "cudnn_convolution",
	"cudnn_convolution_transpose", "cudnn_convolution_relu",
	"cudnn_convolution_add_relu", "convolution_backward",
	"thnn_conv2d", "slow_conv3d", "_cudnn_rnn", "_thnn_fused_lstm_cell",
	"_addmm_activation", "_grouped_mm", "_scaled_mm", "_int_mm",
	"_scaled_dot_product_attention_math",
	"_scaled_dot_product_flash_attention",
	"_scaled_dot_product_efficient_attention",
	"_scaled_dot_product_cudnn_attention", "_flash_attention_forward",
	"_efficient_attention_forward", "_native_multi_head_attention",
	/* backward nodes without their forward */
	"Addmm", "Addbmm", "Baddbmm", "Bmm", "Mm", "Mv", "Linear",
	"Convolution", "CudnnConvolution", "CudnnRnn", "Bilinear",
	/* TensorFlow */
	"MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3",
	"SparseMatMul", "_FusedMatMul", "_FusedBatchMatMulV2", "Einsum",
	"XlaEinsum", "XlaDot", "XlaConv", "Conv1D", "Conv2D", "Conv3D",
	"_FusedConv2D", "_FusedConv3D", "Conv2DBackpropInput",
	"Conv2DBackpropFilter", "Conv3DBackpropInput",
	"Conv3DBackpropInputV2", "Conv3DBackpropFilter",
	"Conv3DBackpropFilterV2", "CudnnRNN", "CudnnRNNV2", "CudnnRNNV3",
	"CudnnRNNBackprop", "CudnnRNNBackpropV2", "CudnnRNNBackpropV3",
	"BlockLSTM", "BlockLSTMV2", "LSTMBlockCell", "GRUBlockCell",
	/* TensorRT and ONNX */
	"Conv", "ConvTranspose", "Deconvolution", "Gemm", "FullyConnected",
	/* XLA */
	"gemm", "cublas-gemm", "cublas-lt-matmul", "custom-call-gemm",
	"cudnn-conv", "gemm_fusion_dot", "triton_gemm_dot", "loop_gemm_fusion",
	NULL,
};

bool
dl_tc(struct text type)
{
	const char *const *p;

	if (type.s == NULL)
		return false;
	for (p = eligible; *p != NULL; p++)
		if (strlen(*p) == type.n && memcmp(*p, type.s, type.n) == 0)
			return true;
	return false;
}
