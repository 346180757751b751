/*
 * The Tensor Core rules. What a name means, not which names were seen: the
 * builders of kernels (cuBLAS, cuDNN, CUTLASS, xmma, nvjet, Triton, aten)
 * write instruction, type and purpose into their names. Checked against
 * hardware counters of an H200 (matrix instructions executed); what the
 * names of Volta to Blackwell mean is in NVIDIA's own documents and sources.
 *
 * Order: first what a product leaves to a helper kernel, then marks of
 * matrix instructions, then marks of products without them, at last what is
 * no product at all.
 */
#include <stdbool.h>

#include "pat.h"
#include "tcrules.h"

#define Y TC_YES
#define N TC_NO
#define U TC_UNKNOWN

/* Words of products: a name with one of them is no plain helper. */
#define PRODUCT                                                                \
	"gemm|matmul|_mm_|mm_kernel|conv1|conv2|conv3|conv_|convolu|convfwd|"  \
	"convbwd|attn|attention|mha|mma|einsum|linear|lstm|gru|rnn|mlp|moe|"   \
	"flash|dgrad|wgrad|fprop|winograd|dot_kernel|trsm|syrk|lstsq|getrf|"   \
	"potrf|tensor_op|tensorop|xmma|_mm|dot|chunk_|delta_rule|prefill|"     \
	"decode|mamba|ssd_"

