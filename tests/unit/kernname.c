/* needs: cmd/dlp-parse/kernname.o */
/*
 * Demangling and short kernel names. The names are from real profiles; what
 * they should read is what the profilers and CUTLASS itself call them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmd/dlp-parse/kernname.h"
#include "buf.h"
#include "demangle.h"

static int failed;

static void
check(const char *what, const char *in, const char *want, struct buf *got)
{
	if (strcmp(buf_str(got), want) != 0) {
		printf("%s %.200s:\n\twant %.200s\n\tgot  %.200s\n", what, in,
		    want, got->s);
		failed = 1;
	}
	buf_clear(got);
}

static const struct {
	const char *given, *full, *want;
} shorts[] = {
	/* without a given name: as PyProf */
	{ NULL, "volta_sgemm_32x128_tn", "volta_sgemm_32x128_tn" },
	{ NULL, "VecAdd(int const*, int const*, int*, int)", "VecAdd" },
	{ NULL,
	    "void at::native::(anonymous namespace)::fused_dropout_kernel<"
	    "float, float, unsigned int, 1>(at::cuda::detail::TensorInfo<"
	    "float, unsigned int>)",
	    "fused_dropout_kernel" },
	{ NULL,
	    "void at::cuda::(anonymous namespace)::kernelPointwiseApply3<"
	    "float>(float)",
	    "kernelPointwiseApply3" },
	{ NULL, "void (anonymous namespace)::softmax_warp_forward<float>(int)",
	    "softmax_warp_forward" },
	{ NULL,
	    "void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::"
	    "__parallel_for::ParallelForAgent<int>, long>(int, long)",
	    "thrust::cuda_cub::core::_kernel_agent" },
	{ NULL, "void repeat::avoid <int>(int)", "repeat::avoid " },
	{ NULL, "", "" },
	{ NULL, "<", "<" },
	{ NULL, "(anonymous namespace)::", "(anonymous namespace)::" },
	/* given names are kept */
	{ "elementwise_kernel", "void at::native::elementwise_kernel<1>(int)",
	    "elementwise_kernel" },
	{ "my_Kernel", "void my_Kernel<cutlass_80>(int)", "my_Kernel" },
	{ "weird name", "", "weird name" },
	/* but for those of wrappers */
	{ "Kernel2",
	    "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_"
	    "16x5_nt_align4>(T1::Params)",
	    "cutlass_80_tensorop_s1688gemm_128x128_16x5_nt_align4" },
	{ "Kernel",
	    "void cutlass__5x_cudnn::Kernel<cutlass_tensorop_bf16_"
	    "s16816fprop_optimized_bf16_256x64_32x4_nhwc_align8>(T1::Params)",
	    "cutlass_tensorop_bf16_s16816fprop_optimized_bf16_256x64_32x4_"
	    "nhwc_align8" },
	{ NULL,
	    "void cutlass::Kernel<cutlass_70_tensorop_h884gemm_64x64_nn>(int)",
	    "cutlass_70_tensorop_h884gemm_64x64_nn" },
	{ "Kernel",
	    "void cutlass::Kernel<cutlass::gemm::kernel::Gemm<cutlass::gemm::"
	    "threadblock::MmaPipelined<cutlass::gemm::GemmShape<(int)128, "
	    "(int)64, (int)32>, float, cutlass::gemm::threadblock::MmaPolicy<"
	    "cutlass::gemm::warp::MmaTensorOp<cutlass::gemm::GemmShape<(int)64,"
	    " (int)64, (int)32>, cutlass::half_t, cutlass::gemm::warp::"
	    "MmaTensorOpPolicy<cutlass::arch::Mma<cutlass::gemm::GemmShape<"
	    "(int)16, (int)8, (int)8>, (int)32, cutlass::half_t, cutlass::"
	    "layout::RowMajor, cutlass::half_t, cutlass::layout::ColumnMajor, "
	    "float, cutlass::layout::RowMajor, cutlass::arch::OpMultiplyAdd>>"
	    ">>>>>(T1::Params)",
	    "cutlass_tensorop_s1688gemm_f16_128x64_32" },
	{ "Kernel",
	    "void cutlass::Kernel<cutlass::conv::kernel::"
	    "ImplicitGemmConvolution<cutlass::conv::threadblock::"
	    "ImplicitGemmMultistage<cutlass::gemm::GemmShape<64, 128, 16>, "
	    "cutlass::conv::threadblock::Conv2dWgradOutputGradientTile<int>, "
	    "cutlass::gemm::warp::MmaSimt<cutlass::gemm::GemmShape<32, 64, 8>,"
	    " float, cutlass::layout::RowMajor, float, cutlass::layout::"
	    "RowMajor, float, int>>>>(T1::Params)",
	    "cutlass_simt_swgrad_f32_64x128_16" },
	{ "Kernel",
	    "void cutlass__5x_cudnn::Kernel<cutlass__5x_cudnn::reduction::"
	    "kernel::ReduceSplitK<cutlass__5x_cudnn::MatrixShape<(int)4, "
	    "(int)128>, float>>(T1::Params)",
	    "cutlass_reduce_split_k" },
	{ "device_kernel",
	    "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<"
	    "cute::tuple<int,int,int>, cutlass::gemm::collective::"
	    "CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<"
	    "9, cute::tuple<cute::C<1>,cute::C<1>,cute::C<1> >, cutlass::gemm::"
	    "KernelTmaWarpSpecializedPingpong>, cute::tuple<cute::C<128>,"
	    "cute::C<64>,cute::C<(int)32> >, cutlass::bfloat16_t, cute::"
	    "TiledMMA<cute::MMA_Atom<cute::SM90::GMMA::MMA_64x64x16_"
	    "F32BF16BF16_SS> > > > >",
	    "cutlass3x_sm90_tensorop_s64x64x16gemm_bf16_128x64x32" },
	{ "device_kernel",
	    "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::"
	    "FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<2>>>>(T1)",
	    "FlashAttnFwdSm90" },
	{ "device_kernel",
	    "void cutlass::device_kernel<vllm::cutlass_3x_gemm_fp8_blockwise<"
	    "cutlass::bfloat16_t, (int)1>>(T1)",
	    "cutlass_3x_gemm_fp8_blockwise" },
	{ "kernel",
	    "std::enable_if<!T7, void>::type internal::gemvx::kernel<int, int, "
	    "float>(cublasGemvParamsEx<int>)",
	    "gemvx::kernel" },
	{ "kernel", "void kernel<getrf_wo_pivot_params_<double, 3>>(int)",
	    "getrf_wo_pivot_params_" },
	{ "kernel", "kernel(float*)", "kernel" },
	{ "Kernel2", "void cutlass::Kernel2<T1>(T1)", "Kernel2" },
	/* names that end too early */
	{ "Kernel2", "", "Kernel2" },
	{ "Kernel2", "void cutlass::Kernel2<", "Kernel2" },
	{ "Kernel2", "void cutlass::Kernel2<cutlass::gemm::kernel::Gemm<",
	    "Kernel2" },
	{ "device_kernel", "device_kernel<a<(((((<<<<>", "device_kernel" },
};

