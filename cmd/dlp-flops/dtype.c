/*
 * The types of numbers that products work on: their names in records, their
 * size, and the names that frameworks and kernels have for them. kern_work.h
 * lists them.
 */
#include <string.h>

#include "array.h"
#include "kern_work.h"
#include "mview.h"

static const struct {
	const char *name;
	int size;   /* bytes; 0: less than one */
	int min_cc; /* the first generation whose Tensor Cores take it; Volta
		     * 70, Turing 75, Ampere 80, ... */
} types[DT_N] = {
	[DT_NONE] = { NULL, 0, 0 },
	[DT_FP64] = { "fp64", 8, 80 },
	[DT_FP32] = { "fp32", 4, 70 },
	[DT_TF32] = { "tf32", 4, 80 },
	[DT_FP16] = { "fp16", 2, 70 },
	[DT_BF16] = { "bf16", 2, 80 },
	[DT_16BIT] = { "16bit", 2, 80 },
	[DT_FP8E4] = { "fp8e4m3", 1, 89 },
	[DT_FP8E5] = { "fp8e5m2", 1, 89 },
	[DT_FP4] = { "fp4", 0, 100 },
	[DT_INT64] = { "int64", 8, 0 },
	[DT_INT32] = { "int32", 4, 0 },
	[DT_INT16] = { "int16", 2, 0 },
	[DT_INT8] = { "int8", 1, 72 },
	[DT_UINT8] = { "uint8", 1, 72 },
	[DT_INT4] = { "int4", 0, 75 },
	[DT_BOOL] = { "bool", 1, 0 },
	[DT_C64] = { "complex64", 8, 80 },
	[DT_C128] = { "complex128", 16, 80 },
};

struct alias {
	const char *text;
	enum dtype type;
};

/* numpy's and PyTorch's names, Tensor methods, Python scalars. */
static const struct alias marker_names[] = {
	{ "float32", DT_FP32 },
	{ "float", DT_FP32 },
	{ "float16", DT_FP16 },
	{ "half", DT_FP16 },
	{ "bfloat16", DT_BF16 },
	{ "float64", DT_FP64 },
	{ "double", DT_FP64 },
	{ "int64", DT_INT64 },
	{ "long", DT_INT64 },
	{ "int32", DT_INT32 },
	{ "int", DT_INT32 },
	{ "int16", DT_INT16 },
	{ "short", DT_INT16 },
	{ "int8", DT_INT8 },
	{ "char", DT_INT8 },
	{ "uint8", DT_UINT8 },
	{ "byte", DT_UINT8 },
	{ "bool", DT_BOOL },
	{ "complex64", DT_C64 },
	{ "cfloat", DT_C64 },
	{ "complex128", DT_C128 },
	{ "cdouble", DT_C128 },
	{ "float8_e4m3fn", DT_FP8E4 },
	{ "float8_e4m3fnuz", DT_FP8E4 },
	{ "float8_e5m2", DT_FP8E5 },
	{ "float8_e5m2fnuz", DT_FP8E5 },
	{ "float4_e2m1fn_x2", DT_FP4 },
	{ "qint8", DT_INT8 },
	{ "quint8", DT_UINT8 },
	{ "int4", DT_INT4 },
};

/* Lower case, because kernel names are matched in lower case. */
static const struct alias cpp_names[] = {
	{ "float", DT_FP32 },
	{ "double", DT_FP64 },
	{ "half", DT_FP16 },
	{ "__half", DT_FP16 },
	{ "half_t", DT_FP16 },
	{ "__half2", DT_FP16 },
	{ "bfloat16", DT_BF16 },
	{ "__nv_bfloat16", DT_BF16 },
	{ "nv_bfloat16", DT_BF16 },
	{ "bfloat16_t", DT_BF16 },
	{ "__nv_bfloat162", DT_BF16 },
	{ "tfloat32_t", DT_TF32 },
	{ "float8_e4m3fn", DT_FP8E4 },
	{ "float_e4m3_t", DT_FP8E4 },
	{ "__nv_fp8_e4m3", DT_FP8E4 },
	{ "float8_e5m2", DT_FP8E5 },
	{ "float_e5m2_t", DT_FP8E5 },
	{ "__nv_fp8_e5m2", DT_FP8E5 },
	{ "int8_t", DT_INT8 },
	{ "float2", DT_C64 },
	{ "double2", DT_C128 },
};

