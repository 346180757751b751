/* Matrix products: linear, addmm, mm, bmm, matmul. */
#include "rule.h"

/* 2mnk; the bytes of three matrices of one type. */
static void
count(struct result *r, int64_t b, int64_t m, int64_t n, int64_t k, int64_t s)
{
	int64_t mn = pynum_mul(m, n), mk = pynum_mul(m, k),
		nk = pynum_mul(n, k);

	r->flops = pynum_int(pynum_mul(pynum_mul(pynum_mul(mn, k), 2), b));
	r->bytes = pynum_int(
	    pynum_mul(pynum_mul(s, b), pynum_add(pynum_add(mn, mk), nk)));
}

static void
put_mnk(struct result *r, int64_t m, int64_t n, int64_t k)
{
	put_int(r, "M", m);
	put_int(r, "N", n);
	put_int(r, "K", k);
}

/* Two matrices, with a batch or without, of one type. M and N are swapped in
 * what is printed: cuBLAS counts by columns. */
static bool
product(const struct call *c, struct result *r, const struct arg *a,
    const struct arg *b, int dims)
{
	const int64_t *x = a->shape.v, *y = b->shape.v;
	int i = dims - 2;

	if (!is_tensor(a) || !is_tensor(b) || a->shape.n != dims ||
	    b->shape.n != dims || x[i + 1] != y[i] ||
	    dtype_size(a->dtype) != dtype_size(b->dtype))
		return false;
	if (dims == 3 && x[0] != y[0])
		return false;
	if (dims == 3)
		put_int(r, "B", x[0]);
	put_mnk(r, y[i + 1], x[i], x[i + 1]);
	count(r, dims == 3 ? x[0] : 1, x[i], y[i + 1], x[i + 1],
	    dtype_size(a->dtype));
	r->tc = tc_gemm(c);
	return put_type(r, a->dtype);
}

bool
rule_addmm(const struct call *c, struct result *r)
{
	const struct arg *v[3];

	return unnamed(c, v, 3) == 3 && product(c, r, v[1], v[2], 2);
}

bool
rule_mm(const struct call *c, struct result *r)
{
	return c->m->n == 2 && product(c, r, &c->m->arg[0], &c->m->arg[1], 2);
}

bool
rule_bmm(const struct call *c, struct result *r)
{
	const struct arg *v[2];

	return mv_eq(c->m->mod, "torch") && unnamed(c, v, 2) == 2 &&
	       product(c, r, v[0], v[1], 3);
}

struct sizes {
	struct shape batch;
	int64_t m, n, k;
};

/* Of vectors, matrices and batches of them. */
static bool
matmul_sizes(const struct shape *a, const struct shape *b, struct sizes *z)
{
	struct shape x = *a, y = *b;

	if (a->n == 0 || b->n == 0)
		return false;
	z->m = a->n == 1 ? 1 : a->v[a->n - 2];
	z->n = b->n == 1 ? 1 : b->v[b->n - 1];
	z->k = a->v[a->n - 1];
	if (z->k != (b->n == 1 ? b->v[0] : b->v[b->n - 2]))
		return false;
	x.n = a->n > 2 ? a->n - 2 : 0;
	y.n = b->n > 2 ? b->n - 2 : 0;
	return shape_broadcast(&x, &y, &z->batch);
}

static void
put_matmul(struct result *r, const struct arg *a, const struct arg *b)
{
	put_shape(r, "A", &a->shape);
	put_shape(r, "B", &b->shape);
}

/* The bytes lack the batch. */
bool
rule_matmul(const struct call *c, struct result *r)
{
	static const char *const tokens[] = { "kernelPointwiseApply2",
		"reduce_1Block_kernel", "elementwise_kernel", "dot_kernel",
		"gemm", "gemv", NULL };
	static const char *const no_gemm[] = { "kernelPointwiseApply2",
		"reduce_1Block_kernel", "elementwise_kernel", NULL };
	const struct arg *a = &c->m->arg[0], *b = &c->m->arg[1];
	struct mview name = { c->name, strlen(c->name) };
	bool torch = mv_eq(c->m->mod, "torch") && mv_eq(c->m->op, "matmul");
	struct sizes z;
	int64_t s;

	if (!torch &&
	    !(mv_eq(c->m->mod, "Tensor") && mv_eq(c->m->op, "__matmul__")))
		return false;
	if (c->m->n != 2 || !name_has_any(c, tokens) || !is_tensor(a) ||
	    !is_tensor(b) || !matmul_sizes(&a->shape, &b->shape, &z))
		return false;
	s = dtype_size(a->dtype);
	put_matmul(r, a, b);
	count(r, 1, z.m, z.n, z.k, s);
	r->flops.i = pynum_mul(r->flops.i, shape_elems(&z.batch));
	if (one_of(name, no_gemm)) {
		r->flops = pynum_int(0);
		r->bytes = pynum_int(pynum_mul(2 * s, shape_elems(&a->shape)));
		r->tc = "-";
	} else {
		r->tc = mv_eq(name, "dot_kernel") ? "-" : tc_gemm(c);
	}
	return put_type(r, a->dtype);
}

