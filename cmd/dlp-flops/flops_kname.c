/*
 * Facts from kernel names, by tables of patterns (pat.h); see kern_work.h.
 * Names are matched in lower case. Each table names the library that writes
 * such names, with a sample.
 */

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "kern_work.h"
#include "num.h"
#include "pat.h"

struct dt_rule {
	enum dtype dt;
	const char *pat;
};

/*
 * Operand types that builders of products write into names; the first match
 * decides. Read off cuBLAS', cuDNN's and NCCL's names in profiles, and from
 * CUTLASS (tools/library/src/util.cu, which composes procedural names).
 */
static const struct dt_rule dt_rules[] = {
	/* nvjet (cuBLAS from Hopper on): a letter each for operand, accumulator
	 * and result: nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT */
	{ DT_FP8E5, "nvjet _qr|_rq|_rr" },
	{ DT_FP8E4, "nvjet _qq" },
	{ DT_FP4, "nvjet _oo" },
	{ DT_BF16, "nvjet _tst_|_tss_|_ttt_|_tts_" },
	{ DT_FP16, "nvjet _hsh_|_hss_|_hhh_" },
	{ DT_TF32, "nvjet _sss_" },
	{ DT_FP64, "nvjet _ddd_" },
	{ DT_INT8, "nvjet _bb|_iii" },
	/* xmma (cuDNN, cuBLAS): operand, compute and result types:
	 * sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x16_... */
	{ DT_C128, "xmma cf64cf64" },
	{ DT_C64, "xmma cf32cf32" },
	{ DT_TF32, "xmma tf32f32" },
	{ DT_BF16, "xmma bf16bf16" },
	{ DT_FP16, "xmma _f16f16" },
	{ DT_FP64, "xmma _f64f64" },
	{ DT_INT8, "xmma _i8i8|_i8f32|_u8i8" },
	{ DT_FP8E5, "xmma e5m2" },
	{ DT_FP8E4, "xmma e4m3" },
	{ DT_FP32, "xmma _f32f32_f32f32" },
	/* CUTLASS' procedural names, and cuBLAS and cuDNN before them:
	 * cutlass_80_tensorop_s1688gemm_128x128_16x4_nn_align4,
	 * volta_h884gemm_128x64_ldg8_nn, ampere_sgemm_32x32_sliced1x4_tn */
	{ DT_INT4, "tensorop _s4|_u4" },
	{ DT_INT8, "i8816|i16832|i8832|i16816|i16864|int8_|_s8_|_u8_" },
	{ DT_FP64, "tensorop d884|d1688|d16816|dgemm" },
	{ DT_C128, "tensorop z884|g884|zgemm" },
	{ DT_C64, "tensorop c1688|g1688|cgemm" },
	{ DT_FP8E5, "tensorop e5m2" },
	{ DT_FP8E4, "tensorop e4m3" },
	{ DT_BF16, "tensorop _bf16" },
	{ DT_FP16, "tensorop _f16|h884|h1688|h16816|h161616" },
	{ DT_TF32, "tensorop s1688|tf32" },
	{ DT_FP16, "tensorop s884|s16816|s161616" },
	{ DT_BF16, "ampere_bf16|hopper_bf16|sm90_bf16" },
	{ DT_FP16, "fp16_s|h884|h1688|h16816|_hgemm|volta_fp16|turing_fp16" },
	{ DT_FP64, "_dgemm|simt_dgemm|^dgemm" },
	{ DT_C128, "_zgemm|zgemm1x1" },
	{ DT_C64, "_cgemm|gcgemm|simt_cgemm" },
	{ DT_FP32, "_sgemm|scudnn|^sgemm|simt_sgemm|_ffma" },
	/* attention: fmha_cutlassF_f32_aligned_64x64_rf_sm80 (xformers),
	 * pytorch_flash::flash_fwd_kernel<..., cutlass::bfloat16_t, ...> */
	{ DT_BF16, "fmha|flash|sdpa|attention bf16|bfloat16" },
	{ DT_FP8E4, "fmha|flash|sdpa|attention e4m3" },
	/* in cuDNN's attention _f16 is either of the 16-bit types:
	 * cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_...
	 */
	{ DT_16BIT, "cudnn_generated sdpa _f16" },
	{ DT_FP16,
	    "fmha|flash|sdpa|attention _f16|half|fp16 !cudnn_generated" },
	{ DT_TF32, "fmha_cutlass _f32_ _sm8|_sm9|_sm10|_sm12" },
	{ DT_FP32, "fmha_cutlass _f32_" },
	/* NCCL: the type of the message:
	 * ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage) */
	{ DT_BF16, "nccl _bf16|bfloat16" },
	{ DT_FP16, "nccl _f16|_half" },
	{ DT_FP64, "nccl _f64|_double" },
	{ DT_FP32, "nccl _f32|_float" },
	{ DT_INT64, "nccl _i64|_u64|_int64|_uint64" },
	{ DT_INT32, "nccl _i32|_u32|_int32|_uint32" },
	{ DT_INT8, "nccl _i8|_u8|_int8|_uint8" },
};

