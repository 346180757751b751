/*
 * Names built from the types of CUTLASS, in the manner of the library's own
 * generated names, so that people and name rules know them:
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
 */
#include <ctype.h>
#include <string.h>

#include "kernname_cutlass.h"

static const struct {
	const char *type, *name;
	char acc; /* letter as an accumulator */
} types[] = {
	{ "float", "f32", 's' },
	{ "half_t", "f16", 'h' },
	{ "bfloat16_t", "bf16", 'b' },
	{ "tfloat32_t", "tf32", 's' },
	{ "double", "f64", 'd' },
	{ "int8_t", "s8", 'i' },
	{ "signed char", "s8", 'i' },
	{ "uint8_t", "u8", 'i' },
	{ "unsigned char", "u8", 'i' },
	{ "int", "s32", 'i' },
	{ "int4b_t", "s4", 'i' },
	{ "uint4b_t", "u4", 'i' },
	{ "float_e4m3_t", "e4m3", 's' },
	{ "float_e5m2_t", "e5m2", 's' },
	{ "complex", "c", 'c' },
};

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

static int
type_of(struct span a)
{
	struct span base = span_base(a);
	int i;

	for (i = 0; i < (int)(sizeof(types) / sizeof(types[0])); i++)
		if (span_is(base, types[i].type) || span_is(a, types[i].type))
			return i;
	return -1;
}

/* "AxBxC" of the first n arguments of a shape, with this between. */
static bool
put_shape(struct span shape, int n, const char *between, struct buf *out)
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
operation(struct span type)
{
	static const struct {
		const char *text, *name;
	} convs[] = {
		{ "Fprop", "fprop" },
		{ "Dgrad", "dgrad" },
		{ "Wgrad", "wgrad" },
	};
	size_t i;

	if (!span_has(type, "ImplicitGemm"))
		return "gemm";
	for (i = 0; i < sizeof(convs) / sizeof(convs[0]); i++)
		if (span_has(type, convs[i].text))
			return convs[i].name;
	return "conv";
}

/* CUTLASS 2. On Tensor Cores the instruction is arch::Mma<Shape, threads,
 * A, LayoutA, B, LayoutB, C, ...>, else MmaSimt<Shape, A, LayoutA, B,
 * LayoutB, C, ...> stands for it. */
static void
put_cutlass2(struct span type, struct buf *out)
{
	struct span tile = span_after(type, "GemmShape");
	struct span mma = span_after(type, "arch::Mma");
	bool simt = span_after(type, "MmaTensorOp").n == 0;
	int a, c;

	if (simt)
		mma = span_after(type, "MmaSimt");
	a = type_of(span_arg(mma, simt ? 1 : 2));
	c = type_of(span_arg(mma, simt ? 5 : 6));
	buf_puts(out, "cutlass_");
	if (mma.n > 0)
		buf_puts(out, simt ? "simt_" : "tensorop_");
	if (c >= 0)
		buf_putc(out, types[c].acc);
	if (!simt)
		put_shape(span_arg(mma, 0), 3, "", out);
	buf_puts(out, operation(type));
	if (a >= 0) {
		buf_putc(out, '_');
		buf_puts(out, types[a].name);
	}
	if (tile.n > 0) {
		buf_putc(out, '_');
		if (put_shape(tile, 2, "x", out)) {
			buf_putc(out, '_');
			buf_i64(out, span_number(span_arg(tile, 2)));
		} else {
			out->len--;
		}
	}
}

/* MMA_64x64x16_F32BF16BF16_SS: the letter of the accumulator, the shape,
 * then the type of the operands into *type. */
static void
put_atom(struct span atom, struct buf *out, const char **type)
{
	size_t i, shape = 0;

	while (shape < atom.n &&
	       (isdigit((unsigned char)atom.s[shape]) || atom.s[shape] == 'x'))
		shape++;
	atom.n = shape < atom.n ? atom.n : 0;
	for (i = shape; i < atom.n &&
			(isalnum((unsigned char)atom.s[i]) || atom.s[i] == '_');
	     i++)
		;
	atom.n = i;
	if (shape == 0 || atom.n < shape + 4)
		return;
	/* The accumulator is told first: _F32..., _F16..., _S32... */
	switch (atom.s[shape + 1]) {
	case 'F':
		buf_putc(out, atom.s[shape + 2] == '3'   ? 's'
			      : atom.s[shape + 2] == '6' ? 'd'
							 : 'h');
		break;
	case 'S':
		buf_putc(out, 'i');
		break;
	}
	buf_put(out, atom.s, shape);
	atom.s += shape + 4;
	atom.n -= shape + 4;
	for (i = 0; i < sizeof(mma_types) / sizeof(mma_types[0]); i++)
		if (*type == NULL && span_starts(atom, mma_types[i].word))
			*type = mma_types[i].name;
}

static struct span
find_atom(struct span type)
{
	size_t i;

	for (i = 0; i + 5 < type.n; i++)
		if (memcmp(type.s + i, "MMA_", 4) == 0 &&
		    isdigit((unsigned char)type.s[i + 4]))
			return (struct span){ type.s + i + 4, type.n - i - 4 };
	return (struct span){ type.s, 0 };
}

/* CUTLASS 3: CollectiveMma<Mainloop..., tile, A, ...>, or a builder. */
static void
put_cutlass3(struct span type, struct span mma, struct buf *out)
{
	struct span loop = span_base(span_arg(mma, 0));
	const char *name = NULL;
	size_t i;
	int a;

	buf_puts(out, "cutlass3x_");
	for (i = 0; i + 2 < loop.n; i++)
		if (memcmp(loop.s + i, "Sm", 2) == 0 &&
		    isdigit((unsigned char)loop.s[i + 2])) {
			buf_puts(out, "sm");
			for (i += 2;
			     i < loop.n && isdigit((unsigned char)loop.s[i]);
			     i++)
				buf_putc(out, loop.s[i]);
			buf_putc(out, '_');
			break;
		}
	a = type_of(span_arg(mma, 2));
	if (a >= 0)
		name = types[a].name;
	buf_puts(out, "tensorop_");
	put_atom(find_atom(type), out, &name);
	buf_puts(out, operation(type));
	if (name != NULL) {
		buf_putc(out, '_');
		buf_puts(out, name);
	}
	buf_putc(out, '_');
	if (!put_shape(span_arg(mma, 1), 3, "x", out))
		out->len--;
}

/* ReduceSplitK -> cutlass_reduce_split_k */
static void
put_snake(struct span base, struct buf *out)
{
	bool was_upper = true;
	size_t i;
	char c;

	buf_puts(out, "cutlass_");
	for (i = 0; i < base.n; i++) {
		c = base.s[i];
		if (isupper((unsigned char)c) && !was_upper)
			buf_putc(out, '_');
		was_upper = isupper((unsigned char)c);
		buf_putc(out, (char)tolower((unsigned char)c));
	}
}

bool
kernname_cutlass(struct span type, struct buf *out)
{
	struct span base = span_base(type), path, mma;

	path = type;
	path.n = (size_t)(base.s - type.s);
	if (base.n == 0 || base.s < type.s || !span_starts(path, "cutlass"))
		return false;
	mma = span_after(type, "CollectiveMma");
	if (mma.n > 0)
		put_cutlass3(type, mma, out);
	else if (span_after(type, "GemmShape").n > 0 &&
		 (span_has(base, "Gemm") || span_has(base, "Convolution")))
		put_cutlass2(type, out);
	else
		put_snake(base, out);
	return true;
}
