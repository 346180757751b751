/*
 * Short kernel names. A name that the profiler gave is kept, except those
 * of generic wrappers: hundreds of different CUTLASS kernels are all called
 * `Kernel2`, FlashAttention's are `device_kernel`. The template arguments say
 * what such a kernel is: either a name of its own
 * (cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4), or a type from
 * which a name is built here, in the manner of CUTLASS's own generated names,
 * so that people and name rules know it:
 *
 *	cutlass_tensorop_s1688gemm_f16_128x128_32
 *	        |        ||   |    |   tile M x N, K
 *	        |        ||   |    type of the operands
 *	        |        ||   gemm, or fprop, dgrad, wgrad
 *	        |        |shape of the matrix instruction (16x8x8)
 *	        |        accumulator: s float, h half, d double, i integer
 *	        unit: tensorop or simt
 *
 *	cutlass3x_sm90_tensorop_s64x64x16gemm_bf16_128x64x64
 *
 * The names are whatever a profile holds, so nothing here trusts brackets to
 * be balanced; everything is linear and looks only inside its span.
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "array.h"
#include "shipped.h"
#include "kernname.h"

static const struct mview no_text = { "", 0 };

static bool
is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static bool
is_ident(char c)
{
	return is_word_char(c) || c == '$';
}

static struct mview
slice(const char *from, const char *to)
{
	struct mview a = { from, (size_t)(to - from) };

	while (a.n > 0 && a.s[0] == ' ') {
		a.s++;
		a.n--;
	}
	while (a.n > 0 && a.s[a.n - 1] == ' ')
		a.n--;
	return a;
}

/* The rest of a after the first place where word is a whole identifier; n is 0
 * if there is no such place. */
static struct mview
span_after(struct mview a, const char *word)
{
	size_t i, n = strlen(word);

	for (i = 0; i + n <= a.n; i++) {
		if (a.s[i] != word[0] || memcmp(a.s + i, word, n) != 0)
			continue;
		if (i > 0 && is_ident(a.s[i - 1]))
			continue;
		if (i + n < a.n && is_ident(a.s[i + n]))
			continue;
		return (struct mview){ a.s + i + n, a.n - i - n };
	}
	return no_text;
}

/* a::b::Name<args>::more -> Name */
static struct mview
span_base(struct mview path)
{
	size_t i = 0, from = 0;

	while (i < path.n && path.s[i] != '<' && path.s[i] != '(') {
		if (path.s[i] == ':' || path.s[i] == ' ' || path.s[i] == '&')
			from = i + 1;
		i++;
	}
	return slice(path.s + from, path.s + i);
}

/* The i-th template argument, from 0, of a name that may continue after its
 * first '<', without blanks around it; n is 0 if it does not exist. */
static struct mview
span_arg(struct mview name, int i)
{
	const char *s = memchr(name.s, '<', name.n);
	const char *end = name.s + name.n, *from;
	int depth = 0;

	if (s == NULL)
		return no_text;
	for (from = ++s; s < end; s++) {
		if (*s == '<' || *s == '(' || *s == '[' || *s == '{')
			depth++;
		if (depth == 0 && (*s == ',' || *s == '>')) {
			if (i-- == 0)
				return slice(from, s);
			if (*s == '>')
				return no_text;
			from = s + 1;
		}
		if (depth > 0 &&
		    (*s == '>' || *s == ')' || *s == ']' || *s == '}'))
			depth--;
	}
	return no_text;
}

/* The digits of 128, 128ul, (int)128, C<128>, C<(int)128>; -1 if there are
 * none. */
static long
span_number(struct mview a)
{
	size_t i = 0;
	long v = 0;

	/* Digits inside identifiers (uint4) do not belong to the number. */
	while (i < a.n && !isdigit((unsigned char)a.s[i])) {
		while (i < a.n && is_ident(a.s[i]))
			i++;
		if (i < a.n && !isdigit((unsigned char)a.s[i]))
			i++;
	}
	if (i == a.n)
		return -1;
	for (; i < a.n && isdigit((unsigned char)a.s[i]) && v < 1000000; i++)
		v = v * 10 + (a.s[i] - '0');
	return v;
}

