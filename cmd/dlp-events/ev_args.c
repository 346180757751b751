/*
 * The arguments of an op, from JSON: [{"name":"","type":"tensor",...},...] as
 * PyProf's markers and `dlp-parse --inputs` have them, or [[64,3],[]], the
 * sizes that emit_nvtx writes.
 */
#include <stdlib.h>

#include "array.h"
#include "events.h"
#include "pylit.h"
#include "shipped.h"
#include "text_out.h"

#define TOKENS (1 << 16)
#define NESTED 8 /* lists in lists, of a value */

const char *
ev_dtype(struct mview v)
{
	size_t n = sizeof("torch.") - 1;

	if (mv_starts(v, "torch."))
		v = mv(v.s + n, v.s + v.n);
	return vocab_find("torch-type", v.s, v.n).s;
}

void
ev_string(struct buf *b, const char *s, size_t n)
{
	size_t i;

	buf_putc(b, '"');
	for (i = 0; i < n; i++)
		if (s[i] == '"' || s[i] == '\\')
			buf_printf(b, "\\%c", s[i]);
		else if (s[i] >= ' ' && s[i] <= '~')
			buf_putc(b, s[i]);
		else
			buf_printf(b, "\\x%02x", (unsigned char)s[i]);
	buf_putc(b, '"');
}

void
ev_comment(struct buf *b, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		buf_putc(b, s[i] >= ' ' && s[i] <= '~' ? s[i] : '?');
}

static struct ev_arg *
add_arg(struct ev_args *a, enum ev_kind kind)
{
	struct ev_arg *g;

	ARRAY_GROW(a->v, a->n, a->cap);
	g = &a->v[a->n++];
	*g = (struct ev_arg){ .kind = kind, .name = { "", 0 } };
	return g;
}

/* Adds a tensor with the sizes of an array, and its strides (-1: unknown). */
static bool
add_tensor(struct ev_args *a, int sizes, int strides, struct mview dtype)
{
	const struct json_doc *j = &a->doc;
	struct ev_tensor *t;
	int64_t v;
	size_t i;
	int k;

	ARRAY_GROW(a->tensors, a->ntensors, a->tensors_cap);
	t = &a->tensors[a->ntensors++];
	*t = (struct ev_tensor){ .dim = a->ndims, .dtype = dtype };
	if (json_type(j, sizes) != JSON_ARRAY)
		return false;
	for (k = sizes + 1; k < json_next(j, sizes); k = json_next(j, k)) {
		if (!json_i64(j, k, &v) || v < 0)
			return false;
		ARRAY_GROW(a->dims, a->ndims, a->dims_cap);
		ARRAY_GROW(a->strides, a->ndims, a->strides_cap);
		a->dims[a->ndims] = v;
		a->strides[a->ndims++] = 0;
		t->nd++;
	}
	if (strides < 0 || json_type(j, strides) != JSON_ARRAY)
		return true;
	for (i = 0, k = strides + 1; k < json_next(j, strides);
	     k = json_next(j, k)) {
		if (i == t->nd || !json_i64(j, k, &v) || v < 0)
			return true;
		a->strides[t->dim + i++] = v;
	}
	t->strided = i == t->nd;
	return true;
}

/* Appends a word of a value that the profiler wrote; false if it is none of
 * Python's words and numbers. */
static bool
put_word(struct buf *b, struct mview v)
{
	static const char *const words[] = { "True", "False", "None", "inf",
		"-inf", "nan" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(words); i++)
		if (mv_eq(v, words[i])) {
			buf_puts(b, i < 3 ? "" : "float(\"");
			buf_puts(b, words[i]);
			buf_puts(b, i < 3 ? "" : "\")");
			return true;
		}
	/* Python's numbers are those of JSON, but also 1. */
	if (!json_is_num(v.s, v.n) &&
	    !(v.n > 1 && v.s[v.n - 1] == '.' && json_is_num(v.s, v.n - 1)))
		return false;
	buf_put(b, v.s, v.n);
	return true;
}

/* Appends a value that is lists and words of Python; false if it is not. */
static bool
put_literal(struct buf *b, struct pylit *l)
{
	struct pl_atom a;
	char c = pl_peek(l);
	const char *comma = "";

	if (c != '[' && c != '(')
		return pl_atom(l, &a) && a.kind != PL_STR && put_word(b, a.raw);
	if (!pl_enter(l, c))
		return false;
	buf_putc(b, c);
	while (pl_item(l)) {
		buf_puts(b, comma);
		comma = ", ";
		if (!put_literal(b, l))
			return false;
	}
	buf_putc(b, c == '[' ? ']' : ')');
	return !l->bad;
}

/* Appends a value of JSON in Python; false if it has none. */
static bool
put_json(struct ev_args *a, int i, bool tuple, int deep)
{
	const struct json_doc *j = &a->doc;
	struct buf text = { 0 };
	bool ok = true;
	int k;

	if (json_type(j, i) == JSON_STRING) {
		json_unescape(j, i, &text);
		ev_string(&a->text, text.s, text.len);
		buf_free(&text);
		return true;
	}
	if (json_type(j, i) == JSON_WORD) {
		if (json_is(j, i, "true"))
			buf_puts(&a->text, "True");
		else if (json_is(j, i, "false"))
			buf_puts(&a->text, "False");
		else if (json_is(j, i, "null"))
			buf_puts(&a->text, "None");
		else
			ok = put_word(&a->text, json_raw(j, i));
		return ok;
	}
	if (json_type(j, i) != JSON_ARRAY || deep == NESTED)
		return false;
	buf_putc(&a->text, tuple ? '(' : '[');
	for (k = i + 1; ok && k < json_next(j, i); k = json_next(j, k)) {
		ok = put_json(a, k, tuple, deep + 1);
		buf_puts(&a->text, ", ");
	}
	buf_putc(&a->text, tuple ? ')' : ']');
	return ok;
}

