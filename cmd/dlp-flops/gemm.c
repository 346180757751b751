/*
 * Matrix products: linear, mm, addmm, bmm, baddbmm, matmul, mv, dot, and
 * einsum; and what products share with convolutions: which of an op's kernels
 * carries the arithmetic, and what the others do.
 *
 *	A (.., m, k) times B (.., k, n):  2 b m n k, a multiply-add being 2
 *	bytes: A, B and the result once, batches included
 *
 * as torch.utils.flop_counter counts them (mm_flop, bmm_flop). A bias is not
 * counted there; here a kernel of its own that adds it is pointwise. Both
 * gradients of a product are products of the same size, so each costs the same
 * and moves the same three matrices.
 *
 *	linear, x (64, 120), weight (84, 120):
 *		2 * 64 * 84 * 120 = 1,290,240 FLOPs forward, twice that backward
 */
#include <stdio.h>
#include <string.h>

#include "flops_rules.h"
#include "pat.h"

void
product_role(const struct kern_work *w, struct answer *r)
{
	if (!w->bprop) {
		r->role = ROLE_MAIN;
		return;
	}
	r->role_sure = w->k->dir_sure;
	if (w->k->dir == KD_DGRAD)
		r->role = ROLE_DGRAD;
	else if (w->k->dir == KD_WGRAD)
		r->role = ROLE_WGRAD;
	else
		r->role = ROLE_GRAD;
}

/* The role of a product inside a backward, by its result: one gradient has the
 * elements of the left operand of the op's forward, the other those of the
 * right one. b, n_out, k: its batches, elements of its result, and k. */
static void
product_gradient(const struct kern_work *w, struct answer *r, int64_t b,
    int64_t n_out, int64_t k)
{
	const struct op_arg *x, *y;
	int64_t n_x, n_y;

	if (!w->prim || !w->bprop)
		return;
	r->role = ROLE_MAIN;
	if (w->first < 0)
		return;
	x = arg_tensor(w->fa, (size_t)w->first);
	y = arg_tensor(w->fa, (size_t)w->first + 1);
	n_x = x == NULL ? -1 : arg_numel(w->fa, x);
	n_y = y == NULL ? -1 : arg_numel(w->fa, y);
	r->role = ROLE_GRAD;
	if (n_out == n_x && n_out != n_y)
		r->role = ROLE_DGRAD;
	else if (n_out == n_y && n_out != n_x)
		r->role = ROLE_WGRAD;
	else if (k > 0 && k == arg_dim(w->fa, x, -1) && n_out != n_x &&
		 n_out != n_y &&
		 size_mul(n_out, b) == size_mul(n_x / k, n_y / k))
		/* the forward's once more, as with checkpoints */
		r->role = ROLE_MAIN;
	else if (w->k->dir != KD_NONE)
		r->role = w->k->dir == KD_DGRAD ? ROLE_DGRAD : ROLE_WGRAD;
}

/* A bias costs one addition per element of the result, forward (read and
 * write the result, read the bias) and backward (read the gradient, write
 * the bias's). */
bool
product_helper(const struct kern_work *w, struct answer *r, bool known,
    int64_t n_out, int64_t n_bias)
{
	enum kpart want = w->bprop ? KP_REDUCE : KP_ELEM;

	if (w->k->part == KP_MAIN)
		return false;
	r->eligible = false;
	if (w->k->part != want || n_bias == NO_BIAS) {
		r->role = ROLE_AUX;
		r->flop = known ? 0 : -1; /* counted with the product */
		return true;
	}
	r->role = ROLE_BIAS;
	r->family = w->bprop ? FAM_REDUCE : FAM_POINTWISE;
	r->flop = n_out;
	r->bytes =
	    work_bytes(w, size_add(size_mul(w->bprop ? 1 : 2, n_out), n_bias));
	return true;
}

/* Batch dimension i of t, from the end; 1 if it does not exist. */
static int64_t
batch_dim(const struct op_args *a, const struct op_arg *t, size_t i)
{
	return t->nd < i + 3 ? 1 : a->dims[t->dim + t->nd - 3 - i];
}

