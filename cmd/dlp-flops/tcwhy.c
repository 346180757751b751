/* Why a product did not run on Tensor Cores; see tcwhy.h. */
#include "tcwhy.h"

void
tcwhy_see(struct tcseen *t, const struct kname *k, enum family f, enum dtype dt,
    unsigned shape, bool sized, bool used)
{
	bool conv = f == FAM_CONV || f == FAM_CONV_FUSED;

	if (k->arch > t->arch)
		t->arch = k->arch;
	if (f == FAM_ATTENTION) /* whose kernels heed no setting */
		return;
	if (used && dt == DT_TF32)
		t->tf32[conv] = true;
	else if (!used && dt == DT_FP32 && sized &&
		 (shape & SHAPE_HINDERS) == 0 && k->method == 0)
		t->tf32[conv] = false;
}

struct ask {
	const struct kname *k;
	enum dtype dt;
	unsigned shape;
	int cc;
	bool none, tf32;
};

static bool
old_gpu(const struct ask *a)
{
	return a->none || (a->cc > 0 && a->cc < 70);
}

static bool
unknown(const struct ask *a)
{
	return a->k->tc.verdict == TC_UNKNOWN;
}

static bool
no_type(const struct ask *a)
{
	return a->dt != DT_NONE && dt_tc_min_cc(a->dt) == 0;
}

static bool
new_type(const struct ask *a)
{
	return a->cc > 0 && a->dt != DT_NONE && a->cc < dt_tc_min_cc(a->dt);
}

/* TF32 is off, unless others show that it is on, and something else explains
 * that this one has not used it. */
static bool
fp32(const struct ask *a)
{
	return a->dt == DT_FP32 &&
	       (!a->tf32 || (a->shape & SHAPE_HINDERS) == 0);
}

static bool
complex_type(const struct ask *a)
{
	return a->dt == DT_C64 || a->dt == DT_C128;
}

/* Between the transforms of a convolution stands a complex product. */
static bool
fft(const struct ask *a)
{
	return (a->k->method & METHOD_FFT) != 0 ||
	       ((a->shape & SHAPE_CONV) != 0 && complex_type(a));
}

static bool
winograd(const struct ask *a)
{
	return (a->k->method & METHOD_WINOGRAD) != 0;
}

static bool
gemv(const struct ask *a)
{
	return (a->shape & SHAPE_VECTOR) != 0 ||
	       (a->k->method & METHOD_GEMV) != 0;
}

static bool
depthwise(const struct ask *a)
{
	return (a->shape & SHAPE_DEPTHWISE) != 0;
}

static bool
grouped(const struct ask *a)
{
	return (a->shape & SHAPE_GROUPED) != 0;
}

/* Where the name tells how many elements are aligned it decides: the library
 * may have padded. Of complex and FP32 ones the name always says 1. */
static bool
unaligned(const struct ask *a)
{
	if (a->k->align > 0 && !complex_type(a) && a->dt != DT_FP32)
		return tcshape_odd(a->k->align, a->dt);
	return (a->shape & SHAPE_UNALIGNED) != 0;
}

static bool
half(enum dtype dt)
{
	return dt == DT_FP16 || dt == DT_BF16 || dt == DT_16BIT;
}

/* Instructions of Volta and Turing, where there are larger ones. */
static bool
old_kernel(const struct ask *a)
{
	return half(a->dt) && a->cc >= 80 && a->k->arch > 0 && a->k->arch < 80;
}

static bool
small(const struct ask *a)
{
	return (a->shape & SHAPE_SMALL) != 0 ||
	       (a->k->method & METHOD_SMALL) != 0;
}

static bool
fp64(const struct ask *a)
{
	return a->dt == DT_FP64;
}

static const struct {
	const char *id;
	bool (*holds)(const struct ask *a);
	bool slow; /* Tensor Cores can be used all the same, slowly */
} reasons[] = {
	{ "no_tensor_cores", old_gpu, false },
	{ "unknown_kernel", unknown, false },
	{ "type", no_type, false },
	{ "type_newer_gpu", new_type, false },
	{ "fft", fft, false },
	{ "winograd", winograd, false },
	{ "depthwise", depthwise, false },
	{ "vector", gemv, false },
	{ "fp32", fp32, false },
	{ "grouped", grouped, false },
	{ "unaligned", unaligned, true },
	{ "small", small, false },
	{ "fp64", fp64, false },
	{ "complex", complex_type, false },
	{ "old_kernel", old_kernel, true },
};

const char *
tcwhy(const struct kname *k, enum dtype dt, unsigned shape, int cc, bool none,
    bool tf32, bool used)
{
	const struct ask a = { k, dt, shape, cc, none, tf32 };
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if ((!used || reasons[i].slow) && reasons[i].holds(&a))
			return reasons[i].id;
	return used ? NULL : "library";
}
