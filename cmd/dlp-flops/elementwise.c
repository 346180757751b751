/*
 * Element-wise kernels of aten. Their names tell what they read and write: the
 * template holds the function, and its type the operands
 * (at/native/cuda/CUDALoops.cuh, Loops.cuh):
 *
 *	vectorized_elementwise_kernel<vec, F, array<char*, 1 + inputs>>
 *	unrolled_elementwise_kernel<F, array, ..., LoadWithCast, ...>
 *	elementwise_kernel<threads, per thread, gpu_kernel_impl<F>::lambda>
 *
 * F is a functor with its types as template arguments (BinaryFunctor<a, b,
 * result, ..>, AUnaryFunctor, BUnaryFunctor, CUDAFunctor_add<T>,
 * FillFunctor<T>) or a lambda with its operands as parameters:
 *
 *	void at::native::vectorized_elementwise_kernel<4,
 *	    at::native::BinaryFunctor<float, float, float,
 *	    at::native::binary_internal::MulFunctor<float>>,
 *	    std::array<char*, 3ul>>(int, ...)
 *
 * reads two inputs of 4 bytes and writes a result of 4 bytes per element, with
 * one operation. The op's sizes and the grid tell the number of elements.
 *
 *	FLOPs: elements times operations of the function (costs)
 *	bytes: elements times the bytes of each operand, as far as an operand
 *	has all elements in memory
 */
#include <string.h>

#include "array.h"
#include "flops_rules.h"
#include "kern_work.h"
#include "num.h"
#include "pat.h"

struct cpp_span { /* a piece of a C++ name, lower case */
	const char *s, *e;
};

/* The first and the last occurrence of word in t; NULL if there is none. */
static const char *
span_find(struct cpp_span t, const char *what)
{
	const char *p;
	size_t n = strlen(what);

	for (p = t.s; (size_t)(t.e - p) >= n; p++)
		if (memcmp(p, what, n) == 0)
			return p;
	return NULL;
}

static bool
span_starts(struct cpp_span t, const char *what)
{
	size_t n = strlen(what);

	return (size_t)(t.e - t.s) >= n && memcmp(t.s, what, n) == 0;
}

/* The end of the template argument at s: a comma or closing bracket on the same
 * level. */
static const char *
cpp_arg_end(const char *s, const char *e)
{
	int depth = 0;

	for (; s < e; s++) {
		if (*s == '-' && s + 1 < e && s[1] == '>') {
			s++; /* -> is not a bracket */
			continue;
		}
		if (strchr("<([{", *s) != NULL)
			depth++;
		else if (depth > 0 && strchr(">)]}", *s) != NULL)
			depth--;
		else if (depth == 0 && strchr(",>)]}", *s) != NULL)
			break;
	}
	return s;
}

