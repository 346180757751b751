/* The arguments of an op, out of JSON with jsmn; see op_args.h. */
#include <string.h>

#define JSMN_STATIC
#define JSMN_PARENT_LINKS /* without them deep nesting costs n squared */
#include <jsmn.h>

#include "array.h"
#include "kern_work.h"
#include "num.h"

void
args_clear(struct op_args *a)
{
	a->n = a->ndims = 0;
	a->typed = false;
}

/* One more argument, all zero, whose dims begin behind all others. */
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

static void
args_add_dim(struct op_args *a, int64_t d)
{
	ARRAY_GROW(a->dims, a->ndims, a->dims_cap);
	a->dims[a->ndims++] = d;
}

const struct op_arg *
arg_at(const struct op_args *a, size_t i)
{
	return i < a->n ? &a->v[i] : NULL;
}

const struct op_arg *
arg_named(const struct op_args *a, const char *name, int i)
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

#define JSMN_STATIC
#define JSMN_PARENT_LINKS /* without them deep nesting costs n squared */

#define MAX_TOKENS (1 << 16) /* an op with more is not read */

struct arg_text { /* a text, as tokens; i counts them */
	const char *s;
	const jsmntok_t *tok;
	int n;
};

/* False if the text is not JSON, or too long. */
static bool
tokenize(struct op_args *a, const char *s, size_t n, struct arg_text *t)
{
	jsmn_parser p;
	int r;

	for (;;) {
		jsmn_init(&p);
		r = a->tok_cap == 0 ? JSMN_ERROR_NOMEM
				    : jsmn_parse(&p, s, n, a->tok, a->tok_cap);
		if (r != JSMN_ERROR_NOMEM)
			break;
		if (a->tok_cap >= MAX_TOKENS)
			return false;
		a->tok_cap = a->tok_cap == 0 ? 256 : a->tok_cap * 4;
		a->tok = xrealloc(a->tok, a->tok_cap, sizeof(jsmntok_t));
	}
	*t = (struct arg_text){ s, a->tok, r };
	return r > 0;
}

/* The token behind token i and all that it holds. */
static int
token_after(const struct arg_text *t, int i)
{
	int end = t->tok[i].end;

	for (i++; i < t->n && t->tok[i].start < end; i++)
		;
	return i;
}

static const char *
token_text(const struct arg_text *t, int i, size_t *n)
{
	*n = (size_t)(t->tok[i].end - t->tok[i].start);
	return t->s + t->tok[i].start;
}

static bool
token_int(const struct arg_text *t, int i, int64_t *v)
{
	size_t n;
	const char *s = token_text(t, i, &n);

	return t->tok[i].type == JSMN_PRIMITIVE && num_i64(s, n, v);
}

static bool
token_is(const struct arg_text *t, int i, const char *word)
{
	size_t n;
	const char *s = token_text(t, i, &n);

	return strlen(word) == n && memcmp(s, word, n) == 0;
}

/* The integers of array token i become the dims of g. */
static void
read_dims(struct op_args *a, struct op_arg *g, const struct arg_text *t, int i)
{
	int k, end = token_after(t, i);
	int64_t d;

	g->dim = a->ndims;
	g->nd = 0;
	if (t->tok[i].type != JSMN_ARRAY) {
		g->bad = true;
		return;
	}
	for (k = i + 1; k < end; k = token_after(t, k)) {
		if (!token_int(t, k, &d)) {
			g->bad = true;
			continue;
		}
		if (d < 0)
			g->bad = true;
		args_add_dim(a, d);
		g->nd++;
	}
}

static enum op_arg_type
read_type(const struct arg_text *t, int i)
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
	size_t k;

	for (k = 0; k < ARRAY_LEN(types); k++)
		if (token_is(t, i, types[k].text))
			return types[k].type;
	return ARG_OTHER;
}

static void
read_value(struct op_args *a, struct op_arg *g, const struct arg_text *t, int i)
{
	size_t n;
	const char *s = token_text(t, i, &n);

	if (t->tok[i].type == JSMN_ARRAY) {
		read_dims(a, g, t, i);
	} else if (t->tok[i].type == JSMN_STRING) {
		g->str = s;
		g->str_len = n;
	} else if (t->tok[i].type == JSMN_PRIMITIVE &&
		   !token_int(t, i, &g->ival)) {
		g->ival = *s == 't'; /* true */
		if (!num_f64(s, n, &g->fval))
			g->fval = 0;
	}
}

/* One member of {"name":..,"type":..}: the key is token i. */
static void
read_member(
    struct op_args *a, struct op_arg *g, const struct arg_text *t, int i)
{
	if (token_is(t, i, "name")) {
		g->name = token_text(t, i + 1, &g->name_len);
	} else if (token_is(t, i, "type")) {
		g->type = read_type(t, i + 1);
		g->type_txt = token_text(t, i + 1, &g->type_len);
	} else if (token_is(t, i, "dtype")) {
		g->dtype = token_text(t, i + 1, &g->dtype_len);
		g->dt = dt_marker(g->dtype, g->dtype_len);
	} else if (token_is(t, i, "shape")) {
		read_dims(a, g, t, i + 1);
	} else if (token_is(t, i, "value")) {
		read_value(a, g, t, i + 1);
	}
}

static void
read_arg(struct op_args *a, const struct arg_text *t, int i)
{
	struct op_arg *g = args_add(a);
	int k, end = token_after(t, i);

	for (k = i + 1; k + 1 < end; k = token_after(t, k + 1))
		read_member(a, g, t, k);
	/* DLProf's markers name a tensor after the call that made it. */
	g->named = g->name_len > 0 && memchr(g->name, '/', g->name_len) == NULL;
}

/* The array of arguments: the text itself, or the value of "args"; -1: none. */
static int
find_list(const struct arg_text *t)
{
	int k;

	if (t->tok[0].type == JSMN_ARRAY)
		return 0;
	if (t->tok[0].type != JSMN_OBJECT)
		return -1;
	for (k = 1; k + 1 < t->n; k = token_after(t, k + 1))
		if (token_is(t, k, "args"))
			return t->tok[k + 1].type == JSMN_ARRAY ? k + 1 : -1;
	return -1;
}

bool
args_marker(struct op_args *a, const char *s, size_t n)
{
	struct arg_text t;
	int list, k, end;

	args_clear(a);
	if (!tokenize(a, s, n, &t) || (list = find_list(&t)) < 0)
		return false;
	end = token_after(&t, list);
	for (k = list + 1; k < end; k = token_after(&t, k)) {
		if (t.tok[k].type != JSMN_OBJECT) {
			args_clear(a);
			return false;
		}
		read_arg(a, &t, k);
	}
	a->typed = true;
	return true;
}

bool
args_sizes(struct op_args *a, const char *s, size_t n)
{
	struct arg_text t;
	struct op_arg *g;
	int k, end;

	args_clear(a);
	if (!tokenize(a, s, n, &t) || t.tok[0].type != JSMN_ARRAY)
		return false;
	end = token_after(&t, 0);
	for (k = 1; k < end; k = token_after(&t, k)) {
		g = args_add(a);
		read_dims(a, g, &t, k);
		if (g->nd > 0 || g->bad)
			g->type = ARG_TENSOR;
	}
	return true;
}
