/*
 * Whether a kernel that uses no Tensor Cores could, and why it does not.
 * kern_work.h declares the functions.
 */

#include "array.h"
#include "kern_work.h"
#include "out.h"
#include "pat.h"

/* Properties of the sizes of a product, as bits. */
enum {
	SHAPE_VECTOR = 1,     /* one of M, N, K is 1 */
	SHAPE_SMALL = 2,      /* one of them is below 16 */
	SHAPE_UNALIGNED = 4,  /* rows are not a multiple of 16 bytes */
	SHAPE_DEPTHWISE = 8,  /* convolution, one input channel per group */
	SHAPE_GROUPED = 16,   /* convolution in groups */
	SHAPE_CONV = 32,      /* a convolution */
	SHAPE_SKINNY = 64,    /* reading and writing bounds it */
	SHAPE_HEAD = 128,     /* attention that computes with larger heads */
	SHAPE_FEW_ROWS = 256, /* experts that get few tokens each */
};

/*
 * Sizes that keep a product off Tensor Cores, or make it slow. NVIDIA's guide
 * "Matrix Multiplication Background" recommends M, N and K that are multiples
 * of 16 bytes; the matrix instructions (mma of PTX) have no side below 8 or 16.
 */

#define SMALL 16     /* the smallest side of a tile of a matrix instruction */
#define ROW_BYTES 16 /* bytes that one copy into the tiles moves */

/* True if a row of n elements is not a multiple of 16 bytes. */
static bool
odd_row(int64_t n, enum dtype dt)
{
	int size = dtypes[dt].size; /* 0: half a byte */

	return dt != DT_NONE && n > 0 && size <= ROW_BYTES &&
	       n % (size == 0 ? 2 * ROW_BYTES : ROW_BYTES / size) != 0;
}

/* The operands are the last two matrices among the arguments, because a matrix
 * before them is added. */
static unsigned
gemm_shape(const struct kern_work *w, enum dtype dt)
{
	const struct op_args *a = w->a;
	const struct op_arg *x = NULL, *y = NULL;
	int64_t m, n, k, rows;
	unsigned bits = 0;
	size_t i;

	for (i = 0; i < a->n; i++)
		if (a->v[i].type == ARG_TENSOR && !a->v[i].bad &&
		    a->v[i].nd >= 2) {
			x = y;
			y = &a->v[i];
		}
	if (x == NULL)
		return 0;
	m = arg_dim(a, x, -2);
	k = arg_dim(a, x, -1);
	n = arg_dim(a, y, -1);
	if (mv_starts(w->op, "linear")) { /* times the transposed weight */
		n = arg_dim(a, y, -2);
		rows = arg_numel(a, x);
		m = k > 0 && rows > 0 ? rows / k : -1;
	}
	if (m == 1 || n == 1 || k == 1)
		bits |= SHAPE_VECTOR;
	if ((m > 0 && m < SMALL) || (n > 0 && n < SMALL) ||
	    (k > 0 && k < SMALL))
		bits |= SHAPE_SMALL;
	if (odd_row(k, dt) || odd_row(n, dt))
		bits |= SHAPE_UNALIGNED;
	return bits;
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
	if (mv_starts(w->op, "conv_transpose"))
		g = 1;
	if (g > 1)
		bits |= cg == 1 ? SHAPE_DEPTHWISE : SHAPE_GROUPED;
	if (odd_row(cg, dt) || odd_row(k / g, dt))
		bits |= SHAPE_UNALIGNED;
	return bits;
}

/* FLOPs per byte below which the memory bounds a product, on all GPUs since
 * Volta: TF32 on A10 reaches 104, fp16 on V100 139, on MI100 150 (gpus.tab). A
 * product of less than SKINNY_BYTES is bounded by its launch. */
#define SKINNY 64
#define FEW_ROWS 48 /* of experts: a token is that of one row */
#define SKINNY_BYTES (4 << 20)

static bool
skinny(const struct answer *r, int64_t least)
{
	return r->flop > 0 && r->bytes >= SKINNY_BYTES &&
	       r->flop / r->bytes < least;
}

/* Kernels of flash attention pad heads to a multiple of 32, above 128 of 64;
 * those of Triton to a power of two (AOTriton's are attn_fwd, bwd_kernel).
 * SHAPE_HEAD: an eighth of their work or more is for nothing. */
static unsigned
attention_shape(const struct kern_work *w, enum dtype dt)
{
	const struct op_arg *q = arg_tensor(w->a, 0);
	int64_t d = q != NULL && q->nd >= 2 ? arg_dim(w->a, q, -1) : -1;
	int64_t up = 16, step = d > 128 ? 64 : 32;
	unsigned bits = odd_row(d, dt) ? SHAPE_UNALIGNED : 0;

	if (d <= 0 || d > 1024)
		return bits;
	if (!pat_match(
		"attn_fwd|attn_bwd|bwd_kernel_d|unified_attention|triton",
		w->k->lower, w->k->len))
		up = (d + step - 1) / step * step;
	while (up < d)
		up *= 2;
	return bits | (8 * d <= 7 * up ? SHAPE_HEAD : 0);
}

