/*
 * Whether a kernel uses Tensor Cores, by tc.rules; and if it does not, whether
 * it could, and why not. kern_work.h declares the functions.
 */
#include <string.h>

#include "array.h"
#include "err.h"
#include "kern_work.h"

/* Properties of the sizes of a product, as bits. */
enum {
	SHAPE_VECTOR = 1,    /* one of M, N, K is 1 */
	SHAPE_SMALL = 2,     /* one of them is below 16 */
	SHAPE_UNALIGNED = 4, /* rows are not a multiple of 16 bytes */
	SHAPE_DEPTHWISE = 8, /* convolution, one input channel per group */
	SHAPE_GROUPED = 16,  /* convolution in groups */
	SHAPE_CONV = 32,     /* a convolution */
};

/*
 * Used or not, by tc.rules
 */

void
tc_open(struct namerules *rules, const char *path)
{
	const char *t;
	size_t i;

	judge_open(rules, path, "tc.rules");
	for (i = 0; i < rules->n; i++) {
		t = rules->v[i].word[JUDGE_TYPE];
		if (strcmp(t, "-") != 0 && dt_named(t, strlen(t)) == DT_NONE)
			die("%s:%u: no such type '%s'", rules->file,
			    rules->v[i].line, t);
	}
}

struct tc_rule
tc_decide(const struct namerules *rules, const char *name, size_t n)
{
	const struct namerule *u = namerules_find(rules, name, n);
	struct tc_rule r = { NULL, (enum tc)judge_verdict(u), DT_NONE };
	const char *t;

	if (u == NULL)
		return r;
	t = u->word[JUDGE_TYPE];
	r.id = u->word[JUDGE_ID];
	r.dt = dt_named(t, strlen(t));
	return r;
}

/*
 * Sizes that keep a product off Tensor Cores, or make it slow. NVIDIA's guide
 * "Matrix Multiplication Background" recommends M, N and K that are multiples
 * of 16 bytes; the matrix instructions (mma of PTX) have no side below 8 or 16.
 */

#define SMALL 16     /* the smallest side of a tile of a matrix instruction */
#define ROW_BYTES 16 /* bytes that one copy into the tiles moves */

struct sides { /* -1 if unknown */
	int64_t m, n, k;
};

/* The operands are the last two matrices among the arguments, because a matrix
 * before them is added. */
static bool
last_matrices(const struct op_args *a, const struct op_arg *t[2])
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
transposed(const struct kern_work *w)
{
	return w->op != NULL && w->op_len >= 6 &&
	       memcmp(w->op, "linear", 6) == 0;
}

static bool
sides_of(const struct kern_work *w, struct sides *s)
{
	const struct op_arg *t[2];
	int64_t rows;

	if (!last_matrices(w->a, t))
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

/* Elements in ROW_BYTES; a row's length should be a multiple of it. */
static int64_t
align_of(enum dtype dt)
{
	int size = dt_size(dt);

	return size == 0          ? 2 * ROW_BYTES
	       : size > ROW_BYTES ? 1
				  : ROW_BYTES / size;
}

/* True if a row of n elements is not a multiple of 16 bytes. */
static bool
odd_row(int64_t n, enum dtype dt)
{
	return dt != DT_NONE && n > 0 && n % align_of(dt) != 0;
}

static unsigned
gemm_shape(const struct kern_work *w, enum dtype dt)
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
	if (odd_row(s.k, dt) || odd_row(s.n, dt))
		bits |= SHAPE_UNALIGNED;
	return bits;
}

static bool
transposed_conv(const struct kern_work *w)
{
	return w->op != NULL && w->op_len >= 14 &&
	       memcmp(w->op, "conv_transpose", 14) == 0;
}

/* Sizes (N, C, ...) and (K, C/g, ...), without N in an unbatched input. */
static unsigned
conv_shape(const struct kern_work *w, enum dtype dt)
{
	const struct op_arg *x = arg_tensor(w->a, 0), *f = arg_tensor(w->a, 1);
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
	/* A transposed convolution's weight is (C, K/g, ...), which does not
	 * show the number of groups. */
	g = c % cg == 0 && k % (c / cg) == 0 ? c / cg : 1;
	if (transposed_conv(w))
		g = 1;
	if (g > 1)
		bits |= cg == 1 ? SHAPE_DEPTHWISE : SHAPE_GROUPED;
	if (odd_row(cg, dt) || odd_row(k / g, dt))
		bits |= SHAPE_UNALIGNED;
	return bits;
}