struct linear {
	const struct arg *x, *w;
	struct shape n; /* of x without its last dimension */
	int64_t m, k;
};

static bool
linear_sizes(const struct call *c, struct linear *l)
{
	const struct arg *v = c->m->arg;

	if (c->m->n < 2 || c->m->n > 3 || !is_tensor(&v[0]) ||
	    !is_tensor(&v[1]) || v[1].shape.n != 2 || v[0].shape.n == 0)
		return false;
	if (c->m->n == 3 && !arg_is(&v[2], "tensor") &&
	    !arg_is(&v[2], "NoneType"))
		return false;
	l->x = &v[0];
	l->w = &v[1];
	l->n = v[0].shape;
	l->k = l->n.v[--l->n.n];
	l->m = v[1].shape.v[0];
	return l->k == v[1].shape.v[1];
}

/* One number, or a tuple. */
static void
put_n(struct result *r, const char *key, const struct shape *n)
{
	if (n->n == 1)
		put_int(r, key, n->v[0]);
	else
		put_shape(r, key, n);
}

/* By the kernel's number it was taken for dgrad, wgrad or a reduction. */
static bool
put_linear(const struct call *c, struct result *r, const struct linear *l)
{
	if (c->bwd && c->sub > 1) {
		put_shape(r, "X", &l->x->shape);
		put_shape(r, "W", &l->w->shape);
	} else {
		put_int(r, "M", c->bwd ? l->k : l->m);
		if (c->bwd && c->sub == 1) {
			put_int(r, "N", l->m);
			put_n(r, "K", &l->n);
		} else {
			put_n(r, "N", &l->n);
			put_int(r, "K", c->bwd ? l->m : l->k);
		}
	}
	return put_type(r, l->x->dtype);
}

/* Only the last term is multiplied by the size of the type. */
static void
count_linear(struct result *r, const struct linear *l, int64_t n)
{
	int64_t s = dtype_size(l->x->dtype);

	count(r, 1, l->m, n, l->k, s);
	r->bytes.i =
	    pynum_add(pynum_add(pynum_mul(l->m, n), pynum_mul(l->m, l->k)),
		pynum_mul(pynum_mul(n, l->k), s));
}

bool
rule_linear(const struct call *c, struct result *r)
{
	static const char *const gemm[] = { "gemm", "gemv", "dot_kernel",
		"splitKreduce_kernel", "reduce_1Block_kernel", NULL };
	static const char *const bias[] = { "kernelReduceContigDim",
		"kernelReduceNoncontigDim_shared", "elementwise_kernel",
		"reduce_kernel", "kernelPointwiseApply2", NULL };
	struct linear l;
	int64_t n;

	if (!mv_eq(c->m->mod, "torch.nn.functional") || !linear_sizes(c, &l))
		return false;
	n = shape_elems(&l.n);
	if (name_has_any(c, gemm) || (c->last && name_has(c, "cutlass"))) {
		if (!c->bwd || c->sub <= 1)
			count_linear(r, &l, n);
		r->tc = "0";
		if (c->last ? tc_known(c) : name_has(c, "884gemm"))
			r->tc = "1";
		return put_linear(c, r, &l);
	}
	if (!name_has_any(c, bias) &&
	    !(c->last && name_has(c, "2d_grouped_direct_kernel")))
		return false;
	r->op = "bias";
	r->flops = pynum_int(pynum_mul(l.m, n));
	r->bytes = pynum_int(pynum_mul(r->flops.i, 2 * dtype_size(l.x->dtype)));
	put_int(r, "M", l.m);
	put_n(r, "N", &l.n);
	return put_type(r, l.x->dtype);
}