static bool
read_tensors(struct ev_args *a, struct ev_arg *g, int sizes, int strides)
{
	const struct json_doc *j = &a->doc;
	struct mview none = { NULL, 0 };
	int k, s = strides >= 0 && json_type(j, strides) == JSON_ARRAY
		       ? strides + 1
		       : -1;

	if (sizes < 0 || json_type(j, sizes) != JSON_ARRAY ||
	    json_next(j, sizes) == sizes + 1)
		return false;
	g->kind = EV_TENSORS;
	for (k = sizes + 1; k < json_next(j, sizes); k = json_next(j, k)) {
		if (!add_tensor(a, k,
			s > 0 && s < json_next(j, strides) ? s : -1, none))
			return false;
		g->n++;
		if (s > 0)
			s = json_next(j, s);
	}
	return true;
}

/* Reads {"name":..,"type":..}. */
static bool
read_call_arg(struct ev_args *a, int i)
{
	const struct json_doc *j = &a->doc;
	int shape = json_get(j, i, "shape"), stride = json_get(j, i, "stride"),
	    value = json_get(j, i, "value"), type = json_get(j, i, "type"),
	    name = json_get(j, i, "name"), dtype = json_get(j, i, "dtype");
	struct mview kind;
	struct buf text = { 0 };
	struct pylit l;
	struct ev_arg *g;

	if (type < 0)
		return false;
	kind = json_raw(j, type);
	g = add_arg(a, EV_UNKNOWN);
	/* DLProf's markers name a tensor after the call that made it. */
	if (name >= 0 &&
	    memchr(json_raw(j, name).s, '/', json_raw(j, name).n) == NULL)
		g->name = json_raw(j, name);
	/* old traces have numbers as tensors of no sizes, whose type is Int */
	if (mv_eq(kind, "tensor") && dtype >= 0 && shape >= 0 &&
	    json_next(j, shape) == shape + 1 &&
	    ev_dtype(json_raw(j, dtype)) == NULL)
		return true;
	if (mv_eq(kind, "tensor")) {
		g->kind = EV_TENSOR;
		g->at = a->ntensors;
		g->n = 1;
		return shape >= 0 &&
		       add_tensor(a, shape, stride,
			   dtype >= 0 ? json_raw(j, dtype)
				      : (struct mview){ NULL, 0 });
	}
	if (mv_eq(kind, "TensorList") || mv_eq(kind, "GenericList")) {
		g->at = a->ntensors;
		if (!read_tensors(a, g, shape, stride))
			g->kind = EV_UNKNOWN;
		return true;
	}
	g->at = a->text.len;
	if (dtype >= 0 && value >= 0) {
		/* what torch.profiler wrote as a text; without one it may be
		 * None */
		json_unescape(j, value, &text);
		pl_init(&l, text.s, text.len);
		g->none = text.len == 0;
		g->kind = g->none && kind.n > 0 && !mv_eq(kind, "NoneType")
			      ? EV_UNKNOWN
			      : EV_VALUE;
		if (g->none && g->kind == EV_VALUE) {
			buf_puts(&a->text, "None");
		} else if (!g->none && (!put_literal(&a->text, &l) ||
					   pl_peek(&l) != '\0')) {
			a->text.len = g->at;
			ev_string(&a->text, text.s, text.len);
		}
		buf_free(&text);
	} else if (dtype < 0 && value >= 0 &&
		   put_json(a, value, mv_eq(kind, "tuple"), 0)) {
		g->kind = EV_VALUE;
	}
	g->n = a->text.len - g->at;
	return true;
}

const char *
ev_args_read(struct ev_args *a, struct mview json, bool sizes)
{
	const char *damaged = sizes ? "its sizes are cut or damaged"
				    : "its arguments are cut or damaged";
	const struct json_doc *j = &a->doc;
	struct mview none = { NULL, 0 };
	struct ev_arg *g;
	int k;

	a->n = a->ntensors = a->ndims = 0;
	buf_clear(&a->text);
	if (!json_parse(&a->doc, json.s, json.n, TOKENS) ||
	    json_type(j, 0) != JSON_ARRAY)
		return damaged;
	for (k = 1; k < json_next(j, 0); k = json_next(j, k)) {
		if (!sizes) {
			if (json_type(j, k) != JSON_OBJECT ||
			    !read_call_arg(a, k))
				return damaged;
			continue;
		}
		g = add_arg(a, EV_UNKNOWN);
		if (json_type(j, k) != JSON_ARRAY || json_next(j, k) > k + 1)
			g->kind = EV_TENSOR;
		g->at = a->ntensors;
		g->n = 1;
		if (!add_tensor(a, k, -1, none))
			return damaged;
	}
	return NULL;
}

void
ev_args_free(struct ev_args *a)
{
	free(a->v);
	free(a->tensors);
	free(a->dims);
	free(a->strides);
	buf_free(&a->text);
	json_free(&a->doc);
}
