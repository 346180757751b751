/*
 * What FLOP rules work with: the arguments of an op, read from the JSON that
 * profiles have; sizes that notice an overflow; and the names of families.
 */
#include <string.h>

#include "array.h"
#include "kern_work.h"
#include "num.h"
#include "pat.h"

/* In the order of the enum. */
const char *const family_names[FAM_N] = { NULL, "gemm", "gemv", "gemm_int",
	"gemm_fused", "conv", "conv_fused", "attention", "moe", "rnn",
	"pointwise", "activation", "reduce", "norm", "softmax", "embedding",
	"dropout", "pool", "resize", "loss", "sort", "index", "copy",
	"optimizer", "collective", "fused", "solver", "memory", "other" };

const char *const role_names[ROLE_N] = { NULL, "main", "dgrad", "wgrad", "grad",
	"part", "bias", "aux" };

enum family
family_named(const char *s, size_t n)
{
	int f;

	for (f = FAM_N - 1; f > FAM_NONE && !text_is(s, n, family_names[f]);)
		f--;
	return (enum family)f;
}

enum dtype
work_dtype(const struct kern_work *w)
{
	const struct op_arg *t = arg_tensor(w->fa != NULL ? w->fa : w->a, 0);
	enum dtype dt = DT_NONE;

	/* NCCL moves what it does not add up as bytes: until 2.18 the name of
	 * such a kernel ends in _int8_t */
	if (w->k->dt == DT_INT8 && w->moved != DT_NONE &&
	    pat_match("nccl", w->k->lower, w->k->len))
		return w->moved;
	if (w->k->dt_sure)
		return w->k->dt;
	if (t != NULL)
		dt = t->dt;
	if (dt == DT_NONE)
		dt = w->k->dt;
	if (dt == DT_16BIT && (w->moved == DT_FP16 || w->moved == DT_BF16))
		return w->moved;
	return dt != DT_NONE ? dt : w->moved;
}

int64_t
work_bytes(const struct kern_work *w, int64_t n)
{
	int size = dtypes[work_dtype(w)].size;

	return size == 0 ? -1 : size_mul(n, size);
}

int64_t
work_grad(const struct kern_work *w)
{
	const struct op_arg *g =
	    w->grad == NULL ? NULL : arg_tensor(w->grad, 0);

	return g == NULL ? -1 : arg_numel(w->grad, g);
}

/* See size_overflowed(): one per process is intended. */
static bool overflow;

void
size_overflowed(void)
{
	overflow = true;
}

bool
size_overflow_taken(void)
{
	bool was = overflow;

	overflow = false;
	return was;
}

int64_t
size_mul(int64_t x, int64_t y)
{
	int64_t r;

	if (x < 0 || y < 0)
		return -1;
	if (!__builtin_mul_overflow(x, y, &r))
		return r;
	overflow = true;
	return -1;
}

int64_t
size_add(int64_t x, int64_t y)
{
	int64_t r;

	if (x < 0 || y < 0)
		return -1;
	if (!__builtin_add_overflow(x, y, &r))
		return r;
	overflow = true;
	return -1;
}

void
args_clear(struct op_args *a)
{
	a->n = a->ndims = 0;
	a->typed = false;
}

/* Adds an argument, all zero, whose dims begin after all others. */
static struct op_arg *
args_add(struct op_args *a)
{
	struct op_arg *g;

	ARRAY_GROW(a->v, a->n, a->cap);
	g = &a->v[a->n++];
	memset(g, 0, sizeof(*g));
	g->dim = a->ndims;
	return g;
}

const struct op_arg *
arg_at(const struct op_args *a, size_t i)
{
	return i < a->n ? &a->v[i] : NULL;
}

const struct op_arg *
arg_named(const struct op_args *a, const char *name, int i)
{
	size_t k;

	for (k = 0; k < a->n; k++)
		if (a->v[k].named && mv_eq(a->v[k].name, name))
			return &a->v[k];
	if (i >= 0 && (size_t)i < a->n && !a->v[i].named)
		return &a->v[i];
	return NULL;
}

const struct op_arg *
arg_tensor(const struct op_args *a, size_t i)
{
	size_t k;

	for (k = 0; k < a->n; k++)
		if (a->v[k].type == ARG_TENSOR && i-- == 0)
			return &a->v[k];
	return NULL;
}

int64_t
arg_dim(const struct op_args *a, const struct op_arg *t, int i)
{
	if (t == NULL || t->bad)
		return -1;
	if (i < 0)
		i += (int)t->nd;
	return i < 0 || (size_t)i >= t->nd ? -1 : a->dims[t->dim + (size_t)i];
}

int64_t
arg_numel(const struct op_args *a, const struct op_arg *t)
{
	int64_t r = 1;
	size_t i;

	if (t == NULL || t->bad)
		return -1;
	for (i = 0; i < t->nd; i++)
		r = size_mul(r, a->dims[t->dim + i]);
	return r;
}

