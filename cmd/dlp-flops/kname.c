/* Facts from kernel names, by tables of patterns; see kname.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "kname.h"
#include "pat.h"

struct dt_rule {
	enum dtype dt;
	const char *pat;
};

/* Operand types that builders of products write into names. First match. */
static const struct dt_rule dt_rules[] = {
	/* nvjet: one letter per operand and result */
	{ DT_FP8E5, "nvjet _qr|_rq|_rr" },
	{ DT_FP8E4, "nvjet _qq" },
	{ DT_FP4, "nvjet _oo" },
	{ DT_BF16, "nvjet _tst_|_tss_|_ttt_|_tts_" },
	{ DT_FP16, "nvjet _hsh_|_hss_|_hhh_" },
	{ DT_TF32, "nvjet _sss_" },
	{ DT_FP64, "nvjet _ddd_" },
	{ DT_INT8, "nvjet _bb|_iii" },
	/* xmma: operand, compute and result types */
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
	/* CUTLASS procedural names and cuBLAS, cuDNN before them */
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
	/* attention */
	{ DT_BF16, "fmha|flash|sdpa|attention bf16|bfloat16" },
	{ DT_FP8E4, "fmha|flash|sdpa|attention e4m3" },
	/* in cuDNN's attention _f16 is either of the 16-bit types */
	{ DT_16BIT, "cudnn_generated sdpa _f16" },
	{ DT_FP16,
	    "fmha|flash|sdpa|attention _f16|half|fp16 !cudnn_generated" },
	{ DT_TF32, "fmha_cutlass _f32_ _sm8|_sm9|_sm10|_sm12" },
	{ DT_FP32, "fmha_cutlass _f32_" },
	/* NCCL: the type of the message */
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
	    "vol2col|col2vol|fft1d_|fft2d_|fft3d_|regular_fft|vector_fft|"
	    "cublaslt::epilogue|scal_kernel|unpack_cudnn|amax" },
	/* products of Volta and Turing have such words in their names too */
	{ KP_AUX, "nchwtonhwc|nhwctonchw|nchw2nhwc|nhwc2nchw "
		  "!884 !1688 !16816 !8816 !scudnn !hcudnn !_xmma_" },
	/* winograd in three steps: the product between them is a GEMM */
	{ KP_AUX,
	    "winogradwgraddata|winogradwgraddelta|winogradwgradoutput|"
	    "winogradforwarddata|winogradforwardfilter|winogradforwardoutput|"
	    "generatewinogradtiles" },
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

/* PyProf's lists for the kernels of linear: which are the product and which
 * the bias. */
static const char pyprof_gemm[] =
    "gemm|gemv|dot_kernel|splitkreduce_kernel|reduce_1block_kernel|cutlass";
static const char pyprof_bias[] =
    "kernelreducecontigdim|kernelreducenoncontigdim_shared|"
    "elementwise_kernel|reduce_kernel|kernelpointwiseapply2";

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
set_dtype(struct kname *k)
{
	size_t i;

	for (i = 0; i < sizeof(dt_rules) / sizeof(dt_rules[0]); i++)
		if (pat_match(dt_rules[i].pat, k->lower, k->len)) {
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
		k->dt = DT_TF32; /* matrix units take no FP32 */
}

static void
set_part(struct kname *k)
{
	const char *s = k->lower;
	size_t i;

	for (i = 0; i < sizeof(part_rules) / sizeof(part_rules[0]); i++)
		if (pat_match(part_rules[i].pat, s, k->len)) {
			k->part = part_rules[i].part;
			return;
		}
	k->part = KP_MAIN;
	if (pat_match(
		"wgrad|backward_weight|bwd_filter|grad_weight", s, k->len)) {
		k->dir = KD_WGRAD;
		k->dir_sure = true;
	} else if (pat_match("dgrad|backward_input|bwd_data", s, k->len)) {
		k->dir = KD_DGRAD;
		k->dir_sure = true;
	} else if (pat_match("gemm _nt_|_nt", s, k->len)) {
		k->dir = KD_WGRAD;
	} else if (pat_match("gemm _nn_|_nn", s, k->len)) {
		k->dir = KD_DGRAD;
	}
}

static void
set_method(struct kname *k)
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

	for (i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (pat_match(methods[i].pat, k->lower, k->len))
			k->method |= methods[i].bit;
}

/* Words of builders of products; a type alone is in other names as well. */
static const char product_words[] =
    "gemm|scudnn|hcudnn|xmma|nvjet|tensorop|fmha|flash|sdpa|attention|_ffma";

/* The oldest generation that a builder's prefix tells. */
static void
set_arch(struct kname *k)
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

	for (i = 0; i < sizeof(archs) / sizeof(archs[0]); i++)
		if (pat_match(archs[i].pat, k->lower, k->len)) {
			k->arch = archs[i].arch;
			return;
		}
}

/* CUTLASS ends its names with how many elements are aligned: _align8; xmma
 * says it of each operand: _aligna4_alignc4. */
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

void
kname_set(struct kname *k, const char *full, size_t n, const char *brief,
    size_t nbrief)
{
	size_t i;

	memset(k, 0, sizeof(*k));
	k->lower = xmemdup(full, n);
	k->len = n;
	for (i = 0; i < n; i++)
		if (k->lower[i] >= 'A' && k->lower[i] <= 'Z')
			k->lower[i] = (char)(k->lower[i] - 'A' + 'a');
	if (brief != NULL)
		k->last = xmemdup(brief, nbrief);
	k->tc = tc_decide(k->lower, n);
	set_dtype(k);
	set_part(k);
	elem_set(&k->elem, k->lower, n);
	if (k->dt == DT_NONE)
		k->dt = k->elem.dt;
	k->esize = elem_opaque(k->lower, n);
	k->gather = gather_unit(k->lower, n);
	set_method(k);
	set_arch(k);
	set_align(k);
	k->product = k->dt_sure && k->part == KP_MAIN &&
		     pat_match(product_words, k->lower, k->len);
	k->pyprof_gemm = pat_match(pyprof_gemm, k->lower, n);
	k->pyprof_bias = pat_match(pyprof_bias, k->lower, n);
}

void
kname_free(struct kname *k)
{
	free(k->lower);
	free(k->last);
}