struct part_rule {
	enum kpart part;
	const char *pat;
};

/* The part of a kernel in an op that is a product or convolution, for kernels
 * that are not the product; the first match decides. */
static const struct part_rule part_rules[] = {
	{ KP_AUX,
	    "execute_split_k_kernel|splitkreduce|split_k_reduce|"
	    "splitk_reduce|reducesplitk|reduce_wgrad|reduce_1block|"
	    "dot_do_o|convert_dq|flash_bwd_preprocess|postprocess|"
	    "splitkv_combine|flash_fwd_combine|kernel_helper_stage|"
	    "init_device_workspace|tensortransform|addpadding|"
	    "scalepackedtensor|"
	    "scaletensor|settensor|converttensor|offsetskernel|"
	    "computeoffsets|compute_gemm_pointers|flip_filter|im2col|col2im|"
	    "kern_precompute_indices|"
	    "vol2col|col2vol|fft1d_|fft2d_|fft3d_|regular_fft|vector_fft|"
	    "cublaslt::epilogue|scal_kernel|unpack_cudnn|amax" },
	/* except products of Volta and Turing that convert while they load or
	 * store:
	 * volta_fp16_s884cudnn_fp16_256x64_ldg8_relu_f2f_exp_..._nhwc2nchw */
	{ KP_AUX, "nchwtonhwc|nhwctonchw|nchw2nhwc|nhwc2nchw "
		  "!884 !1688 !16816 !8816 !scudnn !hcudnn !_xmma_" },
	/* Winograd in steps, with a GEMM as the product between them:
	 * cudnn::winograd_nonfused::winogradForwardData4x4<float, float> */
	{ KP_AUX,
	    "winogradwgraddata|winogradwgraddelta|winogradwgradoutput|"
	    "winogradforwarddata|winogradforwardfilter|winogradforwardoutput|"
	    "generatewinogradtiles" },
	/* AMD: MIOpen scales its tensors; Tensile's kernels without a tile
	 * (MT64x64x32) clear a result, or sum up its parts */
	{ KP_AUX, "^subtensorop|^im2d2col|^col2im2d" },
	{ KP_AUX, "^cijk_ !_mt#x#" },
	{ KP_ELEM, "^optensor" },
	/* vLLM's copy of keys and values: ..._flash_kernel */
	{ KP_AUX, "reshape_and_cache" },
	{ KP_AUX, "copy_kernel|copy_device|catarray|fillfunctor|fill_kernel|"
		  "transpose|memset|memcpy|philox|quantize" },
	{ KP_REDUCE,
	    "calc_bias_diff|kernelreducecontigdim|kernelreducenoncontigdim|"
	    "::reduce_kernel|^reduce_kernel|void reduce_kernel" },
	{ KP_ELEM,
	    "elementwise_kernel|kernelpointwiseapply|add_tensor|addtensor|"
	    "op_generic_tensor|add_bias|bias_add|triton_poi_" },
	{ KP_AUX, "at::native:: !conv !gemm !mm_kernel !dot_kernel" },
	{ KP_AUX, "softmax !attn !attention !mha !flash !sdpa" },
	{ KP_AUX, "cub::|thrust::" },
};

static bool
ident(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The first C++ number type in a template name. */
static enum dtype
first_type(const char *s, size_t n)
{
	size_t i, j;
	enum dtype t;

	for (i = 0; i < n; i = j) {
		for (j = i; j < n && ident(s[j]); j++)
			;
		if (j == i) {
			j++;
			continue;
		}
		t = dt_cpp(s + i, j - i);
		if (t == DT_FP32 && i >= 8 &&
		    memcmp(s + i - 8, "complex<", 8) == 0)
			return DT_C64;
		if (t == DT_FP64 && i >= 8 &&
		    memcmp(s + i - 8, "complex<", 8) == 0)
			return DT_C128;
		if (t != DT_NONE)
			return t;
	}
	return DT_NONE;
}

static void
set_dtype(struct kname *k, const struct pat_name *p)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(dt_rules); i++)
		if (pat_find(dt_rules[i].pat, p)) {
			k->dt = dt_rules[i].dt;
			k->dt_sure = k->dt != DT_16BIT;
			return;
		}
	if (k->tc.dt != DT_NONE) {
		k->dt = k->tc.dt;
		k->dt_sure = true;
		return;
	}
	k->dt = first_type(k->lower, k->len);
	if (k->dt == DT_FP32 && k->tc.verdict == TC_YES)
		k->dt = DT_TF32; /* matrix units cannot take FP32 */
}