unsigned
tc_shape(const struct kern_work *w, const struct answer *r)
{
	enum dtype dt = r->dt;

	switch (r->family) {
	case FAM_GEMM:
	case FAM_GEMM_INT:
	case FAM_GEMM_FUSED:
		return gemm_shape(w, dt) |
		       (skinny(r, SKINNY) ? SHAPE_SKINNY : 0);
	case FAM_MOE:
		return skinny(r, FEW_ROWS) ? SHAPE_FEW_ROWS : 0;
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

/* A product: by its op, or by the kernel's name if the op is unknown. */
static bool
is_product(const struct tc_kernel *t)
{
	return t->family == FAM_NONE ? t->k->product : t->eligible;
}

/* Could Tensor Cores have done the kernel's work? If the device's generation is
 * unknown, the kernel's name may show it, because the device cannot be older
 * than the kernel's target. */
static enum tc
eligible(const struct tc_kernel *t, enum tc used)
{
	int cc = t->dev.cc > 0 ? t->dev.cc : t->k->arch, need;

	if (used == TC_YES)
		return TC_YES;
	if (!is_product(t))
		return t->family == FAM_NONE ? TC_UNKNOWN : TC_NO;
	if (t->dt == DT_NONE || cc == 0)
		return TC_UNKNOWN;
	need = dtypes[t->dt].min_cc;
	return need != 0 && cc >= need ? TC_YES : TC_NO;
}

/* Sizes that keep a product off Tensor Cores. */
#define SHAPE_HINDERS                                                          \
	(SHAPE_VECTOR | SHAPE_SMALL | SHAPE_UNALIGNED | SHAPE_DEPTHWISE |      \
	    SHAPE_GROUPED)

/* The reason why a product did not use Tensor Cores of a GPU that has them: the
 * first that holds in a table; dlp-tc(1) has a remedy for each. For a product
 * that used them, the reason why it was slow, or NULL. */
static const char *
reason(const struct tc_kernel *t, bool tf32, bool used)
{
	enum dtype dt = t->dt;
	bool complex = dt == DT_C64 || dt == DT_C128;
	bool half = dt == DT_FP16 || dt == DT_BF16 || dt == DT_16BIT;
	unsigned method = t->k->method, shape = t->shape;
	int cc = t->dev.cc, min_cc = dtypes[dt].min_cc;
	/* If the name has the number of aligned elements, the name decides,
	 * because the library may have padded. Names of complex and FP32
	 * kernels always say 1. */
	bool unaligned = t->k->align > 0 && !complex && dt != DT_FP32
			     ? odd_row(t->k->align, dt)
			     : shape & SHAPE_UNALIGNED;
	const struct {
		const char *id;
		bool holds;
		bool slow; /* Tensor Cores can still be used, slowly */
	} reasons[] = {
		{ "unknown_kernel", t->k->tc.verdict == TC_UNKNOWN, false },
		{ "type", dt != DT_NONE && min_cc == 0, false },
		{ "type_newer_gpu", cc > 0 && dt != DT_NONE && cc < min_cc,
		    false },
		/* a convolution by FFT has a complex product between the
		 * transforms */
		{ "fft", method & METHOD_FFT || (shape & SHAPE_CONV && complex),
		    false },
		{ "winograd", method & METHOD_WINOGRAD, false },
		{ "depthwise", shape & SHAPE_DEPTHWISE, false },
		{ "vector", shape & SHAPE_VECTOR || method & METHOD_GEMV,
		    false },
		/* TF32 is off, unless other kernels show that it is on and the
		 * sizes explain why this kernel did not use it */
		{ "fp32", dt == DT_FP32 && !(tf32 && shape & SHAPE_HINDERS),
		    false },
		{ "grouped", shape & SHAPE_GROUPED, false },
		{ "unaligned", unaligned, true },
		{ "small", shape & SHAPE_SMALL || method & METHOD_SMALL,
		    false },
		{ "fp64", dt == DT_FP64, false },
		{ "complex", complex, false },
		/* instructions of Volta and Turing on a GPU that has larger
		 * ones */
		{ "old_kernel",
		    half && cc >= 80 && t->k->arch > 0 && t->k->arch < 80,
		    true },
		/* Tensor Cores compute these for nothing, or wait */
		{ "head_size", used && shape & SHAPE_HEAD, true },
		{ "skinny", used && shape & SHAPE_SKINNY, true },
		{ "few_tokens", used && shape & SHAPE_FEW_ROWS, true },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(reasons); i++)
		if ((!used || reasons[i].slow) && reasons[i].holds)
			return reasons[i].id;
	return used ? NULL : "library";
}

bool
tc_put(struct tc_seen *seen, const struct tc_kernel *t)
{
	enum tc used = t->told != TC_UNKNOWN ? t->told : t->k->tc.verdict;
	bool product = is_product(t) || used == TC_YES, yes = used == TC_YES;
	bool *tf32 =
	    &seen->tf32[t->family == FAM_CONV || t->family == FAM_CONV_FUSED];

	/* whatever the kernel's name says */
	if (t->dev.none || (t->dev.cc > 0 && t->dev.cc < 70)) {
		out_word("no");
		out_word("device");
		out_word("no");
		out_word(product ? "no_tensor_cores" : NULL);
		return true;
	}
	out_word(ynu_name((enum ynu)used));
	out_word(t->told != TC_UNKNOWN ? "profile" : t->k->tc.id);
	out_word(ynu_name((enum ynu)eligible(t, used)));
	if (!product) {
		out_unset();
		return used != TC_UNKNOWN;
	}
	if (t->k->arch > seen->arch)
		seen->arch = t->k->arch;
	/* A product in TF32 shows that TF32 is on, one in FP32 whose sizes are
	 * no obstacle that it is off. Attention ignores the setting. */
	if (t->family != FAM_ATTENTION && yes && t->dt == DT_TF32)
		*tf32 = true;
	else if (t->family != FAM_ATTENTION && !yes && t->dt == DT_FP32 &&
		 t->sized && (t->shape & SHAPE_HINDERS) == 0 &&
		 t->k->method == 0)
		*tf32 = false;
	out_word(reason(t, *tf32, yes));
	return used != TC_UNKNOWN;
}
