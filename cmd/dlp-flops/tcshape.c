/* Sizes of products that keep them off Tensor Cores; see tcshape.h. */
#include "tcshape.h"

#include <string.h>

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

bool
tcshape_odd(int64_t n, enum dtype dt)
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
	if (tcshape_odd(s.k, dt) || tcshape_odd(s.n, dt))
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
	if (tcshape_odd(cg, dt) || tcshape_odd(k / g, dt))
		bits |= SHAPE_UNALIGNED;
	return bits;
}

static unsigned
attention_shape(const struct work *w, enum dtype dt)
{
	const struct arg *q = arg_tensor(w->a, 0);

	if (q == NULL || q->bad || q->nd < 2)
		return 0;
	return tcshape_odd(arg_dim(w->a, q, -1), dt) ? SHAPE_UNALIGNED : 0;
}

unsigned
tcshape(const struct work *w, enum family f, enum dtype dt)
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