/* The product of the broadcast batch dimensions; -1 if they do not fit. */
static int64_t
batches(const struct op_args *a, const struct op_arg *x, const struct op_arg *y)
{
	int64_t p, q, r = 1;
	size_t i;

	for (i = 0; i + 2 < x->nd || i + 2 < y->nd; i++) {
		p = batch_dim(a, x, i);
		q = batch_dim(a, y, i);
		if (p != q && p != 1 && q != 1)
			return -1;
		r = size_mul(r, p == 1 ? q : p);
	}
	return r;
}

bool
gemm_sizes(const struct kern_work *w, int first, struct gemm_sizes *g)
{
	const struct op_args *a = w->a;
	const struct op_arg *x = arg_named(a, "input", 0);
	const struct op_arg *wt = arg_named(a, "weight", 1), *y;
	size_t i;

	memset(g, 0, sizeof(*g));
	if (first != GEMM_LINEAR) { /* x times y as matmul defines it */
		x = arg_at(a, (size_t)first);
		y = arg_at(a, (size_t)first + 1);
		if (x == NULL || y == NULL || x->nd == 0 || y->nd == 0 ||
		    x->bad || y->bad)
			return false;
		g->m = x->nd == 1 ? 1 : arg_dim(a, x, -2);
		g->k = arg_dim(a, x, -1);
		g->n = y->nd == 1 ? 1 : arg_dim(a, y, -1);
		if (arg_dim(a, y, y->nd == 1 ? -1 : -2) != g->k)
			return false;
		g->b = batches(a, x, y);
		g->n_a = arg_numel(a, x);
		g->n_b = arg_numel(a, y);
		if (first == 1)
			g->n_c = arg_numel(a, arg_at(a, 0));
		g->n_out = size_mul(size_mul(g->b, g->m), g->n);
		return true;
	}
	if (x == NULL || wt == NULL || x->nd == 0 || wt->nd < 1 || wt->nd > 2 ||
	    arg_dim(a, x, -1) != arg_dim(a, wt, -1))
		return false;
	g->b = g->m = 1;
	for (i = 0; i + 1 < x->nd; i++)
		g->m = size_mul(g->m, a->dims[x->dim + i]);
	g->k = arg_dim(a, x, -1);
	g->n = wt->nd == 1 ? 1 : arg_dim(a, wt, 0);
	g->n_a = arg_numel(a, x);
	g->n_b = arg_numel(a, wt);
	g->n_out = size_mul(g->m, g->n);
	return true;
}

/* The bytes of FP8 and FP4, with the scales, and of a result of 16 bits:
 * _scaled_mm. A tensor of FP4 counts pairs, a byte each. -1: another type. */
static int64_t
scaled_bytes(const struct kern_work *w, int64_t n_out)
{
	enum dtype dt = work_dtype(w);

	return dt == DT_FP8E4 || dt == DT_FP8E5 || dt == DT_FP4
		   ? size_add(operand_in(w), size_mul(2, n_out))
		   : -1;
}

/* The tiles of results of b matrices (m, n), by the tile in names of Tensile's
 * kernels, Cijk_Ailk_Bljk_..._MT128x64x64_..._GSU4_: each is divided by k among
 * GSU of them. Stream-K (SK) divides them by the size of the GPU. */
static int64_t
name_tiles(const struct kern_work *w, int64_t b, int64_t m, int64_t n)
{
	const char *s = strstr(w->k->lower, "_mt"), *split;
	int x = 0, y = 0, parts = 1;

	if (s == NULL || sscanf(s, "_mt%5dx%5d", &x, &y) != 2 || x <= 0 ||
	    y <= 0 || m <= 0 || n <= 0 ||
	    pat_match("_sk1_|_sk2_|_sk3_", w->k->lower, w->k->len))
		return 0;
	split = strstr(s, "_gsu");
	if (split != NULL && sscanf(split, "_gsu%5d", &parts) == 1 && parts > 1)
		b = size_mul(b, parts);
	b = size_mul(b, size_mul((m - 1) / x + 1, (n - 1) / y + 1));
	return b > 0 ? b : 0;
}

