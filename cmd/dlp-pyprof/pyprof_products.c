/*
 * Matrix products (linear.py, blas.py), convolutions (conv.py), and cells of
 * recurrent networks (recurrentCell.py).
 */
#include <inttypes.h>
#include <stdio.h>

#include "array.h"
#include "pyprof.h"

/*
 * Matrix products: linear, addmm, mm, bmm, matmul
 */

/* 2 m n k FLOPs; the bytes of three matrices of one type. */
static void
count_mnk(struct pyprof_result *r, int64_t b, int64_t m, int64_t n, int64_t k,
    int64_t s)
{
	int64_t mn = pynum_mul(m, n), mk = pynum_mul(m, k),
		nk = pynum_mul(n, k);

	r->flops.i = pynum_mul(pynum_mul(pynum_mul(mn, k), 2), b);
	r->bytes.i =
	    pynum_mul(pynum_mul(s, b), pynum_add(pynum_add(mn, mk), nk));
}

static void
put_mnk(struct pyprof_result *r, int64_t m, int64_t n, int64_t k)
{
	params_int(r, "M", m);
	params_int(r, "N", n);
	params_int(r, "K", k);
}

/* Two matrices of one type, with a batch or without. M and N are swapped in the
 * output, because cuBLAS counts by columns. */
static bool
product(const struct pyprof_call *c, struct pyprof_result *r,
    const struct pyprof_arg *a, const struct pyprof_arg *b, int dims)
{
	const int64_t *x = a->shape.v, *y = b->shape.v;
	int i = dims - 2;

	if (!arg_is_tensor(a) || !arg_is_tensor(b) || a->shape.n != dims ||
	    b->shape.n != dims || x[i + 1] != y[i] ||
	    dtype_size(a->dtype) != dtype_size(b->dtype))
		return false;
	if (dims == 3 && x[0] != y[0])
		return false;
	if (dims == 3)
		params_int(r, "B", x[0]);
	put_mnk(r, y[i + 1], x[i], x[i + 1]);
	count_mnk(r, dims == 3 ? x[0] : 1, x[i], y[i + 1], x[i + 1],
	    dtype_size(a->dtype));
	r->tc = call_tc_gemm(c);
	return params_type(r, a->dtype);
}

bool
rule_addmm(const struct pyprof_call *c, struct pyprof_result *r)
{
	const struct pyprof_arg *v[3];

	return call_unnamed(c, v, 3) == 3 && product(c, r, v[1], v[2], 2);
}

bool
rule_mm(const struct pyprof_call *c, struct pyprof_result *r)
{
	return c->m->n == 2 && product(c, r, &c->m->arg[0], &c->m->arg[1], 2);
}

bool
rule_bmm(const struct pyprof_call *c, struct pyprof_result *r)
{
	const struct pyprof_arg *v[2];

	return mv_eq(c->m->mod, "torch") && call_unnamed(c, v, 2) == 2 &&
	       product(c, r, v[0], v[1], 3);
}

struct matmul_sizes {
	struct pyprof_shape batch;
	int64_t m, n, k;
};

