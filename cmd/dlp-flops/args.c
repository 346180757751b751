/* Arguments of ops out of JSON, with jsmn; see args.h. */
#include <stdlib.h>
#include <string.h>

#define JSMN_STATIC
#define JSMN_PARENT_LINKS /* without them deep nesting costs n squared */
#include <jsmn.h>

#include "args.h"
#include "err.h"
#include "num.h"

#define MAX_TOKENS (1 << 16) /* an op of more is not read */

bool size_overflow;

static jsmntok_t *toks;
static unsigned ntoks;

int64_t
size_mul(int64_t x, int64_t y)
{
	int64_t r;

	if (x < 0 || y < 0)
		return -1;
	if (!__builtin_mul_overflow(x, y, &r))
		return r;
	size_overflow = true;
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
	size_overflow = true;
	return -1;
}

/* Tokens of the text in toks; their number, or 0. */
static int
tokenize(const char *s, size_t n)
{
	jsmn_parser p;
	int r;

	for (;;) {
		jsmn_init(&p);
		r = ntoks == 0 ? JSMN_ERROR_NOMEM
			       : jsmn_parse(&p, s, n, toks, ntoks);
		if (r != JSMN_ERROR_NOMEM)
			return r > 0 ? r : 0;
		if (ntoks >= MAX_TOKENS)
			return 0;
		ntoks = ntoks == 0 ? 256 : ntoks * 4;
		toks = xrealloc(toks, ntoks, sizeof(*toks));
	}
}

/* The token behind token i and all that it holds. */
static int
skip(int i, int n)
{
	int end = toks[i].end;

	for (i++; i < n && toks[i].start < end; i++)
		;
	return i;
}

static struct arg *
arg_new(struct args *a)
{
	struct arg *g;

	if (a->n == a->cap) {
		a->cap = a->cap == 0 ? 16 : a->cap * 2;
		a->v = xrealloc(a->v, a->cap, sizeof(*a->v));
	}
	g = &a->v[a->n++];
	memset(g, 0, sizeof(*g));
	g->dim = a->ndims;
	return g;
}

static void
dim_new(struct args *a, int64_t d)
{
	if (a->ndims == a->dims_cap) {
		a->dims_cap = a->dims_cap == 0 ? 64 : a->dims_cap * 2;
		a->dims = xrealloc(a->dims, a->dims_cap, sizeof(*a->dims));
	}
	a->dims[a->ndims++] = d;
}

static bool
tok_int(const char *s, const jsmntok_t *t, int64_t *v)
{
	return t->type == JSMN_PRIMITIVE &&
	       num_i64(s + t->start, (size_t)(t->end - t->start), v);
}

/* The integers of array token i become the dims of g. */
static void
dims_read(struct args *a, struct arg *g, const char *s, int i, int n)
{
	int k, end = skip(i, n);
	int64_t d;

	g->dim = a->ndims;
	g->nd = 0;
	if (toks[i].type != JSMN_ARRAY) {
		g->bad = true;
		return;
	}
	for (k = i + 1; k < end; k = skip(k, n)) {
		if (!tok_int(s, &toks[k], &d)) {
			g->bad = true;
			continue;
		}
		if (d < 0)
			g->bad = true;
		dim_new(a, d);
		g->nd++;
	}
}

static bool
tok_is(const char *s, const jsmntok_t *t, const char *word)
{
	size_t n = (size_t)(t->end - t->start);

	return strlen(word) == n && memcmp(s + t->start, word, n) == 0;
}