void
gemm_count(const struct kern_work *w, struct answer *r, int first)
{
	struct gemm_sizes g;
	const struct op_arg *bias = arg_named(w->a, "bias", 2);
	bool known = gemm_sizes(w, first, &g), has_bias = first == 1;

	r->eligible = true;
	if (!known)
		g.n_out = g.n = -1;
	if (first == GEMM_LINEAR) /* otherwise it is that of addmm */
		has_bias = bias != NULL && bias->type == ARG_TENSOR;
	if (product_helper(w, r, known, g.n_out, has_bias ? g.n : NO_BIAS))
		return;
	product_role(w, r);
	r->one = w->prim;
	product_gradient(w, r, g.b, g.n_out, g.k);
	if (!known)
		return;
	if (g.m == 1 || g.n == 1)
		r->eligible = false; /* a matrix times a vector */
	r->tiles = name_tiles(w, g.b, g.m, g.n);
	if (w->k->dt == DT_FP4)
		g.k = size_mul(g.k, 2); /* a shape counts pairs */
	r->flop = size_mul(2, size_mul(g.n_out, g.k));
	if (r->family == FAM_GEMM_INT) /* integers add up in 32 bits */
		r->bytes = size_add(work_bytes(w, size_add(g.n_a, g.n_b)),
		    size_mul(4, g.n_out));
	else if (w->prim || (r->bytes = scaled_bytes(w, g.n_out)) < 0)
		r->bytes = work_bytes(w,
		    size_add(size_add(g.n_a, g.n_b), size_add(g.n_c, g.n_out)));
}

/* A (.., m, k) and B (.., k, n) in groups. Where one of the two is a matrix the
 * groups divide the rows of A, the columns of B, or k, and are one product of
 * the whole together. Where both are batched, there is one product per group.
 * (aten::_grouped_mm, torch/_meta_registrations.py) */
void
grouped_count(const struct kern_work *w, struct answer *r, int first)
{
	const struct op_args *a = w->a;
	const struct op_arg *x = arg_at(a, (size_t)first);
	const struct op_arg *y = arg_at(a, (size_t)first + 1);
	bool known = x != NULL && y != NULL && x->nd >= 2 && y->nd >= 2;
	int64_t g, m, k, n;
	size_t i;

	r->eligible = true;
	if (product_helper(w, r, known, -1, NO_BIAS))
		return;
	product_role(w, r);
	r->one = w->prim;
	if (!known)
		return;
	g = x->nd == 3 && y->nd == 3 ? arg_dim(a, x, 0) : 1;
	m = arg_dim(a, x, -2);
	k = arg_dim(a, x, -1);
	n = arg_dim(a, y, -1);
	r->flop = size_mul(size_mul(2, g), size_mul(m, size_mul(n, k)));
	/* groups of k: each has a result of its own; offs says how many */
	for (i = (size_t)first + 2; x->nd == 2 && y->nd == 2 && i < a->n; i++)
		if (a->v[i].type == ARG_TENSOR && a->v[i].nd == 1)
			g = arg_dim(a, &a->v[i], 0);
	n = size_mul(g, size_mul(m, n));
	r->bytes = scaled_bytes(w, n);
	if (r->bytes < 0)
		r->bytes = work_bytes(
		    w, size_add(n, size_add(arg_numel(a, x), arg_numel(a, y))));
}

/*
 * einsum of two operands is a product, batched over the labels that both
 * operands and the result have, and summed over those that only the operands
 * have: 2 FLOPs for each combination of all labels.
 *
 *	"bij,bjk->bik" of (8, 64, 32) and (8, 32, 16): 2 * 8 * 64 * 32 * 16
 *
 * A marker gives the equation. emit_nvtx does not, but PyTorch makes a bmm of
 * it. The gradient of the bmm's result is (b, m, n), and one operand has b m k
 * elements, from which k follows.
 */
struct ein {
	int64_t flop;
	int64_t n_a, n_b, n_out;
};

enum { IN_A = 1, IN_B = 2, IN_OUT = 4 };

struct labels {
	int64_t size[128];
	unsigned char in[128];
};

/* Records the labels of s[0..n), which name the dimensions of t, or of the
 * result if t is NULL; blanks are skipped. False for an ellipsis, or if the
 * numbers of labels and dimensions differ. */