static const struct {
	const char *name, *want;
} names[] = {
	{ "_Z1fv", "f()" },
	{ "_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f()" },
	{ "_Z6VecAddPKiS0_Pii", "VecAdd(int const*, int const*, int*, int)" },
	{ "_Z1fILl9223372036854775807EEvv", "void f<9223372036854775807l>()" },
	/* these are none */
	{ "", "" },
	{ "f", "f" },
	{ "_Z", "_Z" },
	{ "_Z9999999999999a", "_Z9999999999999a" },
	{ "volta_sgemm_32x128_tn", "volta_sgemm_32x128_tn" },
	{ "_Z\xff\xfe", "_Z\xff\xfe" },
};

/* A name of 1 KB that would read as 2^60 letters: each parameter is a pair
 * of the one before. */
static void
bomb(struct buf *name)
{
	static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char ref[8] = "S0_";
	int i;

	buf_puts(name, "_Z1f1AIiiE");
	for (i = 0; i < 60; i++) {
		if (i >= 36)
			snprintf(ref, sizeof(ref), "S%c%c_", digit[i / 36],
			    digit[i % 36]);
		else if (i > 0)
			snprintf(ref, sizeof(ref), "S%c_", digit[i]);
		buf_printf(name, "S_I%s%sE", ref, ref);
	}
}

/* Nesting as deep as a name may be long, and deeper. */
static void
deep(const char *prefix, const char *piece, size_t n, struct buf *out)
{
	struct buf name = { NULL, 0, 0 };

	buf_puts(&name, prefix);
	while (name.len < n)
		buf_puts(&name, piece);
	demangle(buf_str(&name), out);
	buf_clear(out);
	buf_clear(&name);
	buf_puts(&name, "void cutlass::Kernel2<");
	while (name.len < n)
		buf_puts(&name, piece);
	kernname_short(buf_str(&name), "Kernel2", out);
	buf_clear(out);
	buf_free(&name);
}

static void
hostile(void)
{
	static const char *const pieces[] = { "P", "I", "N", "PFv", "X", "L",
		"1AI", "Z1fE", "DT", "cv", "ad", "Dp", "<", "(", "a<",
		"Kernel2<", "cutlass::Kernel2<", ",", ">", "enable_<" };
	struct buf name = { NULL, 0, 0 }, out = { NULL, 0, 0 };
	size_t i;

	bomb(&name);
	demangle(buf_str(&name), &out);
	check("demangle", "bomb", buf_str(&name), &out);
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		deep("_Z1f", pieces[i], 16000, &out);
		deep("_ZN", pieces[i], 16000, &out);
		deep("_Z1fIX", pieces[i], 200000, &out);
	}
	buf_free(&name);
	buf_free(&out);
}

int
main(void)
{
	struct buf out = { NULL, 0, 0 };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		demangle(names[i].name, &out);
		check("demangle", names[i].name, names[i].want, &out);
	}
	for (i = 0; i < sizeof(shorts) / sizeof(shorts[0]); i++) {
		kernname_short(shorts[i].full, shorts[i].given, &out);
		check("short", shorts[i].full, shorts[i].want, &out);
	}
	hostile();
	buf_free(&out);
	return failed;
}
