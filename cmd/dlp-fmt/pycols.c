/* PyProf's twenty columns: its names, headers, widths and words. */
#include "esc.h"
#include "pycols.h"

/* The ops whose FLOPs PyProf computes as a float: 140000.0 */
static const char *const float_ops[] = { "abs", "abs_", "neg", "neg_",
	"reciprocal", "reciprocal_", "__abs__", "__neg__", "__invert__", "exp",
	"exp_", "exp1m", "exp1m_", "log", "log_", "log10", "log10_", "log1p",
	"log1p_", "log2", "log2_", "rsqrt", "rsqrt_", "sqrt", "sqrt_", "ceil",
	"ceil_", "clamp", "clamp_", "floor", "floor_", "frac", "frac_", "round",
	"round_", "sign", "sign_", "trunc", "trunc_", "acos", "acos_", "asin",
	"asin_", "atan", "atan_", "atan2", "atan2_", "cos", "cos_", "cosh",
	"cosh_", "sin", "sin_", "sinh", "sinh_", "tan", "tan_", "sigmoid",
	"sigmoid_", "tanh", "tanh_", "erf", "erf_", "erfc", "erfc_", "erfinv",
	"erfinv_", "add", "add_", "div", "div_", "mul", "mul_", "remainder",
	"remainder_", "sub", "sub_", "__add__", "__sub__", "__mul__",
	"__floordiv__", "__truediv__", "__mod__", "__radd__", "__rsub__",
	"__rmul__", "__rdiv__", "__rtruediv__", "__rfloordiv__", "fmod",
	"fmod_", "__iadd__", "__isub__", "__imul__", "__itruediv__", "pow",
	"pow_", "__pow__", "__rpow__", "lt", "lt_", "gt", "gt_", "ge", "ge_",
	"le", "le_", "eq", "eq_", "ne", "ne_", "__lt__", "__gt__", "__ge__",
	"__le__", "__eq__", "__ne__", "__and__", "__or__", "__xor__",
	"__lshift__", "__rshift__", "__iand__", "__ior__", "__ixor__",
	"__ilshift__", "__irshift__", "addcdiv", "addcdiv_", "addcmul",
	"addcmul_", "digamma", "lerp", "lerp_", "mvlgamma", NULL };

/* The ops of which it says that they used no Tensor Core; of others "-". */
static const char *const tc_ops[] = { "linear", "matmul", "__matmul__", "mm",
	"bmm", "addmm", "addmm_", "forward", NULL };

static bool
is_one_of(const struct writer_cell *v, const char *const *list)
{
	for (; v->s != NULL && *list != NULL; list++)
		if (strlen(*list) == v->n && memcmp(*list, v->s, v->n) == 0)
			return true;
	return false;
}

/* sink_pyprof has mod, op and role behind the columns that were asked for. */
static const struct writer_cell *
mod_cell(const struct fmt *f)
{
	return &f->row[f->ncol];
}

static const struct writer_cell *
op_cell(const struct fmt *f)
{
	return &f->row[f->ncol + 1];
}

static bool
is_word(const struct writer_cell *v, const char *word)
{
	return v->s != NULL && v->n == strlen(word) &&
	       memcmp(v->s, word, v->n) == 0;
}

/* The records of dlp-pyprof have PyProf's own words and numbers already. */
static bool
is_own(const struct fmt *f)
{
	return is_word(&f->row[f->ncol + 2], "pyprof");
}

/* PyProf calls what adds the bias of linear, or sums its gradient, an op. */
static void
put_op(struct fmt *f, struct buf *b, const struct writer_cell *v)
{
	if (is_word(v, "linear") && is_word(&f->row[f->ncol + 2], "bias"))
		buf_puts(b, "bias");
	else
		buf_put(b, v->s, v->n);
}

static void
put_kernel(struct fmt *f, struct buf *b, const struct writer_cell *v)
{
	size_t i;

	(void)f;
	for (i = 0; i < v->n; i++)
		buf_putc(b, v->s[i] == ' ' ? '_' : v->s[i]);
}

/* In columns there is only room for the innermost file:line. */
static void
put_trace(struct fmt *f, struct buf *b, const struct writer_cell *v)
{
	size_t i = v->n;

	if (f->width > 0)
		while (i > 0 && v->s[i - 1] != ',' && v->s[i - 1] != '/')
			i--;
	else
		i = 0;
	buf_put(b, v->s + i, v->n - i);
}

static void
put_tc(struct fmt *f, struct buf *b, const struct writer_cell *v)
{
	if (is_own(f))
		buf_put(b, v->s != NULL ? v->s : "-", v->s != NULL ? v->n : 1);
	else if (is_word(v, "yes"))
		buf_putc(b, '1');
	else if (mod_cell(f)->s == NULL)
		buf_puts(b, "na");
	else if (is_word(v, "no") && is_one_of(op_cell(f), tc_ops) &&
		 !is_word(&f->row[f->ncol + 2], "bias"))
		buf_putc(b, '0');
	else
		buf_putc(b, '-');
}

/* In columns all numbers are whole. */
static void
put_count(struct fmt *f, struct buf *b, const struct writer_cell *v)
{
	const char *dot =
	    f->width > 0 && is_own(f) ? memchr(v->s, '.', v->n) : NULL;

	buf_put(b, v->s, dot != NULL ? (size_t)(dot - v->s) : v->n);
}

static void
put_flops(struct fmt *f, struct buf *b, const struct writer_cell *v)
{
	if (v->s == NULL) {
		buf_putc(b, '-'); /* PyProf says 0; unknown is not nothing */
		return;
	}
	put_count(f, b, v);
	if (f->width == 0 && !is_own(f) && mod_cell(f)->s != NULL &&
	    is_one_of(op_cell(f), float_ops))
		buf_puts(b, ".0");
}

const struct pycol pycols[] = {
	{ "idx", "Idx", "idx", 7, true, "-", NULL },
	{ "seq", "SeqId", "seq", 7, false, "-", NULL },
	{ "altseq", "AltSeqId", "altseq", 7, false, "-", NULL },
	{ "tid", "TId", "tid", 12, true, "-", NULL },
	{ "layer", "Layer", "layer", 10, false, "-", NULL },
	{ "trace", "Trace", "trace", 25, false, "-", put_trace },
	{ "dir", "Direction", "dir", 5, false, "na", NULL },
	{ "sub", "Sub", "sub", 3, true, "0", NULL },
	{ "mod", "Module", "mod", 15, false, "na", NULL },
	{ "op", "Op", "op", 15, false, "na", put_op },
	{ "kernel", "Kernel", "short", 0, false, "-", put_kernel },
	{ "params", "Params", "params", 0, false, "na=na,", NULL },
	{ "sil", "Sil(ns)", "dur_ns", 10, true, "-", NULL },
	{ "tc", "TC", "tc", 2, false, NULL, put_tc },
	{ "device", "Device", "dev", 3, true, "-", NULL },
	{ "stream", "Stream", "stream", 3, true, "-", NULL },
	{ "grid", "Grid", "grid", 12, false, "-", NULL },
	{ "block", "Block", "block", 12, false, "-", NULL },
	{ "flops", "FLOPs", "flop", 12, true, NULL, put_flops },
	{ "bytes", "Bytes", "bytes", 12, true, "-", put_count },
	{ NULL, NULL, NULL, 0, false, NULL, NULL },
};
