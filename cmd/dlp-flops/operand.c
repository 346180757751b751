/*
 * The words and functions of a rule's expression (kern_work.h): the sizes of an
 * op's arguments and of its result, which follows from the arguments of pooling
 * and resizing. Also the type of the kernel that copies rows of a table
 * (embedding, index_select): its name has no type, but its launch shows how
 * many bytes a row has.
 */
#include <string.h>

#include "array.h"
#include "kern_work.h"
#include "num.h"

/*
 * vectorized_gather_kernel<unit, index> (at/native/cuda/IndexKernelUtils.cu)
 * has a block for each index and for each 256 units of a row, of as many
 * threads as a row has units, in whole warps, and at most 256. A unit is what
 * a thread copies, in bytes:
 *
 *	void at::native::vectorized_gather_kernel<16, long>(char*, char*, ...)
 */
#define WARP 32
#define THREADS 256

/* Number i of a list "1,2,3". */
static int64_t
list_number(const char *s, int i)
{
	int64_t v;

	for (; i > 0 && *s != '\0'; i--)
		s += strcspn(s, ",") + 1;
	return num_i64(s, strcspn(s, ","), &v) ? v : -1;
}

/* Bytes of an element, from the launch of such a kernel; -1 if unknown. */
static int
gather_esize(const struct kern_work *w)
{
	const struct op_arg *t;
	int64_t row = -1, units, threads;
	int size, found = -1;
	size_t i;

	if (w->k->gather == 0 || w->grid == NULL || w->block == NULL)
		return -1;
	/* Elements of a row: those of the table without its first dimension,
	 * along which the rows are chosen (another dimension uses another
	 * kernel). */
	for (i = 0; (t = arg_tensor(w->a, i)) != NULL; i++)
		if (t->nd > 1 && arg_dim(w->a, t, 0) > 0) {
			row = arg_numel(w->a, t) / arg_dim(w->a, t, 0);
			break;
		}
	if (row <= 0)
		return -1;
	for (size = 1; size <= 16; size *= 2) {
		units = (size_mul(row, size) + w->k->gather - 1) / w->k->gather;
		threads = (units + WARP - 1) / WARP * WARP;
		if (threads > THREADS)
			threads = THREADS;
		if (list_number(w->block, 0) != threads ||
		    list_number(w->grid, 1) != (units + THREADS - 1) / THREADS)
			continue;
		if (found > 0)
			return -1; /* ambiguous: two sizes have the same
				    * launch */
		found = size;
	}
	return found;
}

/*
 * Sizes of results by a marker's arguments:
 *
 *	pooling:  (in + 2 pad - dilation (kernel - 1) - 1) / stride + 1
 *	resizing: the size that is asked for, or in times the factor
 *
 * as torch.nn.MaxPool2d and torch.nn.functional.interpolate document it.
 */