static const struct tc_rule rules[] = {
	/* Helpers of products. The reduction after a split-K product carries
	 * the product's whole name. */
	{ "splitk-reduce", N,
	    "execute_split_k_kernel|splitkreduce|split_k_reduce|"
	    "splitk_reduce|reducesplitk|reduce_split_k|reduce_wgrad" },
	{ "attention-helper", N,
	    "dot_do_o|convert_dq|convert_dkv|flash_bwd_preprocess|"
	    "flashattnbwdpreprocess|flashattnbwdpostprocess|"
	    "flash_bwd_postprocess|splitkv_combine|flash_fwd_combine|"
	    "flashattnfwdcombine|prepare_varlen_num_blocks|"
	    "fmhareductionkernel" },
	{ "xmma-helper", N,
	    "kernel_helper_stage|init_device_workspace|"
	    "xmma_trt_helper|copypackedkernel" },
	{ "layout-helper", N,
	    "nchwtonhwc|nhwctonchw|nchw2nhwc|nhwc2nchw|nchwtonchw|"
	    "tensortransform|addpadding|scalepackedtensor|scaletensor|"
	    "settensor|converttensor|offsetskernel|computeoffsets|"
	    "winogradwgraddata|winogradwgraddelta|winogradwgradoutput|"
	    "winogradforwarddata|winogradforwardfilter|winogradforwardoutput|"
	    "generatewinogradtiles|compute_gemm_pointers|flip_filter|"
	    "im2col|col2im|vol2col|col2vol" },

	/* Products whose name says that they use the plain pipes. */
	{ "ffma", N, "_ffma|_dfma|_hfma2|_ffma2" },
	{ "xmma-fp32", N, "_f32f32_f32f32_f32_|_cf32cf32_f32f32_cf32_" },
	{ "cutlass-template", Y,
	    "mmatensorop|opclasstensorop|tensoropmultiplicand|"
	    "opclasswmmatensorop|opclassblockscaledtensorop" },
	{ "simt", N, "simt" },

	/* Attention. fp32 runs as TF32 from Ampere on, else on plain pipes;
	 * memory-efficient attention's suffix is the architecture. */
	{ "fmha-sm50", N, "fmha_cutlass _sm50" },
	{ "fmha-f32-old", N, "fmha_cutlass _f32_ _sm70|_sm75" },
	{ "fmha-cutlass", Y, "fmha_cutlass _sm#" },
	{ "attention-template", Y,
	    "attentionkernel|attentionbackwardkernel cutlass::arch::sm8|"
	    "cutlass::arch::sm9" },
	{ "flash", Y,
	    "flash_fwd|flash_bwd|flashattn|flash_attn_fwd|flash_attn_bwd|"
	    "flashattention|flash_mla" },
	{ "fmha-half", Y,
	    "fmha bf16|fp16|_f16|half|e4m3|e5m2 !reduc !prepare !convert" },
	{ "fmha-v2", Y, "fmha_v2_|fmhasm#|fmha_sm#" },
	{ "cudnn-fort", Y, "cudnn_generated_fort_native wmma|_mma|gmma|hmma" },
	{ "cudnn-fort-product", Y,
	    "cudnn_generated_fort_native sdpa|conv|matmul|gemm" },

	/* Shapes of matrix instructions in names: s884, h1688, i16832. */
	{ "mma-884", Y, "h884|s884|d884|z884|g884" },
	{ "mma-1688", Y,
	    "h1688|s1688|c1688|d1688|g1688|z1688|i8816|i8832|b88128" },
	{ "mma-16816", Y,
	    "h16816|s16816|c16816|d16816|f16816|s16832|s16864|i16816|"
	    "i16832|i16864|i168128|b168256|h16832|h16864|s161616|h161616|"
	    "i161616|s32816|h32816|s83216|h83216" },
	{ "tensorop", Y, "tensorop|tensor_op" },
	{ "xmma-tensor", Y, "tensor#x#x#|tensor1688|tensor16816|tensor884" },
	{ "cute-mma", Y,
	    "sm70_#x#x#|sm75_#x#x#|sm80_#x#x#|sm89_#x#x#|sm90_#x#x#|"
	    "sm100_mma|sm100_umma|sm100_#x#x#|sm120_#x#x#|sm103_mma|"
	    "sm90::gmma|cute::umma" },
	{ "mma-word", Y,
	    "_hmma|hmma_|_imma_|_dmma_|_bmma_|_qmma_|wgmma|_gmma|gmma_|"
	    "gmma::|tcgen05|utcmma|mma_sync|mmasync|wmma|m16n8k#|m8n8k4|"
	    "m16n16k16" },
	{ "nvjet", Y, "nvjet" },
	{ "trtllm-gen", Y, "^bmm_#|^gemm_#|bmm_bfloat16_|bmm_e4m3|bmm_e2m1" },
	{ "sm90-product", Y,
	    "cutlass3x_sm|sm90_xmma_|sm100_xmma_|sm103_xmma_|sm120_xmma_" },
	{ "xmma", Y,
	    "sm70_xmma_|sm72_xmma_|sm75_xmma_|sm80_xmma_|sm86_xmma_|"
	    "sm87_xmma_|sm89_xmma_|xmma_implicit_gemm|xmma_sparse|"
	    "xmma_warp_specialized|xmma_gemm" },
	{ "deep-gemm", Y,
	    "deep_gemm::|marlin::|machete|gptq_marlin|awq_marlin|"
	    "fp8_gemm_kernel" },
	{ "triton-template", Y, "triton_tem_" },
	{ "jax-gemm-fusion", Y, "gemm_fusion" },

	/* Dense solvers: FP64 ones update with DMMA. */
	{ "getrf-fp64", Y, "getrf_wo_pivot_params_<double," },
	{ "solver-fp64", U,
	    "getrf|potrf|geqrf|larfb|larft|trsm|syrk|herk|sytrf|gesv|ormtr "
	    "double" },
	{ "solver", N,
	    "getrf|getrs|getf2|potrf|potf2|geqr|orgqr|ormqr|larf|lacpy|"
	    "laswp|trsm|syev|gesvd|ipiv|xxtrf|create_pivot|stedc|steqr|"
	    "batch_eye_kernel|copy_info_kernel !double" },

	/* Products on plain pipes. */
	{ "gemv", N,
	    "gemv|gemmsn|gemmk1|gemm1x1|gemmcn|gemm_lds|dot_kernel|"
	    "reduce_1block|sgemm_largek|gemvnsp|gemm_batched_small" },
	{ "old-gemm", N,
	    "maxwell_|pascal_|kepler|fermiplus|magma_|sgemm|dgemm|cgemm|"
	    "zgemm|hgemm|igemm_int|gemmcplx !tensor" },
	{ "direct-conv", N,
	    "conv2d_c1_k1|dgrad2d_c1_k1|wgrad2d_|grouped_direct|depthwise|"
	    "implicit_convolve|convolve_common_engine|convolvend|"
	    "dgrad_engine|wgrad_engine|wgrad_alg0|wgrad_alg1|dgrad2d_alg|"
	    "wgrad2d_alg|conv_kernel_simple|direct_convolution" },
	{ "scudnn", N, "scudnn|hcudnn|winograd" },
	{ "fft", N, "fft|pointwise_mult_and_sum_complex" },
	{ "sparse", N,
	    "csrmm|csrmv|csr_partition|coomv|coomm|cusparse scalar_multiply|"
	    "csr|coo|partition" },
	/* Words of the half-precision first-layer, stride-2 and 1x1 kernels
	 * of old cuDNN: their type is not in the name. */
	{ "cudnn-special", U,
	    "dgrad_1x1_stride_2x2|first_layer_wgrad|conv1x1|direct_group" },
	{ "rnn-persist", U, "persist rnn|lstm|gru" },
	{ "rnn-pointwise", N,
	    "rnn_elementwise|lstm_elementwise|gru_elementwise|"
	    "generic_elementwise|elemwisernncell|lstm_cell|gru_cell|"
	    "lstm_pointwise|gru_pointwise" },
	{ "epilogue", N, "cublaslt::epilogue|scal_kernel" },

	/* No product. */
	{ "triton-fused", N,
	    "triton_poi_|triton_red_|triton_per_|triton_for_|triton_mul_|"
	    "triton_unk_fused|triton_scan_|triton_splitscan_|triton_sort_" },
	{ "xla-fusion", N,
	    "^loop_|^input_|^wrapped_|^reduce_|^transpose_fusion|"
	    "^copy_fusion|^scatter_fusion|^concatenate !gemm !dot" },
	{ "aten", N,
	    "at::native::|at::cuda:: !pack_mm !gemm !_mm_kernel !mma_ "
	    "!cutlass !cute:: !mixed_dtype" },
	{ "cub", N, "cub::|thrust::" },
	/* Eigen's kernels, products too, are plain C++ */
	{ "eigen", N, "eigen::internal::|tensorflow::functor::" },
	/* aten's predecessors, MXNet, cuDNN's own helpers */
	{ "old-frameworks", N,
	    "@cunn_|thc_|thcudatensor|thcunn|mshadow::cuda::map|mxnet_op|"
	    "op_generic_tensor|lookuptable|indexing_backward|indexadd|"
	    "pooling_fw|pooling_bw|lrn_|activation_fw|activation_bw "
	    "!" PRODUCT },
	{ "nccl", N,
	    "nccl|nvshmem|allreduce|all_reduce|allgather|"
	    "reducescatter|one_shot|two_shot !" PRODUCT },
	{ "optimizer", N,
	    "multi_tensor_apply|fusedadam|fused_adam|fusedsgd|adamw|lamb_" },
	{ "norm", N,
	    "@::bn_fw|::bn_bw|batchnorm|batch_norm|layernorm|layer_norm|"
	    "rmsnorm|rms_norm|groupnorm|group_norm|ln_fwd|ln_bwd|"
	    "softmax|instancenorm|cross_entropy !" PRODUCT },
	{ "element", N,
	    "@elementwise|element_wise|pointwise|activation|relu|gelu|silu|"
	    "sigmoid|tanh|swiglu|dropout|fill_kernel|fillkernel|^fill|memset|"
	    "memcpy|copy|convert|cast_kernel|quantize|scale|axpy|add_kernel|"
	    "mul_kernel|vectoradd|vecadd|vector_add|rotary|rope_|bias_ "
	    "!" PRODUCT },
	{ "move", N,
	    "@transpose|permute|gather|scatter|embedding|index_select|"
	    "index_put|index_add|indexselect|concat|catarray|pad_kernel|"
	    "arange|triu|tril|upsample|interpol|resize !" PRODUCT },
	{ "reduce", N,
	    "@reduce|reduction|sort|topk|argmax|argmin|cumsum|histogram|"
	    "unique|maxpool|avgpool|max_pool|avg_pool|loss|criterion|norm_"
	    "kernel|"
	    "philox|curand|bernoulli|_sum|sum_kernel !" PRODUCT },
};

#undef Y
#undef N
#undef U

const struct tc_rule *
tc_decide(const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (pat_match(rules[i].pat, name, n))
			return &rules[i];
	return NULL;
}
