/*
 * PyProf's params column, as PyProf 3 and its predecessor in apex print it
 * (pyprof/prof/{linear,conv,blas,recurrentCell,...}.py). For most classes of
 * ops it is written as a pattern:
 *
 *	#i   the shape of argument i, as a tuple
 *	@i   its type in PyProf's words, and a comma
 *	%i   its value: a number or a string
 *	^i   its first dimension
 *	*    the shapes of all tensors among the positional arguments, [..]
 *	+    the same with the keyword arguments
 *	&    the type of the first of those tensors
 *	=    the type that the op's name is: half() to fp16
 *
 * other characters stand for themselves. Each field ends in a comma. Products,
 * convolutions and cells have functions.
 */

#include <string.h>

#include "flops_rules.h"
#include "num.h"
#include "pat.h"

/* Appends a tuple as Python prints it, without blanks: (35,20) (7,) () */
static void
params_tuple(struct buf *b, const struct op_args *a, const struct op_arg *t)
{
	size_t i;

	buf_putc(b, '(');
	for (i = 0; i < t->nd; i++) {
		if (i > 0)
			buf_putc(b, ',');
		buf_i64(b, a->dims[t->dim + i]);
	}
	if (t->nd == 1)
		buf_putc(b, ',');
	buf_putc(b, ')');
}

/* Appends PyProf's word for the type of t, and a comma; nothing if the type
 * is unknown. */
static void
params_dtype(struct buf *b, const struct kern_work *w, const struct op_arg *t)
{
	enum dtype dt = DT_NONE;

	if (t != NULL && t->dtype.s != NULL) {
		dt_pyprof(b, t->dtype.s, t->dtype.n);
	} else {
		if (t == NULL || !w->a->typed)
			dt = w->k->dt;
		if (dt == DT_NONE)
			return;
		buf_puts(b, dtypes[dt].name);
	}
	buf_putc(b, ',');
}

static void
params_shapes(const struct kern_work *w, struct buf *b, bool named)
{
	const struct op_args *a = w->a;
	const char *sep = "";
	size_t i;

	buf_putc(b, '[');
	for (i = 0; i < a->n; i++) {
		if (a->v[i].type != ARG_TENSOR || (a->v[i].named && !named))
			continue;
		buf_puts(b, sep);
		params_tuple(b, a, &a->v[i]);
		sep = ",";
	}
	buf_putc(b, ']');
}

/* An op without a class: all shapes, and all types as Python prints them; false
 * if it has none. */
static bool
params_any(const struct kern_work *w, struct buf *b)
{
	const struct op_args *a = w->a;
	const char *sep = "";
	size_t i;

	if (a->n == 0 && !a->typed)
		return false;
	buf_puts(b, "T=");
	params_shapes(w, b, true);
	buf_putc(b, ',');
	if (!a->typed)
		return true;
	buf_putc(b, '[');
	for (i = 0; i < a->n; i++) {
		if (a->v[i].type != ARG_TENSOR || a->v[i].dtype.s == NULL)
			continue;
		buf_puts(b, sep);
		buf_putc(b, '\'');
		buf_put(b, a->v[i].dtype.s, a->v[i].dtype.n);
		buf_putc(b, '\'');
		sep = ",";
	}
	buf_putc(b, ']');
	return true;
}

/* One field of argument g; false if the argument is not of that kind. */
static bool
params_field(
    const struct kern_work *w, struct buf *b, char what, const struct op_arg *g)
{
	if (g == NULL || g->bad || (what == '^' && g->nd == 0))
		return false;
	if (what == '#' && g->type != ARG_TENSOR)
		buf_puts(b, "(1,)"); /* a Python scalar */
	else if (what == '#')
		params_tuple(b, w->a, g);
	else if (what == '@' && g->type == ARG_TENSOR)
		params_dtype(b, w, g);
	else if (what == '@' && g->type_txt.s != NULL) {
		dt_pyprof(b, g->type_txt.s, g->type_txt.n);
		buf_putc(b, ',');
	} else if (what == '^')
		buf_i64(b, w->a->dims[g->dim]);
	else if (what == '%' && (g->type == ARG_INT || g->type == ARG_BOOL))
		buf_i64(b, g->ival);
	else if (what == '%' && g->str.s != NULL)
		buf_put(b, g->str.s, g->str.n);
	else
		return what == '@';
	return true;
}

/* The positional argument number i (PyProf leaves out the named ones). */
static const struct op_arg *
positional(const struct op_args *a, size_t i)
{
	size_t k;

	for (k = 0; k < a->n; k++)
		if (!a->v[k].named && i-- == 0)
			return &a->v[k];
	return NULL;
}

/* An op by the pattern of its class; false if the pattern does not fit the
 * arguments: then b holds a part of it. */
