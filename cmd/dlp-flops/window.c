/*
 * Sizes of results by a marker's arguments; see window.h.
 *
 *	pooling:  (in + 2 pad - dilation (kernel - 1) - 1) / stride + 1
 *	resizing: the size that is asked for, or in times the factor
 */
#include "size.h"
#include "window.h"

/* An argument that is one number for all dimensions, or one for each: the
 * one of dimension i. unset where there is none; -1: not a number. */
static int64_t
setting(
    const struct work *w, const char *name, int place, size_t i, int64_t unset)
{
	const struct arg *g = arg_named(w->a, name, place);

	if (g == NULL || g->type == ARG_NONE)
		return unset;
	if (g->type == ARG_INT || g->type == ARG_BOOL)
		return g->ival;
	if (g->type != ARG_LIST || g->bad)
		return -1;
	if (g->nd == 0)
		return unset;
	return w->a->dims[g->dim + (i < g->nd ? i : g->nd - 1)];
}

/* A window over dimension d of size in. */
static int64_t
positions(const struct work *w, size_t d, int64_t in)
{
	bool max = w->op_len > 2 && w->op[0] == 'm';
	int64_t k = setting(w, "kernel_size", 1, d, -1);
	int64_t step = setting(w, "stride", 2, d, k);
	int64_t pad = setting(w, "padding", 3, d, 0);
	int64_t dil = max ? setting(w, "dilation", 4, d, 1) : 1;
	int64_t up = setting(w, "ceil_mode", max ? 5 : 4, 0, 0);
	int64_t room;

	if (k <= 0 || step <= 0 || pad < 0 || dil <= 0)
		return -1;
	room = size_add(in, size_mul(2, pad));
	k = size_add(size_mul(dil, k - 1), 1);
	if (room < k || k < 0)
		return -1;
	return (room - k + (up > 0 ? step - 1 : 0)) / step + 1;
}

/* Dimensions of the image: the op's name ends in 1d, 2d, 3d, before what else
 * it says; all but the first two where it does not. */
static size_t
spatial(const struct work *w, const struct arg *x)
{
	size_t i;

	for (i = 1; i < w->op_len; i++)
		if (w->op[i] == 'd' && w->op[i - 1] >= '1' &&
		    w->op[i - 1] <= '3')
			return (size_t)(w->op[i - 1] - '0');
	return x->nd > 2 ? x->nd - 2 : 0;
}

typedef int64_t dim_fn(const struct work *w, size_t d, int64_t in);

static int64_t
result(const struct work *w, dim_fn *fn)
{
	const struct arg *x = arg_tensor(w->a, 0);
	size_t i, nsp;
	int64_t n = 1;

	if (!w->a->typed || x == NULL || x->bad)
		return work_grad(w);
	nsp = spatial(w, x);
	if (nsp == 0 || x->nd < nsp)
		return work_grad(w);
	for (i = 0; i < x->nd; i++) {
		int64_t in = w->a->dims[x->dim + i];

		n = size_mul(
		    n, i < x->nd - nsp ? in : fn(w, i - (x->nd - nsp), in));
	}
	return n >= 0 ? n : work_grad(w);
}

int64_t
window_pooled(const struct work *w)
{
	return result(w, positions);
}

int64_t
window_size(const struct work *w)
{
	const struct arg *x = arg_tensor(w->a, 0);
	int64_t n = 1;
	size_t i, nsp;

	if (!w->a->typed || x == NULL)
		return -1;
	nsp = spatial(w, x);
	for (i = 0; i < nsp; i++)
		n = size_mul(n, setting(w, "kernel_size", 1, i, -1));
	return nsp > 0 ? n : -1;
}

static int64_t
asked(const struct work *w, size_t d, int64_t in)
{
	bool adaptive = w->op_len > 8 && w->op[0] == 'a';
	const struct arg *g;
	int64_t n = setting(w, adaptive ? "output_size" : "size", 1, d, -1);

	if (n > 0 || adaptive)
		return n;
	g = arg_named(w->a, "scale_factor", 2);
	if (g != NULL && g->type == ARG_FLOAT && g->fval > 0 && g->fval < 1e6 &&
	    in < INT32_MAX)
		return (int64_t)((double)in * g->fval);
	return size_mul(in, setting(w, "scale_factor", 2, d, -1));
}

int64_t
window_resized(const struct work *w)
{
	return result(w, asked);
}