#define MAX_TOKENS (1 << 16) /* an op with more is not read */

/* The integers of array token i become the dims of g. */
static void
read_dims(struct op_args *a, struct op_arg *g, const struct json_doc *t, int i)
{
	int k, end = json_next(t, i);
	int64_t d;

	g->dim = a->ndims;
	g->nd = 0;
	if (json_type(t, i) != JSON_ARRAY) {
		g->bad = true;
		return;
	}
	for (k = i + 1; k < end; k = json_next(t, k)) {
		if (!json_i64(t, k, &d)) {
			g->bad = true;
			continue;
		}
		if (d < 0)
			g->bad = true;
		ARRAY_GROW(a->dims, a->ndims, a->dims_cap);
		a->dims[a->ndims++] = d;
		g->nd++;
	}
}

/* One member of {"name":..,"type":..}: the key is token i. */
static void
read_member(
    struct op_args *a, struct op_arg *g, const struct json_doc *t, int i)
{
	static const struct {
		const char *text;
		enum op_arg_type type;
	} types[] = {
		{ "tensor", ARG_TENSOR },
		{ "ndarray", ARG_TENSOR },
		{ "int", ARG_INT },
		{ "float", ARG_FLOAT },
		{ "bool", ARG_BOOL },
		{ "NoneType", ARG_NONE },
		{ "str", ARG_STR },
		{ "list", ARG_LIST },
		{ "tuple", ARG_LIST },
	};
	struct mview text = json_raw(t, i + 1);
	size_t k;

	if (json_is(t, i, "name")) {
		g->name = text;
	} else if (json_is(t, i, "type")) {
		g->type = ARG_OTHER;
		for (k = 0; k < ARRAY_LEN(types); k++)
			if (mv_eq(text, types[k].text))
				g->type = types[k].type;
		g->type_txt = text;
	} else if (json_is(t, i, "dtype")) {
		g->dtype = text;
		g->dt = dt_marker(text.s, text.n);
	} else if (json_is(t, i, "shape")) {
		read_dims(a, g, t, i + 1);
	} else if (!json_is(t, i, "value")) {
		return;
	} else if (json_type(t, i + 1) == JSON_ARRAY) {
		read_dims(a, g, t, i + 1);
	} else if (json_type(t, i + 1) == JSON_STRING) {
		g->str = text;
	} else if (json_type(t, i + 1) == JSON_WORD &&
		   !json_i64(t, i + 1, &g->ival)) {
		g->ival = *text.s == 't'; /* true */
		if (!num_f64(text.s, text.n, &g->fval))
			g->fval = 0;
	}
}

bool
args_marker(struct op_args *a, const char *s, size_t n)
{
	struct json_doc *t = &a->doc;
	struct op_arg *g;
	int list = 0, i, k, end;

	args_clear(a);
	if (!json_parse(t, s, n, MAX_TOKENS))
		return false;
	if (json_type(t, 0) == JSON_OBJECT)
		list = json_get(t, 0, "args");
	if (list < 0 || json_type(t, list) != JSON_ARRAY)
		return false;
	end = json_next(t, list);
	for (i = list + 1; i < end; i = json_next(t, i)) {
		if (json_type(t, i) != JSON_OBJECT) {
			args_clear(a);
			return false;
		}
		g = args_add(a);
		for (k = i + 1; k + 1 < json_next(t, i);
		     k = json_next(t, k + 1))
			read_member(a, g, t, k);
		/* DLProf's markers name a tensor after the call that made it */
		g->named = g->name.n > 0 && !mv_has(g->name, "/");
	}
	a->typed = true;
	return true;
}

bool
args_sizes(struct op_args *a, const char *s, size_t n)
{
	struct json_doc *t = &a->doc;
	struct op_arg *g;
	int k, end;

	args_clear(a);
	if (!json_parse(t, s, n, MAX_TOKENS) || json_type(t, 0) != JSON_ARRAY)
		return false;
	end = json_next(t, 0);
	for (k = 1; k < end; k = json_next(t, k)) {
		g = args_add(a);
		read_dims(a, g, t, k);
		if (g->nd > 0 || g->bad)
			g->type = ARG_TENSOR;
	}
	return true;
}

bool
args_types(struct op_args *a, struct mview types)
{
	const char *s = types.s, *end = s + types.n, *e;
	size_t i, n = types.s != NULL;

	for (i = 0; i < types.n; i++)
		n += s[i] == ',';
	for (i = 0; n == a->n && i < n; i++, s = e + 1) {
		e = memchr(s, ',', (size_t)(end - s));
		e = e != NULL ? e : end;
		a->v[i].dt = dt_marker(s, (size_t)(e - s));
	}
	return true;
}