/* Types in the names of matrix instructions of CUTLASS 3. */
static const struct {
	const char *word, *name;
} mma_types[] = {
	{ "BF16", "bf16" },
	{ "F16", "f16" },
	{ "TF32", "tf32" },
	{ "E4M3", "e4m3" },
	{ "E5M2", "e5m2" },
	{ "F64", "f64" },
	{ "S8", "s8" },
	{ "U8", "u8" },
};

/* Its letter as an accumulator and its name; NULL of none. */
static const char *
cutlass_type(struct mview a)
{
	struct mview base = span_base(a), v;

	v = vocab_find("cutlass", base.s, base.n);
	return v.s != NULL ? v.s : vocab_find("cutlass", a.s, a.n).s;
}

/* Appends "AxBxC" from the first n arguments of a shape; sep is the separator.
 */
static bool
put_dims(struct mview shape, int n, const char *between, struct buf *out)
{
	size_t from = out->len;
	long v;
	int i;

	for (i = 0; i < n; i++) {
		v = span_number(span_arg(shape, i));
		if (v < 0) {
			out->len = from;
			return false;
		}
		if (i > 0)
			buf_puts(out, between);
		buf_i64(out, v);
	}
	return true;
}

static const char *
operation(struct mview type)
{
	if (!mv_has(type, "ImplicitGemm"))
		return "gemm";
	return mv_has(type, "Fprop")   ? "fprop"
	       : mv_has(type, "Dgrad") ? "dgrad"
	       : mv_has(type, "Wgrad") ? "wgrad"
				       : "conv";
}

/* CUTLASS 2. On Tensor Cores the instruction is arch::Mma<Shape, threads, A,
 * LayoutA, B, LayoutB, C, ...>. Without them MmaSimt<Shape, A, LayoutA, B,
 * LayoutB, C, ...> takes its place. */
static void
put_cutlass2(struct mview type, struct buf *out)
{
	struct mview tile = span_after(type, "GemmShape");
	struct mview mma = span_after(type, "arch::Mma");
	bool simt = span_after(type, "MmaTensorOp").n == 0;
	const char *a, *c;

	if (simt)
		mma = span_after(type, "MmaSimt");
	a = cutlass_type(span_arg(mma, simt ? 1 : 2));
	c = cutlass_type(span_arg(mma, simt ? 5 : 6));
	buf_puts(out, "cutlass_");
	if (mma.n > 0)
		buf_puts(out, simt ? "simt_" : "tensorop_");
	if (c != NULL)
		buf_putc(out, *c);
	if (!simt)
		put_dims(span_arg(mma, 0), 3, "", out);
	buf_puts(out, operation(type));
	if (a != NULL) {
		buf_putc(out, '_');
		buf_puts(out, a + 1);
	}
	if (tile.n > 0) {
		buf_putc(out, '_');
		if (put_dims(tile, 2, "x", out)) {
			buf_putc(out, '_');
			buf_i64(out, span_number(span_arg(tile, 2)));
		} else {
			out->len--;
		}
	}
}

/* MMA_64x64x16_F32BF16BF16_SS: appends the letter of the accumulator and the
 * shape; *type gets the type of the operands. */
static void
put_atom(struct mview type, struct buf *out, const char **name)
{
	const char *s = type.s, *e = type.s + type.n, *shape, *p;
	size_t i;

	for (; s + 5 < e; s++)
		if (memcmp(s, "MMA_", 4) == 0 && isdigit((unsigned char)s[4]))
			break;
	if (s + 5 >= e)
		return;
	shape = s + 4;
	for (s = shape; s < e && (isdigit((unsigned char)*s) || *s == 'x'); s++)
		;
	for (p = s; p < e && is_word_char(*p); p++)
		;
	if (s == e || p < s + 4)
		return;
	/* The accumulator comes first: _F32..., _F16..., _S32... */
	if (s[1] == 'F')
		buf_putc(out, s[2] == '3' ? 's' : s[2] == '6' ? 'd' : 'h');
	else if (s[1] == 'S')
		buf_putc(out, 'i');
	buf_put(out, shape, (size_t)(s - shape));
	for (i = 0; i < ARRAY_LEN(mma_types); i++)
		if (*name == NULL && mv_starts(mv(s + 4, p), mma_types[i].word))
			*name = mma_types[i].name;
}