static bool
params_spec(const struct kern_work *w, const char *spec, struct buf *b)
{
	const char *p;

	for (p = spec; *p != '\0'; p++) {
		switch (*p) {
		case '#':
		case '@':
		case '%':
		case '^':
			if (!params_field(w, b, *p,
				positional(w->a, (size_t)(p[1] - '0'))))
				return false;
			p++;
			break;
		case '*':
		case '+':
			params_shapes(w, b, *p == '+');
			break;
		case '&':
			params_dtype(b, w, arg_tensor(w->a, 0));
			break;
		case '=':
			if (p > spec && p[-1] > '9') { /* follows a name */
				buf_putc(b, '=');
				break;
			}
			dt_pyprof(b, w->op.s, w->op.n);
			buf_putc(b, ',');
			break;
		default:
			buf_putc(b, *p);
		}
	}
	return true;
}

static void
params_dim(struct buf *b, const char *name, int64_t v)
{
	buf_puts(b, name);
	buf_putc(b, '=');
	buf_i64(b, v);
	buf_putc(b, ',');
}

/* x[0:-1] as PyProf prints it: a tuple, or a number if only one is left. */
static void
params_lead(struct buf *b, const char *name, const struct op_args *a,
    const struct op_arg *x)
{
	struct op_arg lead = *x;

	if (x->nd == 2) {
		params_dim(b, name, arg_dim(a, x, 0));
		return;
	}
	lead.nd = x->nd == 0 ? 0 : x->nd - 1;
	buf_puts(b, name);
	buf_putc(b, '=');
	params_tuple(b, a, &lead);
	buf_putc(b, ',');
}

/* PyProf takes the first kernel of a backward for dgrad and the second for
 * wgrad, whatever they are; its M is the weight's rows. */
bool
linear_params(const struct kern_work *w, struct buf *b)
{
	const struct op_args *a = w->a;
	const struct op_arg *x = arg_named(a, "input", 0);
	const struct op_arg *wt = arg_named(a, "weight", 1);
	const struct kname *name = w->k;
	bool is_bias;
	int64_t m, k;

	if (x == NULL || wt == NULL || wt->nd != 2 || x->nd == 0)
		return false;
	m = arg_dim(a, wt, 0);
	k = arg_dim(a, x, -1);
	/* the kernel adds the bias, or sums its gradient, by the lists of
	 * names in PyProf's linear.py */
	is_bias = !pat_match("gemm|gemv|dot_kernel|splitkreduce_kernel|"
			     "reduce_1block_kernel|cutlass",
		      name->lower, name->len) &&
		  pat_match("kernelreducecontigdim|"
			    "kernelreducenoncontigdim_shared|"
			    "elementwise_kernel|reduce_kernel|"
			    "kernelpointwiseapply2",
		      name->lower, name->len);
	if (is_bias || !w->bprop) {
		params_dim(b, "M", m);
		params_lead(b, "N", a, x);
		if (!is_bias)
			params_dim(b, "K", k);
	} else if (w->sub == 0) {
		params_dim(b, "M", k);
		params_lead(b, "N", a, x);
		params_dim(b, "K", m);
	} else if (w->sub == 1) {
		params_dim(b, "M", k);
		params_dim(b, "N", m);
		params_lead(b, "K", a, x);
	} else {
		buf_puts(b, "X=");
		params_tuple(b, a, x);
		buf_puts(b, ",W=");
		params_tuple(b, a, wt);
		buf_putc(b, ',');
	}
	params_dtype(b, w, x);
	return true;
}

/* M and N change places: PyProf counts by columns, as BLAS does. */
static bool
mnk_params(const struct kern_work *w, struct buf *b, int first, bool batch)
{
	struct gemm_sizes g;

	if (!gemm_sizes(w, first, &g) || g.b < 0)
		return false;
	if (batch)
		params_dim(b, "B", g.b);
	params_dim(b, "M", g.n);
	params_dim(b, "N", g.m);
	params_dim(b, "K", g.k);
	params_dtype(b, w, arg_at(w->a, (size_t)first));
	return true;
}

bool
mm_params(const struct kern_work *w, struct buf *b)
{
	return mnk_params(w, b, 0, false);
}

bool
addmm_params(const struct kern_work *w, struct buf *b)
{
	return mnk_params(w, b, 1, false);
}

bool
bmm_params(const struct kern_work *w, struct buf *b)
{
	return mnk_params(w, b, 0, true);
}

/* conv1d and conv2d; a conv1d has one row. Without a marker stride, padding and
 * dilation are unknown, and are not printed. */