static bool
note_labels(struct labels *l, const char *s, size_t n, const struct op_args *a,
    const struct op_arg *t, int bit)
{
	size_t i, d = 0;
	int64_t size;
	int c;

	for (i = 0; i < n; i++) {
		c = (unsigned char)s[i];
		if (c == ' ')
			continue;
		if (c < 'A' || c > 'z')
			return false;
		l->in[c] |= (unsigned char)bit;
		if (t == NULL)
			continue;
		if (d == t->nd)
			return false;
		size = a->dims[t->dim + d++];
		if (l->size[c] > 1 && size > 1 && l->size[c] != size)
			return false;
		if (l->size[c] < size)
			l->size[c] = size;
	}
	return t == NULL || d == t->nd;
}

static bool
read_equation(const struct op_args *a, const struct op_arg *eq,
    const struct op_arg *x, const struct op_arg *y, struct ein *e)
{
	struct labels l;
	const char *s = eq->str.s, *end = s + eq->str.n, *comma, *arrow;
	int c;

	memset(&l, 0, sizeof(l));
	comma = memchr(s, ',', eq->str.n);
	arrow = memchr(s, '-', eq->str.n);
	if (comma == NULL || arrow == NULL || arrow < comma ||
	    arrow + 1 == end || arrow[1] != '>' ||
	    !note_labels(&l, s, (size_t)(comma - s), a, x, IN_A) ||
	    !note_labels(
		&l, comma + 1, (size_t)(arrow - comma) - 1, a, y, IN_B) ||
	    !note_labels(
		&l, arrow + 2, (size_t)(end - arrow) - 2, a, NULL, IN_OUT))
		return false;
	e->flop = 2;
	e->n_out = 1;
	for (c = 0; c < 128; c++) {
		if (l.in[c] == 0)
			continue;
		if (l.in[c] == IN_A || l.in[c] == IN_B || l.in[c] == IN_OUT)
			return false; /* summed before the product */
		e->flop = size_mul(e->flop, l.size[c]);
		if (l.in[c] & IN_OUT)
			e->n_out = size_mul(e->n_out, l.size[c]);
	}
	return true;
}

/* From the gradient of the bmm inside: (b, m, n), or with m and n changed. */
static bool
ein_by_gradient(const struct op_args *grad, struct ein *e)
{
	const struct op_arg *g = arg_tensor(grad, 0);
	int64_t b, m, n, k;
	int i;

	if (g == NULL || g->nd != 3)
		return false;
	b = arg_dim(grad, g, 0);
	for (i = 0; i < 2; i++) {
		m = arg_dim(grad, g, 1 + i);
		n = arg_dim(grad, g, 2 - i);
		if (b <= 0 || m <= 0 || n <= 0 || e->n_a <= 0)
			return false;
		k = e->n_a / b / m;
		if (size_mul(size_mul(b, m), k) != e->n_a ||
		    size_mul(size_mul(b, n), k) != e->n_b)
			continue;
		e->n_out = size_mul(b, size_mul(m, n));
		e->flop = size_mul(2, size_mul(e->n_out, k));
		return true;
	}
	return false;
}

void
einsum_count(const struct kern_work *w, struct answer *r, int unused)
{
	const struct op_args *a = w->a;
	const struct op_arg *eq = arg_named(a, "equation", 0);
	const struct op_arg *x = arg_tensor(a, 0), *y = arg_tensor(a, 1);
	struct ein e = { .n_a = arg_numel(a, x), .n_b = arg_numel(a, y) };
	bool known = x != NULL && y != NULL && !x->bad && !y->bad &&
		     arg_tensor(a, 2) == NULL;

	(void)unused;
	if (known && a->typed)
		known = eq != NULL && eq->str.s != NULL &&
			read_equation(a, eq, x, y, &e);
	else if (known)
		known = ein_by_gradient(w->grad, &e);
	r->eligible = true;
	/* without the equation, the products inside have the sizes */
	if (product_helper(w, r, known || !a->typed, -1, NO_BIAS))
		return;
	product_role(w, r);
	if (!known)
		return;
	r->flop = e.flop;
	r->bytes = work_bytes(w, size_add(size_add(e.n_a, e.n_b), e.n_out));
}