/* The sizes of a product of vectors, matrices or batches of them. */
static bool
matmul_sizes(const struct pyprof_shape *a, const struct pyprof_shape *b,
    struct matmul_sizes *z)
{
	struct pyprof_shape x = *a, y = *b;

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

/* PyProf multiplied the FLOPs by the batch, but not the bytes. */
bool
rule_matmul(const struct pyprof_call *c, struct pyprof_result *r)
{
	static const char no_gemm[] =
	    "kernelPointwiseApply2 reduce_1Block_kernel elementwise_kernel";
	const struct pyprof_arg *a = &c->m->arg[0], *b = &c->m->arg[1];
	struct mview name = { c->name, strlen(c->name) };
	bool torch = mv_eq(c->m->mod, "torch") && mv_eq(c->m->op, "matmul");
	struct matmul_sizes z;
	int64_t s;

	if (!torch &&
	    !(mv_eq(c->m->mod, "Tensor") && mv_eq(c->m->op, "__matmul__")))
		return false;
	if (c->m->n != 2 ||
	    (!has_word_of(c->name, no_gemm) &&
		!has_word_of(c->name, "dot_kernel gemm gemv")) ||
	    !arg_is_tensor(a) || !arg_is_tensor(b) ||
	    !matmul_sizes(&a->shape, &b->shape, &z))
		return false;
	s = dtype_size(a->dtype);
	params_shape(r, "A", &a->shape);
	params_shape(r, "B", &b->shape);
	count_mnk(r, 1, z.m, z.n, z.k, s);
	r->flops.i = pynum_mul(r->flops.i, shape_elems(&z.batch));
	if (is_word_of(name, no_gemm)) {
		r->flops.i = 0;
		r->bytes.i = pynum_mul(2 * s, shape_elems(&a->shape));
		r->tc = "-";
	} else {
		r->tc = mv_eq(name, "dot_kernel") ? "-" : call_tc_gemm(c);
	}
	return params_type(r, a->dtype);
}

/* One number, or a tuple. */
static void
put_n(struct pyprof_result *r, const char *key, const struct pyprof_shape *n)
{
	if (n->n == 1)
		params_int(r, key, n->v[0]);
	else
		params_shape(r, key, n);
}

bool
rule_linear(const struct pyprof_call *c, struct pyprof_result *r)
{
	static const char gemm[] = "gemm gemv dot_kernel splitKreduce_kernel"
				   " reduce_1Block_kernel";
	static const char bias[] =
	    "kernelReduceContigDim kernelReduceNoncontigDim_shared"
	    " elementwise_kernel reduce_kernel kernelPointwiseApply2";
	const struct pyprof_arg *x = c->m->arg, *w = x + 1, *b = x + 2;
	struct pyprof_shape rows; /* of x without its last dimension */
	int64_t m, n, k, s;

	if (!mv_eq(c->m->mod, "torch.nn.functional") || c->m->n < 2 ||
	    c->m->n > 3 || !arg_is_tensor(x) || !arg_is_tensor(w) ||
	    w->shape.n != 2 || x->shape.n == 0)
		return false;
	if (c->m->n == 3 && !arg_is(b, "tensor") && !arg_is(b, "NoneType"))
		return false;
	rows = x->shape;
	k = rows.v[--rows.n];
	m = w->shape.v[0];
	if (k != w->shape.v[1])
		return false;
	n = shape_elems(&rows);
	s = dtype_size(x->dtype);
	if (!has_word_of(c->name, gemm) &&
	    !(c->last && has_word_of(c->name, "cutlass"))) {
		if (!has_word_of(c->name, bias) &&
		    !(c->last &&
			has_word_of(c->name, "2d_grouped_direct_kernel")))
			return false;
		r->op = "bias";
		r->flops.i = pynum_mul(m, n);
		r->bytes.i = pynum_mul(r->flops.i, 2 * s);
		params_int(r, "M", m);
		put_n(r, "N", &rows);
		return params_type(r, x->dtype);
	}
	r->tc = (c->last ? call_tc_known(c) : has_word_of(c->name, "884gemm"))
		    ? "1"
		    : "0";
	/* it used a backward kernel's number to take it for dgrad, wgrad or a
	 * reduction */
	if (c->bwd && c->sub > 1) {
		params_shape(r, "X", &x->shape);
		params_shape(r, "W", &w->shape);
		return params_type(r, x->dtype);
	}
	count_mnk(r, 1, m, n, k, s);
	/* it multiplied only the last term by the size of the type */
	r->bytes.i = pynum_add(pynum_add(pynum_mul(m, n), pynum_mul(m, k)),
	    pynum_mul(pynum_mul(n, k), s));
	params_int(r, "M", c->bwd ? k : m);
	if (c->bwd && c->sub == 1) {
		params_int(r, "N", m);
		put_n(r, "K", &rows);
	} else {
		put_n(r, "N", &rows);
		params_int(r, "K", c->bwd ? m : k);
	}
	return params_type(r, x->dtype);
}

/*
 * Convolutions, of one and two dimensions
 */

/* Its sizes, in the order of its parameters, which have these names. */
struct pyprof_conv {
	double N, C, H, W, K, P, Q, R, S, ph, pw, U, V, dh, dw, g;
};
static const char *const conv_names[] = { "N", "C", "H", "W", "K", "P", "Q",
	"R", "S", "ph", "pw", "U", "V", "dh", "dw", "g" };

/* Kernels for which PyProf counted nothing. */
static const char ignored[] =
    "nchwToNhwc nhwcToNchw OffsetsKernel generateWinogradTilesKernel"
    " winogradWgradData winogradWgradOutput winogradWgradDelta"
    " compute_gemm_pointers flip_filter fft2d_r2c_ fft2d_c2r_ fft1d_r2c"
    " fft1d_c2r scaleTensor_kernel";

/* Kernels that it counted; it counted nothing for all others. */
static const char counted[] =
    "_s884cudnn_ _scudnn_ 2d_grouped_direct_kernel"
    " cudnn::detail::implicit_convolve_sgemm cudnn::detail::dgrad2d_alg1_1"
    " cudnn::detail::wgrad_alg0_engine cudnn::detail::dgrad_engine"
    " dgrad_1x1_stride_2x2 spatialDepthwiseConvolutionUpdateOutput"
    " winograd3x3Kernel _sgemm_ fermiPlusCgemmLDS128_batched _gcgemm_";

/* An option of the convolution: by its place, by its name, or the default;
 * one number, or one for each dimension. */
static bool
option(const struct pyprof_call *c, int at, const char *name, int dims,
    double std, double out[2])
{
	const struct pyprof_arg *a = NULL;
	struct pyprof_shape v;
	int64_t i;

	out[0] = out[1] = std;
	if (c->m->n > at && (at < 6 || c->m->n == 7) &&
	    arg_unnamed(&c->m->arg[at]))
		a = &c->m->arg[at];
	else
		a = call_named(c, name);
	if (a == NULL)
		return true;
	if (arg_int(a, &i)) {
		out[0] = out[1] = (double)i;
		return true;
	}
	if (!arg_ints(a, &v) || v.n < 1 || (dims == 2 && v.n != 2))
		return false;
	out[0] = (double)v.v[0];
	out[1] = dims == 2 ? (double)v.v[1] : out[0];
	return true;
}

/* int() of Python; the nearest int64_t if it does not fit. */
static int64_t
py_int(double v)
{
	return v >= 9e18 ? INT64_MAX : v <= -9e18 ? INT64_MIN : (int64_t)v;
}

/* The output's extent in one dimension; PyProf divided as floats. */
static double
extent(double in, double pad, double filter, double dilation, double stride)
{
	double v = 1 + (in + 2 * pad - ((filter - 1) * dilation + 1)) / stride;

	return (double)py_int(v);
}

static bool
conv_sizes(const struct pyprof_call *c, struct pyprof_conv *z)
{
	const struct pyprof_arg *x = &c->m->arg[0], *w = &c->m->arg[1];
	int dims = mv_eq(c->m->op, "conv1d") ? 1 : 2;
	double s[2], p[2], d[2], g[2];

	if (c->m->n < 2 || c->m->n > 8 || !arg_is_tensor(x) ||
	    !arg_is_tensor(w) || x->shape.n != dims + 2 ||
	    w->shape.n != dims + 2)
		return false;
	if (!option(c, 3, "stride", dims, 1, s) ||
	    !option(c, 4, "padding", dims, 0, p) ||
	    !option(c, 5, "dilation", dims, 1, d) ||
	    !option(c, 6, "groups", 1, 1, g) || s[0] == 0 || s[1] == 0 ||
	    g[0] < 1 || (dims == 1 && !c->last && g[0] != 1))
		return false;
	z->N = (double)x->shape.v[0];
	z->C = (double)x->shape.v[1];
	z->H = dims == 1 ? 1 : (double)x->shape.v[2];
	z->W = (double)x->shape.v[dims + 1];
	z->K = (double)w->shape.v[0];
	z->R = dims == 1 ? 1 : (double)w->shape.v[2];
	z->S = (double)w->shape.v[dims + 1];
	z->g = g[0];
	if (dims == 1) {
		p[1] = p[0];
		p[0] = 0;
		s[0] = d[0] = 1;
	}
	z->ph = p[0];
	z->pw = p[1];
	z->U = s[0];
	z->V = s[1];
	z->dh = d[0];
	z->dw = d[1];
	z->P = extent(z->H, z->ph, z->R, z->dh, z->U);
	z->Q = extent(z->W, z->pw, z->S, z->dw, z->V);
	return (z->H != 1 || z->P == 1) && (z->W != 1 || z->Q == 1);
}

/* With groups, it took each kernel for that of one group, except kernels that
 * it knew to do all groups. */
static void
by_kernel(const struct pyprof_call *c, struct pyprof_result *r,
    const struct pyprof_conv *z, int64_t s)
{
	struct pyprof_conv one = *z;
	double weights;

	if (has_word_of(c->name, ignored))
		return;
	if (has_word_of(c->name, counted) ||
	    (c->last && has_word_of(c->name, "_s1688cudnn_"))) {
		if (z->g != 1 &&
		    !has_word_of(c->name,
			"2d_grouped_direct_kernel"
			" spatialDepthwiseConvolutionUpdateOutput")) {
			one.C /= z->g;
			one.K /= z->g;
			one.g = 1;
		}
		z = &one;
		r->flops = pynum_float(
		    2 * z->N * z->K * z->P * z->Q * z->C * z->R * z->S / z->g);
		weights = z->K * z->C * z->R * z->S / z->g;
		r->bytes = pynum_float((z->N * z->C * z->H * z->W + weights +
					   z->N * z->K * z->P * z->Q) *
				       (double)s);
	} else if (has_word_of(c->name, "calc_bias_diff")) {
		r->flops.i = py_int(z->N * z->K * z->P * z->Q);
		r->bytes.i = pynum_mul(r->flops.i, 2 * s);
	}
}

bool
rule_conv(const struct pyprof_call *c, struct pyprof_result *r)
{
	const struct pyprof_arg *x = &c->m->arg[0];
	struct pyprof_conv z;
	double v[ARRAY_LEN(conv_names)];
	size_t i;

	if (!mv_eq(c->m->mod, "torch.nn.functional") || !conv_sizes(c, &z))
		return false;
	memcpy(v, &z, sizeof(v));
	for (i = 0; i < ARRAY_LEN(conv_names); i++)
		params_int(r, conv_names[i], py_int(v[i]));
	by_kernel(c, r, &z, dtype_size(x->dtype));
	if (c->last ? call_tc_known(c) : has_word_of(c->name, "884cudnn"))
		r->tc = "1";
	return params_type(r, x->dtype);
}

/*
 * LSTMCell and GRUCell: forward by the kernel's number, backward by the tile in
 * its name and the grid
 */

struct pyprof_cell {
	int64_t in, hid, b, multiple, size;
	struct mview type;
};

static bool
cell_sizes(const struct pyprof_call *c, struct pyprof_cell *z)
{
	const struct pyprof_arg *x = &c->m->arg[0], *h = &c->m->arg[1];

	if (c->m->n < 2 || c->m->n > 3 || !arg_is_tensor(x) ||
	    !arg_is_tensor(h) || x->shape.n != 2 || h->shape.n != 2 ||
	    x->shape.v[0] != h->shape.v[0])
		return false;
	z->b = x->shape.v[0];
	z->in = x->shape.v[1];
	z->hid = h->shape.v[1];
	z->type = x->dtype;
	z->size = dtype_size(x->dtype);
	z->multiple = mv_eq(c->m->mod, "LSTMCell")  ? 4
		      : mv_eq(c->m->mod, "GRUCell") ? 3
						    : 1;
	return true;
}

static bool
cell_gemm(struct pyprof_result *r, const struct pyprof_cell *z,
    const char *what, int64_t m, int64_t n, int64_t k)
{
	int64_t e = pynum_add(
	    pynum_add(pynum_mul(m, k), pynum_mul(k, n)), pynum_mul(m, n));

	r->flops.i = pynum_mul(pynum_mul(pynum_mul(2, m), n), k);
	r->bytes.i = pynum_mul(e, z->size);
	buf_puts(&r->params, "gemm=");
	buf_puts(&r->params, what);
	buf_putc(&r->params, ',');
	put_mnk(r, m, n, k);
	return params_type(r, z->type);
}

static bool
cell_other(const struct pyprof_call *c, struct pyprof_result *r,
    const struct pyprof_cell *z, int64_t elems)
{
	r->bytes.i = pynum_mul(elems, z->size);
	buf_puts(&r->params, "cell=");
	buf_put(&r->params, c->m->mod.s, c->m->mod.n);
	buf_putc(&r->params, ',');
	params_int(r, "X", z->in);
	params_int(r, "H", z->hid);
	params_int(r, "B", z->b);
	return params_type(r, z->type);
}

/* The tile size, from volta_sgemm_32x128_nn: the only part with an x that is
 * not "sliced". */
static bool
tile_of(const char *name, int64_t *x, int64_t *y)
{
	struct mview part;
	int found = 0, len;
	const char *p, *e;

	for (p = name; *p != '\0'; p = *e != '\0' ? e + 1 : e) {
		e = p + strcspn(p, "_");
		part = mv(p, e);
		if (!mv_has(part, "x") || mv_has(part, "slice"))
			continue;
		found++;
		if (sscanf(p, "%" SCNd64 "x%" SCNd64 "%n", x, y, &len) != 2 ||
		    p + len != e)
			return false;
	}
	return found == 1;
}

static bool
cell_backward(const struct pyprof_call *c, struct pyprof_result *r,
    const struct pyprof_cell *z)
{
	struct mview name = { c->name, strlen(c->name) };
	int64_t x, y, m, n, wide = z->multiple * z->hid;
	const char *what;

	if (!has_word_of(c->name, "sgemm 884gemm hgemm"))
		return cell_other(c, r, z, 0);
	if (!tile_of(c->name, &x, &y))
		return false;
	m = pynum_mul(x, c->grid[0]);
	n = pynum_mul(y, c->grid[1]);
	if ((!mv_ends(name, "_nn") && !mv_ends(name, "_nt")) ||
	    (m != z->hid && m != z->in))
		return cell_other(c, r, z, 0);
	what = m == z->hid ? "recur" : "layer";
	if (mv_ends(name, "_nt"))
		return n == wide && cell_gemm(r, z, what, m, n, z->b);
	return cell_gemm(r, z, what, m, m == z->hid ? z->b : n, wide);
}

bool
rule_cell(const struct pyprof_call *c, struct pyprof_result *r)
{
	struct pyprof_cell z;
	int64_t m;

	if (!mv_eq(c->m->op, "forward") || !cell_sizes(c, &z))
		return false;
	if (has_word_of(c->name, "gemm"))
		r->tc = has_word_of(c->name, "884gemm") ? "1" : "0";
	if (c->bwd)
		return cell_backward(c, r, &z);
	m = z.multiple * z.hid;
	if (c->sub % 3 == 0)
		return cell_gemm(r, &z, "layer", m, z.b, z.in);
	if (c->sub % 3 == 1)
		return cell_gemm(r, &z, "recur", m, z.b, z.hid);
	return cell_other(
	    c, r, &z, pynum_mul(2 * z.multiple + 3, pynum_mul(z.hid, z.b)));
}