static void
set_part(struct kname *k, const struct pat_name *p)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(part_rules); i++)
		if (pat_find(part_rules[i].pat, p)) {
			k->part = part_rules[i].part;
			return;
		}
	k->part = KP_MAIN;
	if (pat_find("wgrad|backward_weight|bwd_filter|grad_weight", p)) {
		k->dir = KD_WGRAD;
		k->dir_sure = true;
	} else if (pat_find("dgrad|backward_input|bwd_data", p)) {
		k->dir = KD_DGRAD;
		k->dir_sure = true;
	} else if (pat_find("gemm _nt_|_nt", p)) {
		k->dir = KD_WGRAD;
	} else if (pat_find("gemm _nn_|_nn", p)) {
		k->dir = KD_DGRAD;
	}
}

static void
set_method(struct kname *k, const struct pat_name *p)
{
	static const struct {
		unsigned bit;
		const char *pat;
	} methods[] = {
		{ METHOD_FFT, "fft|spradix|spvector|pointwise_mult_and_sum" },
		{ METHOD_WINOGRAD, "winograd" },
		{ METHOD_GEMV, "gemv|gemmk1|dot_kernel" },
		{ METHOD_SMALL, "gemmsn|gemm_kernel1x1|gemm_kernel2x2" },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(methods); i++)
		if (pat_find(methods[i].pat, p))
			k->method |= methods[i].bit;
}

/* Words of the builders of products. A type is not enough, because other names
 * contain types as well. */
static const char product_words[] =
    "gemm|scudnn|hcudnn|xmma|nvjet|tensorop|fmha|flash|sdpa|attention|_ffma";

/* The generation that the builder's prefix names, which is the oldest that can
 * run the kernel: nvjet runs on Hopper and later, ampere_sgemm_128x64_nn on
 * Ampere and later. */
static void
set_arch(struct kname *k, const struct pat_name *p)
{
	static const struct {
		int arch;
		const char *pat;
	} archs[] = {
		{ 100, "sm100_|sm103_|cutlass3x_sm100" },
		{ 90, "sm90_|hopper_|nvjet" },
		{ 80, "sm80_|sm86_|sm89_|ampere_|cutlass_80_" },
		{ 75, "sm75_|turing_|cutlass_75_" },
		{ 70, "sm70_|volta_|cutlass_70_" },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(archs); i++)
		if (pat_find(archs[i].pat, p)) {
			k->arch = archs[i].arch;
			return;
		}
}

/* The number of elements to which operands are aligned. CUTLASS ends its names
 * with it, cutlass_80_tensorop_f16_s16816gemm_..._tn_align8; xmma gives it for
 * each operand,
 * ..._tilesize64x64x64_stage4_warpsize2x2x1_..._aligna4_alignc4_execute_kernel.
 */
static void
set_align(struct kname *k)
{
	static const char word[] = "_align";
	const size_t n = sizeof(word) - 1;
	size_t i, at;

	for (i = 0; i + n < k->len && k->align == 0; i++)
		if (memcmp(k->lower + i, word, n) == 0) {
			at = i + n + (k->lower[i + n] == 'a');
			k->align = (int)strtol(k->lower + at, NULL, 10);
		}
}

/* Bytes that each thread of a gather kernel copies (operand.c), from
 * vectorized_gather_kernel<16, long>; 0 if it is another kernel. */
static int
gather_unit(const char *s, size_t n)
{
	static const char mark[] = "vectorized_gather_kernel<";
	const char *p = strstr(s, mark);
	int64_t v;

	if (p == NULL)
		return 0;
	p += sizeof(mark) - 1;
	if (*p == '(') /* (int)16 */
		p += strcspn(p, ")") + 1;
	if (p > s + n || !num_i64(p, strcspn(p, ",>"), &v) || v < 1 || v > 16)
		return 0;
	return (int)v;
}

/* Names of kernels that do no arithmetic: casts (autocast launches them inside
 * products and for gradients), copies of lists of tensors, joining and
 * splitting of tensors. */