bool
conv_params(const struct kern_work *w, struct buf *b)
{
	struct conv_sizes c;
	int h, v;

	if (!conv_sizes(w, 0, &c) || c.nsp > 2)
		return false;
	h = c.nsp - 2; /* place of the height, or -1 */
	v = c.nsp - 1;
	params_dim(b, "N", c.n);
	params_dim(b, "C", c.c);
	params_dim(b, "H", h < 0 ? 1 : c.in[h]);
	params_dim(b, "W", c.in[v]);
	params_dim(b, "K", c.k);
	if (c.has_out) {
		params_dim(b, "P", h < 0 ? 1 : c.out[h]);
		params_dim(b, "Q", c.out[v]);
	}
	params_dim(b, "R", h < 0 ? 1 : c.r[h]);
	params_dim(b, "S", c.r[v]);
	if (c.has_args) {
		params_dim(b, "ph", h < 0 ? 0 : c.pad[h]);
		params_dim(b, "pw", c.pad[v]);
		params_dim(b, "U", h < 0 ? 1 : c.stride[h]);
		params_dim(b, "V", c.stride[v]);
		params_dim(b, "dh", h < 0 ? 1 : c.dil[h]);
		params_dim(b, "dw", c.dil[v]);
	}
	params_dim(b, "g", c.g);
	params_dtype(b, w, arg_at(w->a, 0));
	return true;
}

static void
params_gemm(struct buf *b, const char *what, int64_t m, int64_t n, int64_t k)
{
	buf_printf(b, "gemm=%s,M=%lld,N=%lld,K=%lld,", what, (long long)m,
	    (long long)n, (long long)k);
}

/* The tile size, WxH, is the only part of the name between underscores that
 * contains an x, apart from slicedAxB: volta_sgemm_32x128_sliced1x4_nn. */
static bool
tile_of(const char *name, int64_t *w, int64_t *h)
{
	const char *p = name, *x;
	size_t n;
	int found = 0;

	for (;; p += n + 1) {
		n = strcspn(p, "_");
		x = memchr(p, 'x', n);
		if (x != NULL && strncmp(p, "slice", 5) != 0) {
			if (!num_i64(p, (size_t)(x - p), w) ||
			    !num_i64(x + 1, n - (size_t)(x - p) - 1, h))
				return false;
			found++;
		}
		if (p[n] == '\0')
			return found == 1;
	}
}

/* PyProf multiplies the tile size in the kernel's name by the grid to get the
 * size of a backward's product. */
static bool
bprop_gemm(const struct kern_work *w, const struct cell_sizes *c, struct buf *b)
{
	int64_t tx, ty, gx, gy, m;
	const char *s = w->k->last, *what, *comma;
	size_t n = s == NULL ? 0 : strlen(s);

	if (n < 3 ||
	    (strstr(s, "sgemm") == NULL && strstr(s, "884gemm") == NULL &&
		strstr(s, "hgemm") == NULL) ||
	    !tile_of(s, &tx, &ty) || w->grid == NULL ||
	    (comma = strchr(w->grid, ',')) == NULL ||
	    !num_i64(w->grid, (size_t)(comma - w->grid), &gx) ||
	    !num_i64(comma + 1, strcspn(comma + 1, ","), &gy))
		return false;
	m = size_mul(tx, gx);
	if (m != c->h && m != c->x)
		return false;
	what = m == c->h ? "recur" : "layer";
	if (strcmp(s + n - 3, "_nt") == 0)
		params_gemm(b, what, m, size_mul(ty, gy), c->b);
	else if (strcmp(s + n - 3, "_nn") == 0)
		params_gemm(b, what, m, m == c->h ? c->b : size_mul(ty, gy),
		    size_mul(c->mult, c->h));
	else
		return false;
	return true;
}

bool
cell_params(const struct kern_work *w, struct buf *b)
{
	struct cell_sizes c;
	int64_t step = w->sub % 3;

	if (!cell_sizes(w, &c))
		return false;
	if (!w->bprop && step == 0) {
		params_gemm(b, "layer", size_mul(c.mult, c.h), c.b, c.x);
	} else if (!w->bprop && step == 1) {
		params_gemm(b, "recur", size_mul(c.mult, c.h), c.b, c.h);
	} else if (!w->bprop || !bprop_gemm(w, &c, b)) {
		buf_puts(b, "cell=");
		buf_put(b, w->mod.s, w->mod.n);
		buf_printf(b, ",X=%lld,H=%lld,B=%lld,", (long long)c.x,
		    (long long)c.h, (long long)c.b);
	}
	params_dtype(b, w, arg_at(w->a, 0));
	return true;
}

bool
rule_params(
    const struct flops_rule *rule, const struct kern_work *w, struct buf *b)
{
	size_t was = b->len;

	/* PyProf's word for an element-wise op of numbers alone */
	if (rule != NULL && rule->family == FAM_POINTWISE && w->a->typed &&
	    w->a->n > 0 && arg_tensor(w->a, 0) == NULL) {
		buf_puts(b, "T=[(1,)],fp32,");
		return true;
	}
	if (rule != NULL && rule->params != NULL) {
		if (rule->params(w, b))
			return true;
	} else if (rule != NULL && rule->spec != NULL) {
		if (w->a->typed && params_spec(w, rule->spec, b))
			return true;
	}
	b->len = was;
	return params_any(w, b);
}