/* CUTLASS 3: CollectiveMma<Mainloop..., tile, A, ...>, or a builder. */
static void
put_cutlass3(struct mview type, struct mview mma, struct buf *out)
{
	struct mview loop = span_base(span_arg(mma, 0));
	const char *a = cutlass_type(span_arg(mma, 2)), *name = NULL;
	size_t i;

	buf_puts(out, "cutlass3x_");
	for (i = 0; i + 2 < loop.n; i++)
		if (memcmp(loop.s + i, "Sm", 2) == 0 &&
		    isdigit((unsigned char)loop.s[i + 2]))
			break;
	if (i + 2 < loop.n) {
		buf_puts(out, "sm");
		for (i += 2; i < loop.n && isdigit((unsigned char)loop.s[i]);
		     i++)
			buf_putc(out, loop.s[i]);
		buf_putc(out, '_');
	}
	if (a != NULL)
		name = a + 1;
	buf_puts(out, "tensorop_");
	put_atom(type, out, &name);
	buf_puts(out, operation(type));
	if (name != NULL)
		buf_printf(out, "_%s", name);
	buf_putc(out, '_');
	if (!put_dims(span_arg(mma, 1), 3, "x", out))
		out->len--;
}

/* Appends a name in the manner of CUTLASS for the kernel type, the template
 * argument of cutlass::Kernel and similar wrappers; false if the type is not
 * CUTLASS's. */
static bool
kernname_cutlass(struct mview type, struct buf *out)
{
	struct mview base = span_base(type), mma;
	bool upper = true;
	size_t i;

	if (base.n == 0 || base.s < type.s ||
	    !mv_starts(mv(type.s, base.s), "cutlass"))
		return false;
	mma = span_after(type, "CollectiveMma");
	if (mma.n > 0) {
		put_cutlass3(type, mma, out);
		return true;
	}
	if (span_after(type, "GemmShape").n > 0 &&
	    (mv_has(base, "Gemm") || mv_has(base, "Convolution"))) {
		put_cutlass2(type, out);
		return true;
	}
	/* ReduceSplitK -> cutlass_reduce_split_k */
	buf_puts(out, "cutlass_");
	for (i = 0; i < base.n; i++) {
		if (isupper((unsigned char)base.s[i]) && !upper)
			buf_putc(out, '_');
		upper = isupper((unsigned char)base.s[i]);
		buf_putc(out, (char)tolower((unsigned char)base.s[i]));
	}
	return true;
}

/* The texts that PyProf cuts out of a name, in its order. */
static const char *const cuts[] = { "void ",
	"at::", "cuda::", "native::", "(anonymous namespace)::" };

/* Names of wrappers, which say nothing about the kernel inside. */
static const char *const wrappers[] = { "Kernel", "Kernel2", "device_kernel",
	"kernel" };

static bool
is_wrapper(struct mview base)
{
	return mv_listed(base, wrappers, ARRAY_LEN(wrappers)) ||
	       mv_starts(base, "enable_");
}

/* Removes text from s[from..len) wherever it begins a word. */
static void
cut_all(struct buf *b, size_t from, const char *text)
{
	size_t n = strlen(text), r = from, w = from;

	while (r < b->len) {
		if (b->len - r >= n && memcmp(b->s + r, text, n) == 0 &&
		    (w == from || !is_word_char(text[0]) ||
			!is_word_char(b->s[w - 1])))
			r += n;
		else
			b->s[w++] = b->s[r++];
	}
	b->len = w;
}

/* As PyProf does: cuts the template arguments, PyTorch's namespaces and the
 * parameters. */
