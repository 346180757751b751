/* Arguments of ops out of JSON, with jsmn; see args_json.h. */
#include <string.h>

#define JSMN_STATIC
#define JSMN_PARENT_LINKS /* without them deep nesting costs n squared */
#include <jsmn.h>

#include "args_json.h"
#include "err.h"
#include "num.h"

#define MAX_TOKENS (1 << 16) /* an op of more is not read */

static jsmntok_t *toks;
static unsigned ntoks;

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
		args_add_dim(a, d);
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
		if (!num_f64(
			s + t->start, (size_t)(t->end - t->start), &g->fval))
			g->fval = 0;
	}
}

/* One {"name":..,"type":..} at token i. */
static void
arg_read(struct args *a, const char *s, int i, int n)
{
	struct arg *g = args_add(a);
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
		g = args_add(a);
		dims_read(a, g, s, k, nt);
		if (g->nd > 0 || g->bad)
			g->type = ARG_TENSOR;
	}
	return true;
}
