/* Sizes of an op's arguments, by name; see operand.h. */
#include <string.h>

#include "num.h"
#include "operand.h"
#include "size.h"
#include "window.h"

#define MAX_DIMS 64

static int64_t
numel(const struct work *w, const struct arg *t)
{
	return arg_numel(w->a, t);
}

/* A number that stands for an argument: value(B). */
static int64_t
number(const struct work *w, const struct arg *t)
{
	(void)w;
	return t->type == ARG_INT || t->type == ARG_BOOL ? t->ival : -1;
}

static int64_t
rank(const struct work *w, const struct arg *t)
{
	(void)w;
	return t->bad ? -1 : (int64_t)t->nd;
}

int64_t
operand_esize(const struct work *w)
{
	int size = dt_size(work_dtype(w));

	if (size <= 0)
		size = w->k->esize;
	return size > 0 ? size : gather_esize(w);
}

int64_t
operand_size(const struct work *w, const struct arg *t)
{
	int size = dt_size(t->dt);

	return size_mul(arg_numel(w->a, t), size > 0 ? size : operand_esize(w));
}

/* Bytes of an element of t. */
static int64_t
element(const struct work *w, const struct arg *t)
{
	int size = dt_size(t->dt);

	return size > 0 ? size : operand_esize(w);
}

/* Indices are int64 where nothing else is said. */
static int64_t
index_size(const struct work *w, const struct arg *t)
{
	int size = dt_size(t->dt);

	return size_mul(arg_numel(w->a, t), size > 0 ? size : 8);
}

/* t broadcast with out[0..*nd), which has the last dimension first. */
static bool
broadcast(const struct args *a, const struct arg *t, int64_t *out, size_t *nd)
{
	size_t i;
	int64_t d;

	if (t->bad || t->nd > MAX_DIMS)
		return false;
	for (i = 0; i < t->nd; i++) {
		d = a->dims[t->dim + t->nd - 1 - i];
		if (i == *nd)
			out[(*nd)++] = d;
		else if (out[i] == 1)
			out[i] = d;
		else if (d != out[i] && d != 1)
			return false;
	}
	return true;
}

int64_t
operand_out(const struct work *w)
{
	const struct args *a = w->a;
	int64_t out[MAX_DIMS], n = 1;
	size_t i, nd = 0;
	bool any = false;

	for (i = 0; i < a->n; i++) {
		if (a->v[i].type != ARG_TENSOR || a->v[i].named)
			continue;
		any = true;
		if (!broadcast(a, &a->v[i], out, &nd))
			return -1;
	}
	for (i = 0; i < nd; i++)
		n = size_mul(n, out[i]);
	return any ? n : -1;
}

static int64_t
first(const struct work *w)
{
	const struct arg *t = arg_tensor(w->a, 0);

	return t == NULL ? -1 : arg_numel(w->a, t);
}

/* Sums over all tensors; an op without any has no size. */
static int64_t
sum_of(const struct work *w, operand_fn *fn)
{
	const struct args *a = w->a;
	int64_t r = 0;
	size_t i;
	bool any = false;

	for (i = 0; i < a->n; i++)
		if (a->v[i].type == ARG_TENSOR) {
			any = true;
			r = size_add(r, fn(w, &a->v[i]));
		}
	return any ? r : -1;
}

static int64_t
in_bytes(const struct work *w)
{
	return sum_of(w, operand_size);
}

static int64_t
in_numel(const struct work *w)
{
	return sum_of(w, numel);
}

static int64_t
tensors(const struct work *w)
{
	int64_t r = 0;
	size_t i;

	for (i = 0; i < w->a->n; i++)
		r += w->a->v[i].type == ARG_TENSOR;
	return r;
}

/* How many lists of tensors a foreach op reads: its kernel says how many it
 * touches; one of them is the result, unless it works in place. */
static int64_t
lists(const struct work *w)
{
	static const char mark[] = "listmetadata<";
	const char *s = strstr(w->k->lower, mark), *e;
	int64_t n;

	if (s == NULL || (e = strchr(s, '>')) == NULL || w->op_len == 0)
		return -1;
	for (s = e; s[-1] >= '0' && s[-1] <= '9'; s--)
		;
	if (!num_i64(s, (size_t)(e - s), &n) || n <= 0)
		return -1;
	if (w->op[w->op_len - 1] != '_')
		n--;
	return n > 0 ? n : -1;
}

int64_t operand_ranks = -1;

static int64_t
ranks(const struct work *w)
{
	(void)w;
	return operand_ranks;
}

operand_fn *
operand_function(const char *name, size_t n)
{
	static const struct {
		const char *name;
		operand_fn *fn;
	} t[] = {
		{ "numel", numel },
		{ "size", operand_size },
		{ "idx", index_size },
		{ "esize", element },
		{ "ndim", rank },
		{ "value", number },
	};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		if (strlen(t[i].name) == n && memcmp(t[i].name, name, n) == 0)
			return t[i].fn;
	return NULL;
}

value_fn *
operand_value(const char *name, size_t n)
{
	static const struct {
		const char *name;
		value_fn *fn;
	} t[] = {
		{ "n", first },
		{ "t", operand_esize },
		{ "in", in_bytes },
		{ "nin", in_numel },
		{ "out", operand_out },
		{ "grad", work_grad },
		{ "tensors", tensors },
		{ "lists", lists },
		{ "ranks", ranks },
		{ "pooled", window_pooled },
		{ "window", window_size },
		{ "resized", window_resized },
	};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		if (strlen(t[i].name) == n && memcmp(t[i].name, name, n) == 0)
			return t[i].fn;
	return NULL;
}