static const char copy_words[] =
    "direct_copy_kernel|float16_copy_kernel|float8_copy_kernel|"
    "split_with_sizes_copy|chunk_cat_cuda|catarraybatchedcopy|"
    "at::native::copy<";

void
kname_set(struct kname *k, const struct namerules *tc_rules, const char *full,
    size_t n, const char *brief, size_t nbrief)
{
	struct pat_name p;
	size_t i;

	memset(k, 0, sizeof(*k));
	k->lower = xmemdup(full, n);
	k->len = n;
	for (i = 0; i < n; i++)
		if (k->lower[i] >= 'A' && k->lower[i] <= 'Z')
			k->lower[i] = (char)(k->lower[i] - 'A' + 'a');
	pat_name_set(&p, k->lower, n);
	if (brief != NULL)
		k->last = xmemdup(brief, nbrief);
	k->tc = tc_decide(tc_rules, k->lower, n);
	set_dtype(k, &p);
	set_part(k, &p);
	elem_set(&k->elem, k->lower, n);
	if (k->dt == DT_NONE)
		k->dt = k->elem.dt;
	k->esize = elem_opaque(k->lower, n);
	k->gather = gather_unit(k->lower, n);
	k->copies = pat_find(copy_words, &p);
	set_method(k, &p);
	set_arch(k, &p);
	set_align(k);
	k->product =
	    k->dt_sure && k->part == KP_MAIN && pat_find(product_words, &p);
}

void
kname_free(struct kname *k)
{
	free(k->lower);
	free(k->last);
}

/*
 * Families by kernel names, for kernels whose op has no rule:
 *
 *	ncclDevKernel_AllReduce_Sum_f32_RING_LL, ncclKernel_AllReduce_...
 *	triton_poi_fused_add_gelu_3
 *
 * Inductor puts into the name of a kernel its kind (poi: pointwise, red, per:
 * reduction, tem: template of a product, for: foreach) and the aten ops that
 * went into it, joined by _ (torch/_inductor/codegen/triton.py and
 * get_fused_kernel_name in torch/_inductor/utils.py). If all ops that do work
 * are of one family the kernel is of that family, otherwise it is fused. Sizes
 * are not in the name, so neither operations nor bytes are known.
 */

/* The beginnings of op names; a longer one precedes a shorter one. FAM_NONE:
 * ops that only move or name data, and words of other ops' names. */
static const struct {
	const char *op;
	enum family family;
} fused_ops[] = {
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
	{ "backward", FAM_NONE }, /* this word and the next end an op's name */
	{ "data", FAM_NONE },
	{ "with", FAM_NONE },
	{ "indices", FAM_NONE },
	{ "convolution", FAM_POINTWISE }, /* its bias; the product is a tem */
	{ "addmm", FAM_POINTWISE },
	{ "mm", FAM_POINTWISE },
	{ "bmm", FAM_POINTWISE },
};

static const struct {
	const char *pat;
	enum family family;
} family_patterns[] = {
	{ "nccldevkernel|ncclkernel|^nccl", FAM_COLLECTIVE },
	{ "triton_tem_ convolution", FAM_CONV_FUSED },
	{ "triton_tem_ attention", FAM_ATTENTION },
	{ "triton_tem_ mm", FAM_GEMM_FUSED },
	{ "triton_for_", FAM_OPTIMIZER },
};

/* The family of the op that begins at s. It ends at the next _ after the part
 * in the table. Words that are not in the table, such as add, are pointwise. */
static enum family
op_at(const char *s, size_t *len)
{
	size_t i, n;

	for (i = 0; i < ARRAY_LEN(fused_ops); i++) {
		n = strlen(fused_ops[i].op);
		if (strncmp(s, fused_ops[i].op, n) == 0 &&
		    (n > 1 || s[n] == '_' || s[n] == '\0')) {
			*len = n + strcspn(s + n, "_");
			return fused_ops[i].family;
		}
	}
	*len = strcspn(s, "_");
	return *s >= '0' && *s <= '9' ? FAM_NONE : FAM_POINTWISE;
}

static enum family
fused_family(const char *s)
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
kname_family(const struct kname *k)
{
	struct pat_name p;
	const char *s;
	size_t i;

	pat_name_set(&p, k->lower, k->len);
	for (i = 0; i < ARRAY_LEN(family_patterns); i++)
		if (pat_find(family_patterns[i].pat, &p))
			return family_patterns[i].family;
	s = strstr(k->lower, "triton_");
	if (s == NULL || (s = strstr(s, "_fused_")) == NULL)
		return FAM_NONE;
	s += strlen("_fused_");
	return fused_family(s);
}