int64_t
operand_spatial(const struct kern_work *w, const char *name, int place,
    size_t i, int64_t unset)
{
	const struct op_arg *g = arg_named(w->a, name, place);

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

/* Positions of a window over dimension d of size in. */
static int64_t
positions(const struct kern_work *w, size_t d, int64_t in)
{
	bool max = w->op.n > 2 && w->op.s[0] == 'm';
	int64_t k = operand_spatial(w, "kernel_size", 1, d, -1);
	int64_t step = operand_spatial(w, "stride", 2, d, k);
	int64_t pad = operand_spatial(w, "padding", 3, d, 0);
	int64_t dil = max ? operand_spatial(w, "dilation", 4, d, 1) : 1;
	int64_t up = operand_spatial(w, "ceil_mode", max ? 5 : 4, 0, 0);
	int64_t room;

	if (k <= 0 || step <= 0 || pad < 0 || dil <= 0)
		return -1;
	room = size_add(in, size_mul(2, pad));
	k = size_add(size_mul(dil, k - 1), 1);
	if (room < k || k < 0)
		return -1;
	return (room - k + (up > 0 ? step - 1 : 0)) / step + 1;
}

/* Dimensions of the image: by 1d, 2d or 3d in the op's name; otherwise all but
 * the first two. */
static size_t
spatial(const struct kern_work *w, const struct op_arg *x)
{
	size_t i;

	for (i = 1; i < w->op.n; i++)
		if (w->op.s[i] == 'd' && w->op.s[i - 1] >= '1' &&
		    w->op.s[i - 1] <= '3')
			return (size_t)(w->op.s[i - 1] - '0');
	return x->nd > 2 ? x->nd - 2 : 0;
}

typedef int64_t dim_fn(const struct kern_work *w, size_t d, int64_t in);

static int64_t
result_numel(const struct kern_work *w, dim_fn *fn)
{
	const struct op_arg *x = arg_tensor(w->a, 0);
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

/* Elements of one window: the product of the kernel's sizes. */
static int64_t
window_size(const struct kern_work *w)
{
	const struct op_arg *x = arg_tensor(w->a, 0);
	int64_t n = 1;
	size_t i, nsp;

	if (!w->a->typed || x == NULL)
		return -1;
	nsp = spatial(w, x);
	for (i = 0; i < nsp; i++)
		n = size_mul(n, operand_spatial(w, "kernel_size", 1, i, -1));
	return nsp > 0 ? n : -1;
}

static int64_t
asked_size(const struct kern_work *w, size_t d, int64_t in)
{
	bool adaptive = w->op.n > 8 && w->op.s[0] == 'a';
	const struct op_arg *g;
	int64_t n =
	    operand_spatial(w, adaptive ? "output_size" : "size", 1, d, -1);

	if (n > 0 || adaptive)
		return n;
	g = arg_named(w->a, "scale_factor", 2);
	if (g != NULL && g->type == ARG_FLOAT && g->fval > 0 && g->fval < 1e6 &&
	    in < INT32_MAX)
		return (int64_t)((double)in * g->fval);
	return size_mul(in, operand_spatial(w, "scale_factor", 2, d, -1));
}

#define MAX_DIMS 64

int64_t
operand_esize(const struct kern_work *w)
{
	int size = dtypes[work_dtype(w)].size;

	if (size <= 0)
		size = w->k->esize;
	return size > 0 ? size : gather_esize(w);
}

int64_t
operand_out(const struct kern_work *w)
{
	const struct op_args *a = w->a;
	const struct op_arg *t;
	int64_t out[MAX_DIMS], n = 1, d; /* the last dimension first */
	size_t i, nd = 0;
	bool any = false;

	for (t = a->v; t < a->v + a->n; t++) {
		if (t->type != ARG_TENSOR || t->named)
			continue;
		any = true;
		if (t->bad || t->nd > MAX_DIMS)
			return -1;
		for (i = 0; i < t->nd; i++) {
			d = a->dims[t->dim + t->nd - 1 - i];
			if (i == nd)
				out[nd++] = d;
			else if (out[i] == 1)
				out[i] = d;
			else if (d != out[i] && d != 1)
				return -1;
		}
	}
	for (i = 0; i < nd; i++)
		n = size_mul(n, out[i]);
	return any ? n : -1;
}

/* How many lists of tensors a foreach op reads. Its kernel says how many it
 * touches; one of them is the result, unless the op works in place:
 *
 *	void at::native::(anonymous namespace)::multi_tensor_apply_kernel<
 *	    at::native::(anonymous namespace)::TensorListMetadata<2>, ...>
 */
static int64_t
lists(const struct kern_work *w)
{
	static const char mark[] = "listmetadata<";
	const char *s = strstr(w->k->lower, mark), *e;
	int64_t n;

	if (s == NULL || (e = strchr(s, '>')) == NULL || w->op.n == 0)
		return -1;
	for (s = e; s[-1] >= '0' && s[-1] <= '9'; s--)
		;
	if (!num_i64(s, (size_t)(e - s), &n) || n <= 0)
		return -1;
	if (w->op.s[w->op.n - 1] != '_')
		n--;
	return n > 0 ? n : -1;
}

enum { FN_NUMEL, FN_SIZE, FN_IDX, FN_ESIZE, FN_NDIM, FN_VALUE };

int
operand_function(const char *name, size_t n)
{
	static const char *const names[] = { "numel", "size", "idx", "esize",
		"ndim", "value" }; /* in the order of the enum */
	int i;

	for (i = (int)ARRAY_LEN(names) - 1; i >= 0; i--)
		if (text_is(name, n, names[i]))
			break;
	return i;
}

int64_t
operand_of(const struct kern_work *w, const struct op_arg *t, int fn)
{
	int size = t->dt == DT_FP4 ? 1 : dtypes[t->dt].size; /* FP4: pairs */

	switch (fn) {
	case FN_NUMEL:
		return arg_numel(w->a, t);
	case FN_SIZE: /* in the op's type if emit_nvtx has no types */
		return size_mul(
		    arg_numel(w->a, t), size > 0 ? size : operand_esize(w));
	case FN_IDX: /* indices are int64 if their type is unknown */
		return size_mul(arg_numel(w->a, t), size > 0 ? size : 8);
	case FN_ESIZE:
		return size > 0 ? size : operand_esize(w);
	case FN_NDIM:
		return t->bad ? -1 : (int64_t)t->nd;
	default:
		return t->type == ARG_INT || t->type == ARG_BOOL ? t->ival : -1;
	}
}

/* A sum over all tensors; -1 for an op without tensors. */
static int64_t
sum_of(const struct kern_work *w, int fn)
{
	const struct op_args *a = w->a;
	int64_t r = 0;
	size_t i;

	for (i = 0; i < a->n; i++)
		if (a->v[i].type == ARG_TENSOR)
			r = size_add(r, operand_of(w, &a->v[i], fn));
	return arg_tensor(a, 0) != NULL ? r : -1;
}

enum {
	WORD_N,
	WORD_T,
	WORD_IN,
	WORD_NIN,
	WORD_OUT,
	WORD_GRAD,
	WORD_TENSORS,
	WORD_LISTS,
	WORD_RANKS,
	WORD_POOLED,
	WORD_WINDOW,
	WORD_RESIZED
};

int
operand_word(const char *name, size_t n)
{
	static const char *const names[] = { "n", "t", "in", "nin", "out",
		"grad", "tensors", "lists", "ranks", "pooled", "window",
		"resized" }; /* in the order of the enum */
	int i;

	for (i = (int)ARRAY_LEN(names) - 1; i >= 0; i--)
		if (text_is(name, n, names[i]))
			break;
	return i;
}

int64_t
operand_in(const struct kern_work *w)
{
	return sum_of(w, FN_SIZE);
}

int64_t
operand_value(const struct kern_work *w, int word)
{
	int64_t n;

	switch (word) {
	case WORD_N:
		return arg_numel(w->a, arg_tensor(w->a, 0));
	case WORD_T:
		return operand_esize(w);
	case WORD_IN:
		return operand_in(w);
	case WORD_NIN:
		return sum_of(w, FN_NUMEL);
	case WORD_OUT:
		return operand_out(w);
	case WORD_GRAD:
		return work_grad(w);
	case WORD_TENSORS:
		for (n = 0; arg_tensor(w->a, (size_t)n) != NULL;)
			n++;
		return n;
	case WORD_LISTS:
		return lists(w);
	case WORD_RANKS:
		return w->ranks;
	case WORD_POOLED:
		return result_numel(w, positions);
	case WORD_WINDOW:
		return window_size(w);
	default:
		return result_numel(w, asked_size);
	}
}
