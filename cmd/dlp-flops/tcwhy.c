/* Why a product did not run on Tensor Cores; see tcwhy.h. */
#include <string.h>

#include "tcwhy.h"

#define SMALL 16     /* the least side of a tile of a matrix instruction */
#define ROW_BYTES 16 /* what the copies into the tiles move at once */

struct sides { /* -1: unknown */
	int64_t m, n, k;
};

/* The last two matrices among the arguments are the operands: what stands
 * before them is added. */
static bool
operands(const struct args *a, const struct arg *t[2])
{
	size_t i, n = 0;

	t[0] = t[1] = NULL;
	for (i = 0; i < a->n; i++)
		if (a->v[i].type == ARG_TENSOR && !a->v[i].bad &&
		    a->v[i].nd >= 2) {
			t[0] = t[1];
			t[1] = &a->v[i];
			n++;
		}
	return n >= 2;
}

/* linear multiplies by the transposed weight. */
static bool
transposed(const struct work *w)
{
	return w->op != NULL && w->op_len >= 6 &&
	       memcmp(w->op, "linear", 6) == 0;
}

static bool
sides_of(const struct work *w, struct sides *s)
{
	const struct arg *t[2];
	int64_t rows;

	if (!operands(w->a, t))
		return false;
	s->k = arg_dim(w->a, t[0], -1);
	if (transposed(w)) {
		s->n = arg_dim(w->a, t[1], -2);
		rows = arg_numel(w->a, t[0]);
		s->m = s->k > 0 && rows > 0 ? rows / s->k : -1;
	} else {
		s->n = arg_dim(w->a, t[1], -1);
		s->m = arg_dim(w->a, t[0], -2);
	}
	return true;
}

/* Elements in ROW_BYTES: the multiple that a row's length should be. */
static int64_t
align_of(enum dtype dt)
{
	int size = dt_size(dt);

	return size == 0          ? 2 * ROW_BYTES
	       : size > ROW_BYTES ? 1
				  : ROW_BYTES / size;
}

static bool
odd(int64_t n, enum dtype dt)
{
	return dt != DT_NONE && n > 0 && n % align_of(dt) != 0;
}

static unsigned
gemm_shape(const struct work *w, enum dtype dt)
{
	struct sides s;
	unsigned bits = 0;

	if (!sides_of(w, &s))
		return 0;
	if (s.m == 1 || s.n == 1 || s.k == 1)
		bits |= SHAPE_VECTOR;
	if ((s.m > 0 && s.m < SMALL) || (s.n > 0 && s.n < SMALL) ||
	    (s.k > 0 && s.k < SMALL))
		bits |= SHAPE_SMALL;
	if (odd(s.k, dt) || odd(s.n, dt))
		bits |= SHAPE_UNALIGNED;
	return bits;
}

static bool
transposed_conv(const struct work *w)
{
	return w->op != NULL && w->op_len >= 14 &&
	       memcmp(w->op, "conv_transpose", 14) == 0;
}

/* Sizes (N, C, ...) and (K, C/g, ...), without N in an unbatched input. */
static unsigned
conv_shape(const struct work *w, enum dtype dt)
{
	const struct arg *x = arg_tensor(w->a, 0), *f = arg_tensor(w->a, 1);
	int64_t c, k, cg, g;
	unsigned bits = SHAPE_CONV;

	if (x == NULL || f == NULL || x->bad || f->bad || f->nd < 3 ||
	    x->nd + 1 < f->nd)
		return bits;
	c = arg_dim(w->a, x, -(int)(f->nd - 1));
	k = arg_dim(w->a, f, 0);
	cg = arg_dim(w->a, f, 1);
	if (c <= 0 || k <= 0 || cg <= 0)
		return bits;
	/* A transposed one's weight is (C, K/g, ...): its groups are not
	 * among the sizes. */
	g = c % cg == 0 && k % (c / cg) == 0 ? c / cg : 1;
	if (transposed_conv(w))
		g = 1;
	if (g > 1)
		bits |= cg == 1 ? SHAPE_DEPTHWISE : SHAPE_GROUPED;
	if (odd(cg, dt) || odd(k / g, dt))
		bits |= SHAPE_UNALIGNED;
	return bits;
}

static unsigned
attention_shape(const struct work *w, enum dtype dt)
{
	const struct arg *q = arg_tensor(w->a, 0);

	if (q == NULL || q->bad || q->nd < 2)
		return 0;
	return odd(arg_dim(w->a, q, -1), dt) ? SHAPE_UNALIGNED : 0;
}

unsigned
tcwhy_shape(const struct work *w, enum family f, enum dtype dt)
{
	switch (f) {
	case FAM_GEMM:
	case FAM_GEMM_INT:
	case FAM_GEMM_FUSED:
		return gemm_shape(w, dt);
	case FAM_GEMV:
		return SHAPE_VECTOR;
	case FAM_CONV:
	case FAM_CONV_FUSED:
		return conv_shape(w, dt);
	case FAM_ATTENTION:
		return attention_shape(w, dt);
	default:
		return 0;
	}
}

/* Sizes that keep a product off Tensor Cores. */
#define HINDERS                                                                \
	(SHAPE_VECTOR | SHAPE_SMALL | SHAPE_UNALIGNED | SHAPE_DEPTHWISE |      \
	    SHAPE_GROUPED)

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
	else if (!used && dt == DT_FP32 && sized && (shape & HINDERS) == 0 &&
		 k->method == 0)
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
	return a->dt == DT_FP32 && (!a->tf32 || (a->shape & HINDERS) == 0);
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
		return odd(a->k->align, a->dt);
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
