/*
 * Element-wise kernels of aten (at/native/cuda/CUDALoops.cuh, Loops.cuh):
 *
 *	vectorized_elementwise_kernel<vec, F, array<char*, 1 + inputs>>
 *	unrolled_elementwise_kernel<F, array, ..., LoadWithCast, ...>
 *	elementwise_kernel<threads, per thread, gpu_kernel_impl<F>::lambda>
 *
 * F is a functor with its types as template arguments (BinaryFunctor<a, b,
 * result, ..>, AUnaryFunctor, BUnaryFunctor, CUDAFunctor_add<T>,
 * FillFunctor<T>) or a lambda with its operands as parameters.
 */
#include <string.h>

#include "cpp.h"
#include "elem.h"
#include "num.h"
#include "pat.h"

/* The name of a functor: what stands between the last :: and the <. */
static struct span
functor(struct span f, struct span *args, int *n)
{
	struct span name = { f.s, f.s };
	const char *p;

	for (p = f.s; p < f.e && *p != '<' && *p != '('; p++)
		;
	name.e = p;
	for (name.s = p; name.s > f.s && cpp_ident(name.s[-1]); name.s--)
		;
	*n =
	    p < f.e && *p == '<' ? cpp_split(p + 1, f.e, args, ELEM_MAX_IN) : 0;
	return name;
}

/* BinaryFunctor<a, b, result, op>; A and B hold one operand fixed. */
static void
set_functor(struct elem *e, struct span f, int n_in)
{
	struct span a[ELEM_MAX_IN];
	struct span name;
	int n, i;

	name = functor(f, a, &n);
	if (n == 0)
		return;
	e->is = true;
	e->dt = cpp_type(a[0]);
	if (n >= 3 && span_starts(name, "binaryfunctor")) {
		e->n_in = 2;
		e->in[0] = cpp_size(a[0]);
		e->in[1] = cpp_size(a[1]);
		e->out = cpp_size(a[2]);
	} else if (n >= 3 && (span_starts(name, "aunaryfunctor") ||
				 span_starts(name, "bunaryfunctor"))) {
		e->n_in = 1;
		e->in[0] = cpp_size(a[*name.s == 'a']);
		e->out = cpp_size(a[2]);
	} else {
		e->n_in = n_in >= 0                          ? n_in
			  : span_starts(name, "fillfunctor") ? 0
			  : span_find(name, "onself") != NULL ||
				  span_find(name, "onother") != NULL
			      ? 1
			      : 2;
		for (i = 0; i < e->n_in; i++)
			e->in[i] = cpp_size(a[0]);
		e->out = cpp_size(a[0]);
	}
}

/* A lambda's operands; the result has the type of the last that is no mask,
 * where the function's name does not say otherwise. */
static void
set_lambda(struct elem *e, struct span f, const char *list)
{
	struct span a[ELEM_MAX_IN], one;
	int n, i;

	n = cpp_split(list, f.e, a, ELEM_MAX_IN);
	e->is = true;
	e->n_in = n;
	for (i = 0; i < n; i++)
		e->in[i] = cpp_size(a[i]);
	for (i = n - 1; i > 0 && span_starts(a[i], "bool"); i--)
		;
	one = n > 0 ? a[i] : f;
	e->out = cpp_size(one);
	e->dt =
	    n > 0 ? cpp_type(a[span_starts(a[0], "bool") && n > 1]) : DT_NONE;
	if (pat_match("compare|logical_|isnan|isinf|isneginf|isposinf|"
		      "isfinite",
		f.s, (size_t)(f.e - f.s)) ||
	    span_find(f, "float8_copy") != NULL)
		e->out = 1;
	else if (span_find(f, "float16_copy") != NULL)
		e->out = 2; /* bfloat16 too */
}

/* The array of pointers: result and inputs. */
static int
inputs(struct span all)
{
	const char *p = span_find(all, "array<char"), *q;
	int64_t v;

	if (p == NULL || (q = memchr(p, '>', (size_t)(all.e - p))) == NULL)
		return -1;
	while (q > p && (q[-1] < '0' || q[-1] > '9'))
		q--;
	for (p = q; p[-1] >= '0' && p[-1] <= '9'; p--)
		;
	if (!num_i64(p, (size_t)(q - p), &v) || v < 1 || v > ELEM_MAX_IN)
		return -1;
	return (int)v - 1;
}

static int
integer(struct span t)
{
	const char *p = t.s;
	int64_t v;

	if (p < t.e && *p == '(') /* (int)4 */
		while (p < t.e && *p++ != ')')
			;
	return num_i64(p, (size_t)(t.e - p), &v) && v > 0 && v < 4096 ? (int)v
								      : 0;
}

static void
set_function(struct elem *e, struct span f, int n_in)
{
	const char *p;
	struct span t[1];

	p = span_find(f, "gpu_kernel_impl");
	if (p != NULL && (p = memchr(p, '<', (size_t)(f.e - p))) != NULL &&
	    cpp_split(p + 1, f.e, t, 1) == 1)
		f = t[0];
	p = span_last(f, "lambda(");
	if (p != NULL && span_find(f, "functor<") == NULL)
		set_lambda(e, f, p + 7);
	else
		set_functor(e, f, n_in);
	if (n_in >= 0 && e->n_in != n_in)
		e->is = false;
	e->flop = elem_cost(f.s, (size_t)(f.e - f.s), &e->full);
}

void
elem_set(struct elem *e, const char *s, size_t n)
{
	static const char mark[] = "elementwise_kernel<";
	struct span all = { s, s + n }, a[4];
	const char *p = span_find(all, mark), *name;
	int k, f = 0;

	memset(e, 0, sizeof(*e));
	if (p == NULL)
		return;
	for (name = p; name > s && cpp_ident(name[-1]); name--)
		;
	k = cpp_split(p + sizeof(mark) - 1, s + n, a, 4);
	if (name == p) {
		if (k < 3)
			return;
		e->strided = true;
		e->block = integer(a[0]) * integer(a[1]);
		f = 2;
	} else if (memcmp(name, "vectorized_", 11) == 0) {
		f = 1;
	} else if (memcmp(name, "unrolled_", 9) == 0) {
		e->block = k > 2 ? 128 * integer(a[2]) : 0;
	} else {
		return; /* scatter_gather_, index_ */
	}
	if (f >= k)
		return;
	e->casts = span_find(all, "withcast") != NULL;
	set_function(e, a[f], inputs(all));
}

int
elem_opaque(const char *s, size_t n)
{
	struct span t = { s, s + n };
	const char *p = span_find(t, "opaquetype<");

	if (p == NULL)
		return 0;
	t.s = p;
	t.e = cpp_arg_end(p, s + n);
	return cpp_size(t);
}
