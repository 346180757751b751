/*
 * Facts from kernel names; see kern_work.h. kernels.rules has the patterns.
 * Names are matched in lower case.
 *
 * Element-wise kernels of aten tell what they read and write: the template
 * holds the function, and its type the operands (at/native/cuda/CUDALoops.cuh,
 * Loops.cuh):
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
 * one operation.
 */

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "kern_work.h"
#include "num.h"
#include "shipped.h"

void
kname_open(struct kname_rules *r, const char *tc_path)
{
	static const char *const words[] = { "fact", "value" };
	const char *t;
	size_t i;

	judge_open(&r->tc, tc_path, "tc.rules");
	for (i = 0; i < r->tc.n; i++) {
		t = r->tc.v[i].word[JUDGE_TYPE];
		if (strcmp(t, "-") != 0 && dt_named(t, strlen(t)) == DT_NONE)
			die("%s:%u: no such type '%s'", r->tc.file,
			    r->tc.v[i].line, t);
	}
	namerules_parse(&r->facts, "kernels.rules",
	    shipped_text("kernels.rules"), words, ARRAY_LEN(words));
}

/* What the first matching rule of kernels.rules says; NULL if none matches. */
static const char *
find_fact(
    const struct kname_rules *r, const char *fact, const struct pat_name *p)
{
	const struct namerule *u;

	for (u = r->facts.v; u < r->facts.v + r->facts.n; u++)
		if (u->word[0][0] == *fact && strcmp(u->word[0], fact) == 0 &&
		    pat_find_code(&u->code, p))
			return u->word[1];
	return NULL;
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

/* The beginning of the identifier that ends at p. */
static const char *
cpp_ident_begin(const char *begin, const char *p)
{
	while (p > begin && cpp_ident(p[-1]))
		p--;
	return p;
}

/* The first word that is a number type in a C++ name; DT_NONE if there is none.
 * all: the types of counters and masks are such, too. */
static enum dtype
cpp_type(struct mview t, bool all)
{
	const char *p, *q, *e = t.s + t.n;
	enum dtype dt;

	for (p = t.s; p < e; p = q + (q == p)) {
		for (q = p; q < e && cpp_ident(*q); q++)
			;
		dt = dt_find("cpp", p, (size_t)(q - p));
		if (dt == DT_NONE && all)
			dt = dt_find("cpp-any", p, (size_t)(q - p));
		if (dt == DT_NONE)
			continue;
		if (all ? mv_find(t, "complex<") == NULL
			: (dt != DT_FP32 && dt != DT_FP64) ||
			      !mv_ends(mv(t.s, p), "complex<"))
			return dt;
		return dt == DT_FP64 ? DT_C128 : DT_C64;
	}
	return DT_NONE;
}

/* The last number in t; -1 if there is none. */
static int64_t
last_number(struct mview t)
{
	const char *q = t.s + t.n, *p;
	int64_t v;

	while (q > t.s && (q[-1] < '0' || q[-1] > '9'))
		q--;
	for (p = q; p > t.s && p[-1] >= '0' && p[-1] <= '9'; p--)
		;
	return num_i64(p, (size_t)(q - p), &v) ? v : -1;
}

/* N of the first OpaqueType<N> in t; 0 if there is none. */
static int
opaque_size(struct mview t)
{
	const char *p = mv_find(t, "opaquetype<");
	int64_t v;

	if (p == NULL)
		return 0;
	v = last_number(mv(p, cpp_arg_end(p, t.s + t.n)));
	return v > 0 && v <= 16 ? (int)v : 0;
}

/* The size of a type in bytes; 0 if unknown. */
static int
cpp_size(struct mview t)
{
	return mv_find(t, "opaquetype<") != NULL
		   ? opaque_size(t)
		   : dtypes[cpp_type(t, true)].size;
}

/* Fills in up to max arguments of the list that begins at s; returns their
 * number. */
static int
cpp_split(const char *s, const char *e, struct mview *v, int max)
{
	int n = 0;

	while (s < e && n < max) {
		while (s < e && *s == ' ')
			s++;
		v[n] = mv(s, cpp_arg_end(s, e));
		s += v[n].n;
		if (v[n].n > 0)
			n++;
		if (s == e || *s != ',')
			break;
		s++;
	}
	return n;
}

/* A number among template arguments, 4 or (int)4; 0 if it is none. */
static int
template_int(struct mview t)
{
	const char *p = t.s, *e = t.s + t.n;
	int64_t v;

	if (p < e && *p == '(')
		while (p < e && *p++ != ')')
			;
	return num_i64(p, (size_t)(e - p), &v) && v > 0 && v < 4096 ? (int)v
								    : 0;
}

/* BinaryFunctor<a, b, result, op>; AUnaryFunctor and BUnaryFunctor hold one of
 * the two operands fixed. n_in: inputs by the array of pointers, or -1. */
static void
set_functor(struct elem *e, struct mview f, int n_in)
{
	const char *p = f.s, *end = f.s + f.n;
	struct mview a[ELEM_MAX_IN], name;
	int n = 0, i;

	while (p < end && *p != '<' && *p != '(')
		p++;
	/* the text between the last :: and the < */
	name = mv(cpp_ident_begin(f.s, p), p);
	if (p < end && *p == '<')
		n = cpp_split(p + 1, end, a, ELEM_MAX_IN);
	if (n == 0)
		return;
	e->is = true;
	e->dt = cpp_type(a[0], true);
	if (n >= 3 && mv_starts(name, "binaryfunctor")) {
		e->n_in = 2;
		e->in[0] = cpp_size(a[0]);
		e->in[1] = cpp_size(a[1]);
		e->out = cpp_size(a[2]);
	} else if (n >= 3 && (mv_starts(name, "aunaryfunctor") ||
				 mv_starts(name, "bunaryfunctor"))) {
		e->n_in = 1;
		e->in[0] = cpp_size(a[*name.s == 'a']);
		e->out = cpp_size(a[2]);
	} else {
		e->n_in = n_in >= 0                        ? n_in
			  : mv_starts(name, "fillfunctor") ? 0
			  : mv_find(name, "onself") != NULL ||
				  mv_find(name, "onother") != NULL
			      ? 1
			      : 2;
		for (i = 0; i < e->n_in; i++)
			e->in[i] = cpp_size(a[0]);
		e->out = cpp_size(a[0]);
	}
}

/* A lambda's operands, in the list of parameters. The result has the type of
 * the last operand that is not a mask, unless the function's name says
 * otherwise. */
static void
set_lambda(struct elem *e, struct mview f, const char *list)
{
	struct mview a[ELEM_MAX_IN], one;
	int n, i;

	n = cpp_split(list, f.s + f.n, a, ELEM_MAX_IN);
	e->is = true;
	e->n_in = n;
	for (i = 0; i < n; i++)
		e->in[i] = cpp_size(a[i]);
	for (i = n - 1; i > 0 && mv_starts(a[i], "bool"); i--)
		;
	one = n > 0 ? a[i] : f;
	e->out = cpp_size(one);
	e->dt = n > 0 ? cpp_type(a[mv_starts(a[0], "bool") && n > 1], true)
		      : DT_NONE;
	if (pat_match("compare|logical_|isnan|isinf|isneginf|isposinf|"
		      "isfinite|float8_copy",
		f.s, f.n))
		e->out = 1;
	else if (mv_find(f, "float16_copy") != NULL)
		e->out = 2; /* bfloat16, too */
}

/* Reads the function f of an element-wise kernel, and counts its operations. */
static void
set_function(
    struct elem *e, const struct kname_rules *r, struct mview f, int64_t n_in)
{
	struct pat_name name;
	const char *p = mv_find(f, "gpu_kernel_impl"), *lambda = NULL, *cost;
	const char *end = f.s + f.n;
	struct mview inner;

	if (p != NULL && (p = memchr(p, '<', (size_t)(end - p))) != NULL &&
	    cpp_split(p + 1, end, &inner, 1) == 1)
		f = inner;
	end = f.s + f.n;
	for (p = f.s; (p = mv_find(mv(p, end), "lambda(")) != NULL;)
		lambda = p += strlen("lambda(");
	if (lambda != NULL && mv_find(f, "functor<") == NULL)
		set_lambda(e, f, lambda);
	else
		set_functor(e, f, (int)n_in);
	if (n_in >= 0 && e->n_in != n_in)
		e->is = false;
	pat_name_set(&name, f.s, f.n);
	cost = find_fact(r, "elem", &name);
	e->flop = cost == NULL ? -1 : atoi(cost);
	if (cost != NULL && strchr(cost, ':') != NULL)
		e->full = atoi(strchr(cost, ':') + 1);
}

/* Reads a name as that of an element-wise kernel; sets e->is if it is one. */
static void
set_elem(struct elem *e, const struct kname_rules *r, struct mview all)
{
	static const char mark[] = "elementwise_kernel<";
	const char *p = mv_find(all, mark), *name, *end = all.s + all.n, *q;
	struct mview a[4];
	int64_t n_in = -1;
	int k, f = 0;

	if (p == NULL)
		return;
	name = cpp_ident_begin(all.s, p);
	k = cpp_split(p + sizeof(mark) - 1, end, a, 4);
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
	e->casts = mv_find(all, "withcast") != NULL;
	/* the array of pointers holds the result and the inputs */
	p = mv_find(all, "array<char");
	if (p != NULL && (q = memchr(p, '>', (size_t)(end - p))) != NULL)
		n_in = last_number(mv(p, q)) - 1;
	set_function(e, r, a[f], n_in >= 0 && n_in < ELEM_MAX_IN ? n_in : -1);
}

/* The type of a product's operands, or the first type in a template. */
static void
set_dtype(
    struct kname *k, const struct kname_rules *r, const struct pat_name *p)
{
	const char *type = find_fact(r, "dtype", p);

	if (type != NULL) {
		k->dt = dt_named(type, strlen(type));
		k->dt_sure = k->dt != DT_16BIT;
	} else if (k->tc.dt != DT_NONE) {
		k->dt = k->tc.dt;
		k->dt_sure = true;
	} else {
		k->dt = cpp_type((struct mview){ k->lower, k->len }, false);
		if (k->dt == DT_FP32 && k->tc.verdict == TC_YES)
			k->dt = DT_TF32; /* matrix units cannot take FP32 */
	}
}

/*
 * The family by the name alone, for kernels whose op has no rule. Inductor puts
 * into the name of a kernel its kind (poi: pointwise, red, per: reduction, tem:
 * template of a product, for: foreach) and the aten ops that went into it,
 * joined by _ (torch/_inductor/codegen/triton.py and get_fused_kernel_name in
 * torch/_inductor/utils.py):
 *
 *	triton_poi_fused_add_gelu_3
 *
 * If all ops that do work are of one family the kernel is of that family,
 * otherwise it is fused. Sizes are not in the name, so neither operations nor
 * bytes are known.
 */
static enum family
family_of_name(
    const char *lower, const struct kname_rules *r, const struct pat_name *p)
{
	const char *s = find_fact(r, "family", p);
	enum family all = FAM_NONE, f;
	struct mview v;
	size_t n;

	if (s != NULL)
		return family_named(s, strlen(s));
	s = strstr(lower, "triton_");
	if (s == NULL || (s = strstr(s, "_fused_")) == NULL)
		return FAM_NONE;
	for (s += strlen("_fused_"); *s != '\0'; s += n + (s[n] == '_')) {
		/* an op ends at the next _ after the part in the table */
		v = vocab_longest(
		    "fused-family", (struct mview){ s, strlen(s) }, false, &n);
		f = family_named(v.s, v.n);
		if (v.s == NULL && (*s < '0' || *s > '9'))
			f = FAM_POINTWISE; /* such as add */
		n += strcspn(s + n, "_");
		if (f == FAM_NONE || f == all)
			continue;
		if (all != FAM_NONE)
			return FAM_FUSED;
		all = f;
	}
	return all == FAM_NONE ? FAM_COPY : all;
}

static char *
text_in(struct store *mem, const char *s, size_t n)
{
	char *t = store_text(mem, n + 1);

	if (n > 0)
		memcpy(t, s, n);
	t[n] = '\0';
	return t;
}

void
kname_set(struct kname *k, struct store *mem, const struct kname_rules *r,
    const char *full, size_t n, const char *brief, size_t nbrief)
{
	static const char gather[] = "vectorized_gather_kernel<";
	static const char word[] = "_align";
	static const char *const methods[] = { "fft", "winograd", "gemv",
		"small" }; /* in the order of METHOD_ */
	const struct namerule *u;
	struct buf lower = { 0 };
	struct pat_name p;
	struct mview name, arg;
	const char *s;
	size_t i;

	memset(k, 0, sizeof(*k));
	name_lower(&lower, full, n);
	k->lower = text_in(mem, lower.s, n);
	buf_free(&lower);
	k->len = n;
	name = (struct mview){ k->lower, n };
	pat_name_set(&p, k->lower, n);
	if (brief != NULL)
		k->last = text_in(mem, brief, nbrief);
	u = namerules_find(&r->tc, k->lower, n);
	k->tc.verdict = (enum tc)judge_verdict(u);
	if (u != NULL) {
		s = u->word[JUDGE_TYPE];
		k->tc.id = u->word[JUDGE_ID];
		k->tc.dt = dt_named(s, strlen(s));
	}
	set_dtype(k, r, &p);
	if ((s = find_fact(r, "part", &p)) != NULL) {
		k->part = *s == 'a' ? KP_AUX : *s == 'e' ? KP_ELEM : KP_REDUCE;
	} else if ((s = find_fact(r, "dir", &p)) != NULL) {
		k->dir = *s == 'w' ? KD_WGRAD : KD_DGRAD;
		k->dir_sure = strchr(s, '?') == NULL;
	}
	set_elem(&k->elem, r, name);
	if (k->dt == DT_NONE)
		k->dt = k->elem.dt;
	k->esize = opaque_size(name);
	s = strstr(k->lower, gather);
	if (s != NULL &&
	    cpp_split(s + strlen(gather), k->lower + n, &arg, 1) == 1)
		k->gather = template_int(arg);
	if (k->gather > 16)
		k->gather = 0;
	k->copies = find_fact(r, "copies", &p) != NULL;
	for (u = r->facts.v; u < r->facts.v + r->facts.n; u++) {
		if (strcmp(u->word[0], "method") != 0 ||
		    !pat_find_code(&u->code, &p))
			continue;
		for (i = 0; i < ARRAY_LEN(methods); i++)
			if (strcmp(u->word[1], methods[i]) == 0)
				k->method |= 1U << i;
	}
	if ((s = find_fact(r, "arch", &p)) != NULL)
		k->arch = atoi(s);
	/* The number of elements to which operands are aligned. CUTLASS ends
	 * its names with it, cutlass_80_tensorop_f16_s16816gemm_..._tn_align8;
	 * xmma gives it for each operand,
	 * ..._tilesize64x64x64_..._aligna4_alignc4_execute_kernel. */
	for (s = k->lower; k->align == 0 && (s = strstr(s, word)) != NULL;) {
		s += strlen(word);
		k->align = (int)strtol(s + (*s == 'a'), NULL, 10);
	}
	k->product = k->dt_sure && k->part == KP_MAIN &&
		     find_fact(r, "product", &p) != NULL;
	k->family = family_of_name(k->lower, r, &p);
}