/* Types of counters and masks in the names of kernels, in which nothing is
 * computed. */
static const struct alias cpp_others[] = {
	{ "bool", DT_BOOL },
	{ "char", DT_INT8 },
	{ "uint8_t", DT_UINT8 },
	{ "short", DT_INT16 },
	{ "int16_t", DT_INT16 },
	{ "int", DT_INT32 },
	{ "int32_t", DT_INT32 },
	{ "uint32_t", DT_INT32 },
	{ "long", DT_INT64 },
	{ "int64_t", DT_INT64 },
	{ "uint64_t", DT_INT64 },
};

/* Types for which PyProf uses another name than this program. */
static const struct alias pyprof_words[] = {
	{ "char", DT_UINT8 },
};

/* Types as torch.profiler writes them. */
static const struct alias torch_names[] = {
	{ "float", DT_FP32 },
	{ "double", DT_FP64 },
	{ "c10::Half", DT_FP16 },
	{ "c10::BFloat16", DT_BF16 },
	{ "c10::Float8_e4m3fn", DT_FP8E4 },
	{ "c10::Float8_e4m3fnuz", DT_FP8E4 },
	{ "c10::Float8_e5m2", DT_FP8E5 },
	{ "c10::Float8_e5m2fnuz", DT_FP8E5 },
	{ "c10::complex<float>", DT_C64 },
	{ "c10::complex<double>", DT_C128 },
	{ "long int", DT_INT64 },
	{ "int", DT_INT32 },
	{ "short int", DT_INT16 },
	{ "signed char", DT_INT8 },
	{ "unsigned char", DT_UINT8 },
	{ "bool", DT_BOOL },
};

static enum dtype
alias_find(const struct alias *a, size_t na, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < na; i++)
		if (text_is(s, n, a[i].text))
			return a[i].type;
	return DT_NONE;
}

#define FIND(t, s, n) alias_find(t, ARRAY_LEN(t), s, n)

enum dtype
dt_torch(const char *s, size_t n)
{
	return FIND(torch_names, s, n);
}

const char *
dt_name(enum dtype t)
{
	return types[t].name;
}

enum dtype
dt_named(const char *s, size_t n)
{
	int i;

	for (i = 1; i < DT_N; i++)
		if (text_is(s, n, types[i].name))
			return (enum dtype)i;
	return DT_NONE;
}

int
dt_size(enum dtype t)
{
	return types[t].size;
}

enum dtype
dt_marker(const char *s, size_t n)
{
	if (n > 6 && memcmp(s, "torch.", 6) == 0) {
		s += 6;
		n -= 6;
	}
	return FIND(marker_names, s, n);
}

enum dtype
dt_cpp(const char *s, size_t n)
{
	return FIND(cpp_names, s, n);
}

enum dtype
dt_cpp_any(const char *s, size_t n)
{
	enum dtype t = dt_cpp(s, n);

	return t != DT_NONE ? t : FIND(cpp_others, s, n);
}

void
dt_pyprof(struct buf *b, const char *s, size_t n)
{
	enum dtype t;

	t = FIND(pyprof_words, s, n);
	if (t == DT_NONE)
		t = dt_marker(s, n);
	if (t == DT_NONE)
		buf_put(b, s, n);
	else
		buf_puts(b, types[t].name);
}

int
dt_tc_min_cc(enum dtype t)
{
	return types[t].min_cc;
}
