/*
 * The types of numbers that products work on: their names in records and their
 * size. vocab.tab has the names that frameworks and kernels have for them.
 */
#include <string.h>

#include "kern_work.h"
#include "mview.h"
#include "shipped.h"

const struct dtype_def dtypes[DT_N] = {
	[DT_NONE] = { NULL, 0, 0 },
	[DT_FP64] = { "fp64", 8, 80 },
	[DT_FP32] = { "fp32", 4, 70 },
	[DT_TF32] = { "tf32", 4, 80 },
	[DT_FP16] = { "fp16", 2, 70 },
	[DT_BF16] = { "bf16", 2, 80 },
	[DT_16BIT] = { "16bit", 2, 80 },
	[DT_FP8E4] = { "fp8e4m3", 1, 89 },
	[DT_FP8E5] = { "fp8e5m2", 1, 89 },
	[DT_FP6] = { "fp6", 0, 100 },
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

enum dtype
dt_find(const char *table, const char *s, size_t n)
{
	struct mview v = vocab_find(table, s, n);

	return dt_named(v.s, v.n);
}

enum dtype
dt_named(const char *s, size_t n)
{
	int i;

	for (i = 1; i < DT_N; i++)
		if (text_is(s, n, dtypes[i].name))
			return (enum dtype)i;
	return DT_NONE;
}

enum dtype
dt_marker(const char *s, size_t n)
{
	if (n > 6 && memcmp(s, "torch.", 6) == 0) {
		s += 6;
		n -= 6;
	}
	return dt_find("marker", s, n);
}

void
dt_pyprof(struct buf *b, const char *s, size_t n)
{
	enum dtype t = dt_find("pyprof", s, n);

	if (t == DT_NONE)
		t = dt_marker(s, n);
	if (t == DT_NONE)
		buf_put(b, s, n);
	else
		buf_puts(b, dtypes[t].name);
}