static unsigned
attention_shape(const struct kern_work *w, enum dtype dt)
{
	const struct op_arg *q = arg_tensor(w->a, 0);

	if (q == NULL || q->bad || q->nd < 2)
		return 0;
	return odd_row(arg_dim(w->a, q, -1), dt) ? SHAPE_UNALIGNED : 0;
}

unsigned
tc_shape(const struct kern_work *w, enum family f, enum dtype dt)
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

/* Could Tensor Cores have done it, and why did they not */

bool
tc_missing(struct tc_device d)
{
	return d.none || (d.cc > 0 && d.cc < 70);
}

bool
tc_product(const struct tc_kernel *t)
{
	return t->family == FAM_NONE ? t->k->product : t->eligible;
}

enum tc
tc_eligible(const struct tc_kernel *t, struct tc_device d)
{
	int cc = d.cc > 0 ? d.cc : t->k->arch, need;

	if (t->used == TC_YES)
		return TC_YES;
	if (!tc_product(t))
		return t->family == FAM_NONE ? TC_UNKNOWN : TC_NO;
	if (t->dt == DT_NONE || cc == 0)
		return TC_UNKNOWN;
	need = dt_tc_min_cc(t->dt);
	return need != 0 && cc >= need ? TC_YES : TC_NO;
}

/* Sizes that keep a product off Tensor Cores. */
#define SHAPE_HINDERS                                                          \
	(SHAPE_VECTOR | SHAPE_SMALL | SHAPE_UNALIGNED | SHAPE_DEPTHWISE |      \
	    SHAPE_GROUPED)

static bool
is_conv(enum family f)
{
	return f == FAM_CONV || f == FAM_CONV_FUSED;
}

/* A product in TF32 shows that TF32 is on. A product in FP32 whose sizes are no
 * obstacle shows that it is off. */
static void
see(struct tc_seen *seen, const struct tc_kernel *t)
{
	bool conv = is_conv(t->family);

	if (t->k->arch > seen->arch)
		seen->arch = t->k->arch;
	if (t->family == FAM_ATTENTION) /* its kernels ignore the setting */
		return;
	if (t->used == TC_YES && t->dt == DT_TF32)
		seen->tf32[conv] = true;
	else if (t->used != TC_YES && t->dt == DT_FP32 && t->sized &&
		 (t->shape & SHAPE_HINDERS) == 0 && t->k->method == 0)
		seen->tf32[conv] = false;
}

struct ask {
	const struct kname *k;
	enum dtype dt;
	unsigned shape;
	struct tc_device dev;
	bool tf32; /* TF32 is on, so FP32 is not the reason */
};

static bool
old_gpu(const struct ask *a)
{
	return tc_missing(a->dev);
}

static bool
unknown_kernel(const struct ask *a)
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
	return a->dev.cc > 0 && a->dt != DT_NONE &&
	       a->dev.cc < dt_tc_min_cc(a->dt);
}

/* True if TF32 is off, unless other kernels show that it is on and the sizes
 * explain why this kernel did not use it. */
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

/* A convolution by FFT has a complex product between the transforms. */
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

/* If the name has the number of aligned elements, the name decides, because the
 * library may have padded. Names of complex and FP32 kernels always say 1. */
static bool
unaligned(const struct ask *a)
{
	if (a->k->align > 0 && !complex_type(a) && a->dt != DT_FP32)
		return odd_row(a->k->align, a->dt);
	return (a->shape & SHAPE_UNALIGNED) != 0;
}

static bool
half(enum dtype dt)
{
	return dt == DT_FP16 || dt == DT_BF16 || dt == DT_16BIT;
}

/* Instructions of Volta and Turing on a GPU that has larger ones. */
static bool
old_kernel(const struct ask *a)
{
	return half(a->dt) && a->dev.cc >= 80 && a->k->arch > 0 &&
	       a->k->arch < 80;
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
	bool slow; /* Tensor Cores can still be used, slowly */
} reasons[] = {
	/* dlp-tc(1) describes them */
	{ "no_tensor_cores", old_gpu, false },
	{ "unknown_kernel", unknown_kernel, false },
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
tc_why(struct tc_seen *seen, const struct tc_kernel *t, struct tc_device d)
{
	bool used = t->used == TC_YES;
	struct ask a = { t->k, t->dt, t->shape, d, false };
	size_t i;

	see(seen, t);
	a.tf32 = seen->tf32[is_conv(t->family)];
	for (i = 0; i < ARRAY_LEN(reasons); i++)
		if ((!used || reasons[i].slow) && reasons[i].holds(&a))
			return reasons[i].id;
	return used ? NULL : "library";
}