static enum arg_type
type_of(const char *s, const jsmntok_t *t)
{
	static const struct {
		const char *text;
		enum arg_type type;
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
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (tok_is(s, t, types[i].text))
			return types[i].type;
	return ARG_OTHER;
}

static void
value_read(struct args *a, struct arg *g, const char *s, int i, int n)
{
	const jsmntok_t *t = &toks[i];

	if (t->type == JSMN_ARRAY) {
		dims_read(a, g, s, i, n);
	} else if (t->type == JSMN_STRING) {
		g->str = s + t->start;
		g->str_len = (size_t)(t->end - t->start);
	} else if (t->type == JSMN_PRIMITIVE && !tok_int(s, t, &g->ival)) {
		g->ival = s[t->start] == 't'; /* true */
	}
}

/* One {"name":..,"type":..} at token i. */
static void
arg_read(struct args *a, const char *s, int i, int n)
{
	struct arg *g = arg_new(a);
	int k, end = skip(i, n);
	const jsmntok_t *v;

	for (k = i + 1; k + 1 < end; k = skip(k + 1, n)) {
		v = &toks[k + 1];
		if (tok_is(s, &toks[k], "name")) {
			g->name = s + v->start;
			g->name_len = (size_t)(v->end - v->start);
		} else if (tok_is(s, &toks[k], "type")) {
			g->type = type_of(s, v);
			g->type_txt = s + v->start;
			g->type_len = (size_t)(v->end - v->start);
		} else if (tok_is(s, &toks[k], "dtype")) {
			g->dtype = s + v->start;
			g->dtype_len = (size_t)(v->end - v->start);
			g->dt = dt_marker(g->dtype, g->dtype_len);
		} else if (tok_is(s, &toks[k], "shape")) {
			dims_read(a, g, s, k + 1, n);
		} else if (tok_is(s, &toks[k], "value")) {
			value_read(a, g, s, k + 1, n);
		}
	}
	/* DLProf's markers name a tensor after the call that made it. */
	g->named = g->name_len > 0 && memchr(g->name, '/', g->name_len) == NULL;
}

/* The array of arguments: the text itself, or the value of "args". */
static int
find_list(const char *s, int n)
{
	int k;

	if (toks[0].type == JSMN_ARRAY)
		return 0;
	if (toks[0].type != JSMN_OBJECT)
		return -1;
	for (k = 1; k + 1 < n; k = skip(k + 1, n))
		if (tok_is(s, &toks[k], "args"))
			return toks[k + 1].type == JSMN_ARRAY ? k + 1 : -1;
	return -1;
}

static void
args_clear(struct args *a)
{
	a->n = a->ndims = 0;
	a->typed = false;
}

bool
args_marker(struct args *a, const char *s, size_t n)
{
	int nt, list, k, end;

	args_clear(a);
	nt = tokenize(s, n);
	if (nt == 0 || (list = find_list(s, nt)) < 0)
		return false;
	end = skip(list, nt);
	for (k = list + 1; k < end; k = skip(k, nt)) {
		if (toks[k].type != JSMN_OBJECT) {
			args_clear(a);
			return false;
		}
		arg_read(a, s, k, nt);
	}
	a->typed = true;
	return true;
}

bool
args_sizes(struct args *a, const char *s, size_t n)
{
	struct arg *g;
	int nt, k, end;

	args_clear(a);
	nt = tokenize(s, n);
	if (nt == 0 || toks[0].type != JSMN_ARRAY)
		return false;
	end = skip(0, nt);
	for (k = 1; k < end; k = skip(k, nt)) {
		g = arg_new(a);
		dims_read(a, g, s, k, nt);
		if (g->nd > 0 || g->bad)
			g->type = ARG_TENSOR;
	}
	return true;
}

void
args_free(struct args *a)
{
	free(a->v);
	free(a->dims);
	memset(a, 0, sizeof(*a));
	free(toks);
	toks = NULL;
	ntoks = 0;
}

const struct arg *
arg_at(const struct args *a, size_t i)
{
	return i < a->n ? &a->v[i] : NULL;
}

const struct arg *
arg_named(const struct args *a, const char *name, int i)
{
	size_t k, n = strlen(name);

	for (k = 0; k < a->n; k++)
		if (a->v[k].named && a->v[k].name_len == n &&
		    memcmp(a->v[k].name, name, n) == 0)
			return &a->v[k];
	if (i >= 0 && (size_t)i < a->n && !a->v[i].named)
		return &a->v[i];
	return NULL;
}

const struct arg *
arg_tensor(const struct args *a, size_t i)
{
	size_t k;

	for (k = 0; k < a->n; k++)
		if (a->v[k].type == ARG_TENSOR && i-- == 0)
			return &a->v[k];
	return NULL;
}

int64_t
arg_dim(const struct args *a, const struct arg *t, int i)
{
	if (t == NULL || t->bad)
		return -1;
	if (i < 0)
		i += (int)t->nd;
	return i < 0 || (size_t)i >= t->nd ? -1 : a->dims[t->dim + (size_t)i];
}

int64_t
arg_numel(const struct args *a, const struct arg *t)
{
	int64_t r = 1;
	size_t i;

	if (t == NULL || t->bad)
		return -1;
	for (i = 0; i < t->nd; i++)
		r = size_mul(r, a->dims[t->dim + i]);
	return r;
}
