/* Convolutions, of one and two dimensions. */
#include "rule.h"

struct conv {
	double N, C, H, W, K, P, Q, R, S, ph, pw, U, V, dh, dw, g;
};

/* Kernels that PyProf counted nothing for. */
static const char *const aux[] = { "nchwToNhwc", "nhwcToNchw", "OffsetsKernel",
	"generateWinogradTilesKernel", "winogradWgradData",
	"winogradWgradOutput", "winogradWgradDelta", "compute_gemm_pointers",
	"flip_filter", "fft2d_r2c_", "fft2d_c2r_", "fft1d_r2c", "fft1d_c2r",
	"scaleTensor_kernel", NULL };

/* Those it counted; all others count nothing either. */
static const char *const work[] = { "_s884cudnn_", "_scudnn_",
	"2d_grouped_direct_kernel", "cudnn::detail::implicit_convolve_sgemm",
	"cudnn::detail::dgrad2d_alg1_1", "cudnn::detail::wgrad_alg0_engine",
	"cudnn::detail::dgrad_engine", "dgrad_1x1_stride_2x2",
	"spatialDepthwiseConvolutionUpdateOutput", "winograd3x3Kernel",
	"_sgemm_", "fermiPlusCgemmLDS128_batched", "_gcgemm_", NULL };

/* An option of the convolution: by its place, by its name, or the default;
 * one number, or one for each dimension. */
static bool
option(const struct call *c, int at, const char *name, int dims, double std,
    double out[2])
{
	const struct arg *a = NULL;
	struct shape v;
	int64_t i;

	out[0] = out[1] = std;
	if (c->m->n > at && (at < 6 || c->m->n == 7) &&
	    arg_unnamed(&c->m->arg[at]))
		a = &c->m->arg[at];
	else
		a = named(c, name);
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

/* int() of Python, held where it does not fit */
static int64_t
whole(double v)
{
	return v >= 9e18 ? INT64_MAX : v <= -9e18 ? INT64_MIN : (int64_t)v;
}

/* of a true division */
static double
extent(double in, double pad, double filter, double dilation, double stride)
{
	double v = 1 + (in + 2 * pad - ((filter - 1) * dilation + 1)) / stride;

	return (double)whole(v);
}

static void
output(struct conv *z, const double s[2], const double p[2], const double d[2])
{
	z->ph = p[0];
	z->pw = p[1];
	z->U = s[0];
	z->V = s[1];
	z->dh = d[0];
	z->dw = d[1];
	z->P = extent(z->H, z->ph, z->R, z->dh, z->U);
	z->Q = extent(z->W, z->pw, z->S, z->dw, z->V);
}

static bool
sizes(const struct call *c, struct conv *z)
{
	const struct arg *x = &c->m->arg[0], *w = &c->m->arg[1];
	int dims = mv_eq(c->m->op, "conv1d") ? 1 : 2;
	double s[2], p[2], d[2], g[2];

	if (c->m->n < 2 || c->m->n > 8 || !is_tensor(x) || !is_tensor(w) ||
	    x->shape.n != dims + 2 || w->shape.n != dims + 2)
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
	output(z, s, p, d);
	return (z->H != 1 || z->P == 1) && (z->W != 1 || z->Q == 1);
}

static void
put(struct result *r, const struct conv *z)
{
	const struct {
		const char *key;
		double v;
	} all[] = { { "N", z->N }, { "C", z->C }, { "H", z->H }, { "W", z->W },
		{ "K", z->K }, { "P", z->P }, { "Q", z->Q }, { "R", z->R },
		{ "S", z->S }, { "ph", z->ph }, { "pw", z->pw }, { "U", z->U },
		{ "V", z->V }, { "dh", z->dh }, { "dw", z->dw },
		{ "g", z->g } };
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		put_int(r, all[i].key, whole(all[i].v));
}

static void
count(struct result *r, const struct conv *z, int64_t s)
{
	double f = 2 * z->N * z->K * z->P * z->Q * z->C * z->R * z->S / z->g;
	double e = z->N * z->C * z->H * z->W +
		   z->K * z->C * z->R * z->S / z->g + z->N * z->K * z->P * z->Q;

	r->flops = pynum_float(f);
	r->bytes = pynum_float(e * (double)s);
}

/* Where there are groups, it took each kernel for one group's, but those of
 * which it knew better. */
static void
by_kernel(
    const struct call *c, struct result *r, const struct conv *z, int64_t s)
{
	struct conv one = *z;

	if (name_has_any(c, aux))
		return;
	if (name_has_any(c, work) || (c->last && name_has(c, "_s1688cudnn_"))) {
		if (z->g != 1 && !name_has(c, "2d_grouped_direct_kernel") &&
		    !name_has(c, "spatialDepthwiseConvolutionUpdateOutput")) {
			one.C /= z->g;
			one.K /= z->g;
			one.g = 1;
		}
		count(r, &one, s);
	} else if (name_has(c, "calc_bias_diff")) {
		r->flops = pynum_int(whole(z->N * z->K * z->P * z->Q));
		r->bytes = pynum_int(pynum_mul(r->flops.i, 2 * s));
	}
}

bool
rule_conv(const struct call *c, struct result *r)
{
	const struct arg *x = &c->m->arg[0];
	struct conv z;

	if (!mv_eq(c->m->mod, "torch.nn.functional") || !sizes(c, &z))
		return false;
	put(r, &z);
	by_kernel(c, r, &z, dtype_size(x->dtype));
	if (c->last ? tc_known(c) : name_has(c, "884cudnn"))
		r->tc = "1";
	return put_type(r, x->dtype);
}