static bool
cpp_ident(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The first word of a type that is a number type; DT_NONE if there is none. */
static enum dtype
cpp_type(struct cpp_span t)
{
	bool twice = span_find(t, "complex<") != NULL;
	const char *p, *q;
	enum dtype dt;

	for (p = t.s; p < t.e; p = q) {
		for (q = p; q < t.e && cpp_ident(*q); q++)
			;
		dt = dt_cpp_any(p, (size_t)(q - p));
		if (dt != DT_NONE)
			return !twice ? dt : dt == DT_FP64 ? DT_C128 : DT_C64;
		if (q == p)
			q++;
	}
	return DT_NONE;
}

/* The size of a type in bytes; OpaqueType<N> has N; 0 if unknown. */
static int
cpp_size(struct cpp_span t)
{
	const char *p, *q;
	int64_t v;

	if ((p = span_find(t, "opaquetype<")) != NULL) {
		for (q = t.e; q > p && (q[-1] < '0' || q[-1] > '9'); q--)
			;
		for (p = q; p[-1] >= '0' && p[-1] <= '9'; p--)
			;
		return num_i64(p, (size_t)(q - p), &v) && v <= 16 ? (int)v : 0;
	}
	return dt_size(cpp_type(t));
}

/* Fills in up to max arguments of the list that begins at s; returns their
 * number. */
static int
cpp_split(const char *s, const char *e, struct cpp_span *v, int max)
{
	int n = 0;

	while (s < e && n < max) {
		while (s < e && *s == ' ')
			s++;
		v[n].s = s;
		v[n].e = s = cpp_arg_end(s, e);
		if (v[n].e > v[n].s)
			n++;
		if (s == e || *s != ',')
			break;
		s++;
	}
	return n;
}

static const char *
span_last(struct cpp_span t, const char *what)
{
	const char *p, *last = NULL;

	while ((p = span_find(t, what)) != NULL) {
		last = p;
		t.s = p + 1;
	}
	return last;
}

/* Operations per element, by the formula in PyTorch's documentation. A function
 * (exp, tanh, erf, sqrt, pow) is one operation. The first match decides. */
static const struct {
	const char *pat;
	int flop;
	int full; /* number of inputs that have all elements, while the
		   * others are smaller; 0: all inputs have all */
} costs[] = {
	{ "fillfunctor|fill_kernel|_copy_kernel|copy_device_to_device|"
	  "where_kernel|masked_fill|arange|triu|tril|"
	  "flip|index_|real_kernel|imag_kernel|conj",
	    0, 0 },
	{ "gelubackward|gelu_backward", 11, 0 }, /* Phi(x) 4, phi(x) 4, 3 */
	{ "gelucuda|gelu_kernel", 5, 0 },        /* x / 2 (1 + erf(x / c)) */
	{ "silu_backward", 9, 0 },
	{ "silu_kernel", 4, 0 }, /* x / (1 + exp(-x)) */
	{ "log_sigmoid_backward|softplus_backward|mish_backward", 5, 0 },
	{ "log_sigmoid|softplus|mish", 4, 0 },
	{ "hardswish_backward", 4, 0 },   /* within [-3, 3]: g (x / 3 + .5) */
	{ "hardsigmoid_backward", 2, 0 }, /* within [-3, 3]: g / 6 */
	{ "hardswish", 4, 0 },            /* x clamp(x + 3, 0, 6) / 6 */
	{ "hardsigmoid", 3, 0 },          /* the same without x */
	{ "tanh_backward|sigmoid_backward", 3, 0 }, /* g y (1 - y) */
	{ "sigmoid_kernel", 3, 0 },                 /* 1 / (1 + exp(-x)) */
	{ "elu_backward|leaky_relu_backward|prelu_backward", 2, 0 },
	{ "elu_kernel|leaky_relu|prelu", 2, 0 },
	{ "hardtanh_backward|threshold|clamp|hardshrink|softshrink", 1, 0 },
	{ "binary_cross_entropy_backward", 5, 0 },
	{ "binary_cross_entropy", 7, 0 },
	{ "smooth_l1_backward|huber_backward", 3, 0 },
	{ "smooth_l1|huber", 4, 0 },
	{ "mse_backward", 3, 0 }, /* 2 (x - y) g; the factor 2/n is one
				   * operation */
	{ "mse_kernel", 2, 0 },
	{ "masked_scale", 2, 0 },
	{ "groupnormbackward", 5, 2 }, /* a x + b g + c, and the sum before
					* it */
	{ "groupnorm", 2, 1 },
	{ "addcmul|addcdiv|lerp", 3, 0 },
	{ "addr_kernel", 3, 0 },
	{ "rsub|cudafunctoronself_add|cudafunctor_add|cudafunctoronother_add",
	    1, 0 },
	{ "mulfunctor|divfunctor|divtrunc|divfloor|addfunctor|subfunctor|"
	  "multiplies|divides|plus|minus|mul_kernel|div_kernel|add_kernel|"
	  "sub_kernel|div_true_kernel|div_trunc_kernel|div_floor_kernel",
	    1, 0 },
	{ "compare|logical_|bitwise_|isnan|isinf|isneginf|isposinf|isfinite", 1,
	    0 },
	{ "abs_kernel|absfunctor|neg_kernel|sign_kernel|sgn|ceil|floor|round|"
	  "trunc|frac|maximum|minimum|fmax|fmin|max_elementwise|"
	  "min_elementwise|reciprocal|remainder|fmod|heaviside|invstd",
	    1, 0 },
	{ "exp_kernel|exp2|expm1|log_kernel|log2|log10|log1p|sqrt|pow_|"
	  "sin_kernel|cos_kernel|tan_kernel|sinh|cosh|tanh_kernel|asin|acos|"
	  "atan|erf|digamma|lgamma",
	    1, 0 },
};

/* Operations per element of the function s[0..n), a part of a lower-case kernel
 * name; -1 if unknown. *full: number of its inputs that have all elements; 0 if
 * all do. */
static int
elem_cost(const char *s, size_t n, int *full)
{
	struct pat_name p;
	size_t i;

	*full = 0;
	pat_name_set(&p, s, n);
	for (i = 0; i < ARRAY_LEN(costs); i++)
		if (pat_find(costs[i].pat, &p)) {
			*full = costs[i].full;
			return costs[i].flop;
		}
	return -1;
}

/* The name of a functor: the text between the last :: and the <. */
static struct cpp_span
functor(struct cpp_span f, struct cpp_span *args, int *n)
{
	struct cpp_span name = { f.s, f.s };
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

/* BinaryFunctor<a, b, result, op>; AUnaryFunctor and BUnaryFunctor hold one of
 * the two operands fixed. */
static void
set_functor(struct elem *e, struct cpp_span f, int n_in)
{
	struct cpp_span a[ELEM_MAX_IN];
	struct cpp_span name;
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

/* A lambda's operands. The result has the type of the last operand that is not
 * a mask, unless the function's name says otherwise. */
static void
set_lambda(struct elem *e, struct cpp_span f, const char *list)
{
	struct cpp_span a[ELEM_MAX_IN], one;
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
		e->out = 2; /* bfloat16, too */
}

/* Inputs by the array of pointers, which holds the result and the inputs. */
static int
n_inputs(struct cpp_span all)
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
template_int(struct cpp_span t)
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
set_function(struct elem *e, struct cpp_span f, int n_in)
{
	const char *p;
	struct cpp_span t[1];

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
	struct cpp_span all = { s, s + n }, a[4];
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
		e->block = template_int(a[0]) * template_int(a[1]);
		f = 2;
	} else if (memcmp(name, "vectorized_", 11) == 0) {
		f = 1;
	} else if (memcmp(name, "unrolled_", 9) == 0) {
		e->block = k > 2 ? 128 * template_int(a[2]) : 0;
	} else {
		return; /* scatter_gather_, index_ */
	}
	if (f >= k)
		return;
	e->casts = span_find(all, "withcast") != NULL;
	set_function(e, a[f], n_inputs(all));
}

int
elem_opaque(const char *s, size_t n)
{
	struct cpp_span t = { s, s + n };
	const char *p = span_find(t, "opaquetype<");

	if (p == NULL)
		return 0;
	t.s = p;
	t.e = cpp_arg_end(p, s + n);
	return cpp_size(t);
}

/* True if n elements, with per of them in a block, take that many blocks. */
static bool
blocks_fit(int64_t n, int block, int64_t blocks)
{
	return n > 0 && (n - 1) / block + 1 == blocks;
}

/* The number of elements: the first that the grid allows of the gradient's, the
 * result's and each tensor's. *size: bytes per element of a tensor. */
static int64_t
elements_by(const struct kern_work *w, int block, int64_t blocks, int *size)
{
	const struct op_args *from[2] = { w->grad, w->a };
	const struct op_arg *t;
	int64_t n = w->bprop ? work_grad(w) : -1;
	size_t i, j;

	if (blocks_fit(n, block, blocks))
		return n;
	if (blocks_fit(n = operand_out(w), block, blocks))
		return n;
	for (i = 0; i < 2; i++)
		for (j = 0; from[i] != NULL && j < from[i]->n; j++) {
			t = &from[i]->v[j];
			n = t->type == ARG_TENSOR ? arg_numel(from[i], t) : -1;
			if (!blocks_fit(n, block, blocks))
				continue;
			*size = dt_size(t->dt);
			return n;
		}
	return -1;
}

/* An op of emit_nvtx whose tensors have no dimensions has one element. Ops that
 * create a tensor are different: their size is not an argument. */
static bool
single(const struct kern_work *w, const struct answer *r, int64_t blocks)
{
	return blocks == 1 && !w->bprop && !w->a->typed && w->a->n > 0 &&
	       arg_tensor(w->a, 0) == NULL && r->family != FAM_COPY;
}

static int64_t
elements(const struct kern_work *w, const struct answer *r, int *size)
{
	static const int usual[] = { 1024, 512, 2048 };
	int block = w->k->elem.block;
	int64_t n, blocks;
	size_t i;

	*size = 0;
	if (w->grid == NULL ||
	    !num_i64(w->grid, strcspn(w->grid, ","), &blocks)) {
		n = w->bprop ? work_grad(w) : -1;
		return n >= 0 ? n : operand_out(w);
	}
	if (single(w, r, blocks))
		return 1;
	if (block > 0)
		return elements_by(w, block, blocks, size);
	for (i = 0; i < ARRAY_LEN(usual); i++)
		if ((n = elements_by(w, usual[i], blocks, size)) >= 0)
			return n;
	return -1;
}

/* Elements that input i has in memory. A forward op's own tensors can be
 * smaller than the result. A backward's only input is its gradient, which is
 * also smaller in the backward of a sum. */
static int64_t
stored(const struct kern_work *w, bool sums, int i, int64_t n)
{
	const struct elem *e = &w->k->elem;
	const struct op_arg *t = NULL;
	int64_t m = -1;

	if (!e->strided)
		return n;
	if (e->full > 0)
		return i < e->full ? n : 0; /* a number per row or channel */
	if (!w->bprop && arg_tensor(w->a, (size_t)e->n_in) == NULL &&
	    arg_tensor(w->a, (size_t)e->n_in - 1) != NULL)
		t = arg_tensor(w->a, (size_t)i);
	if (t != NULL)
		m = arg_numel(w->a, t);
	else if (w->bprop && e->n_in == 1)
		m = work_grad(w);
	if (sums && e->n_in == 1 && (m < 0 || m == n))
		return 0; /* one number per sum, read many times */
	return m >= 0 && m < n ? m : n;
}

bool
elem_count(const struct kern_work *w, struct answer *r)
{
	const struct elem *e = &w->k->elem;
	bool sums =
	    w->bprop && (r->family == FAM_REDUCE || r->family == FAM_POOL);
	const struct op_arg *t;
	int64_t n, bytes;
	int i, size, own;

	if (!e->is || (n = elements(w, r, &own)) < 0)
		return false;
	size = e->out > 0 ? e->out : own; /* lambda() names no type */
	bytes = size > 0 ? size_mul(n, size) : -1;
	for (i = 0; i < e->n_in; i++) {
		size = e->in[i];
		t = arg_tensor(w->a, (size_t)i);
		if (e->casts) /* only a marker has the sizes in memory */
			size = t != NULL && !w->bprop ? dt_size(t->dt) : 0;
		bytes = size_add(bytes,
		    size > 0 ? size_mul(stored(w, sums, i, n), size) : -1);
	}
	r->role = ROLE_MAIN;
	r->each = true;
	r->flop = size_mul(n, e->flop);
	r->bytes = bytes;
	return true;
}