static void
shorten(const char *full, struct buf *out)
{
	size_t i, from = out->len;
	const char *end;

	buf_put(out, full, strcspn(full, "<"));
	for (i = 0; i < ARRAY_LEN(cuts); i++)
		cut_all(out, from, cuts[i]);
	if (out->len > from) {
		end = memchr(out->s + from, '(', out->len - from);
		if (end != NULL)
			out->len = (size_t)(end - out->s);
	}
	if (out->len == from) /* operator<, a lambda: nothing is left */
		buf_puts(out, full);
}

/* The full name from the function's own name on: "Kernel2<...>(...)"; *space is
 * its namespace. */
static struct mview
from_base(struct mview full, struct mview base, struct mview *space)
{
	size_t i, j;

	space->s = full.s;
	space->n = 0;
	for (i = 0; i + base.n < full.n; i++) {
		if (memcmp(full.s + i, base.s, base.n) != 0 ||
		    (full.s[i + base.n] != '<' && full.s[i + base.n] != '(') ||
		    (i > 0 && is_word_char(full.s[i - 1])))
			continue;
		if (i >= 2 && full.s[i - 1] == ':') {
			for (j = i - 2; j > 0 && is_word_char(full.s[j - 1]);
			     j--)
				;
			space->s = full.s + j;
			space->n = i - 2 - j;
		}
		return (struct mview){ full.s + i, full.n - i };
	}
	return (struct mview){ full.s, 0 };
}

/* A readable name for the wrapper `base`, built from its first template
 * argument; false if the given name cannot be improved. */
static bool
unwrap(struct mview full, struct mview base, struct buf *out)
{
	/* types that are an argument of a kernel, and name none */
	static const char *const plain[] = { "T1", "__half", "__nv_bfloat16",
		"bool", "char", "double", "float", "half", "int", "long",
		"short", "signed", "unsigned", "void" };
	struct mview space, type, name;
	int i;

	type = span_arg(from_base(full, base, &space), 0);
	for (i = 0; i < 8 && is_wrapper(span_base(type)); i++)
		type = span_arg(type, 0);
	name = span_base(type);
	if (mv_starts(name, "cutlass")) {
		buf_put(out, name.s, name.n);
		return true;
	}
	if (kernname_cutlass(type, out))
		return true;
	if (name.n > 0 && is_word_char(name.s[0]) &&
	    !isdigit((unsigned char)name.s[0]) &&
	    !mv_listed(name, plain, ARRAY_LEN(plain))) {
		buf_put(out, name.s, name.n);
		return true;
	}
	if (space.n == 0 || mv_starts(space, "cutlass"))
		return false;
	buf_put(out, space.s, space.n);
	buf_puts(out, "::");
	buf_put(out, base.s, base.n);
	return true;
}

size_t
kernname_short(const char *full, const char *given, struct buf *out)
{
	const size_t from = out->len;
	struct buf own = { 0 };
	struct mview base;

	if (given == NULL || given[0] == '\0') {
		shorten(full, &own);
		given = buf_str(&own);
	}
	/* Only the last part can be a wrapper: cutlass::Kernel */
	base = span_base(mv(given, given + strlen(given)));
	if (!is_wrapper(base) ||
	    !unwrap(mv(full, full + strlen(full)), base, out))
		buf_puts(out, given);
	buf_free(&own);
	return out->len - from;
}

struct mview
kernname_function(struct mview v)
{
	static const char unnamed[] = "(anonymous namespace)";
	size_t i, from = 0, n = sizeof(unnamed) - 1;

	for (i = 0; i < v.n && v.s[i] != '<' && v.s[i] != '('; i++) {
		if (v.s[i] == ':' || v.s[i] == ' ' || v.s[i] == '*' ||
		    v.s[i] == '&')
			from = i + 1;
		if (v.n - i > n + 1 && memcmp(v.s + i + 1, unnamed, n) == 0) {
			i += n;
			from = i + 1;
		}
	}
	return i < v.n ? mv(v.s + from, v.s + i) : mv(v.s, v.s);
}
