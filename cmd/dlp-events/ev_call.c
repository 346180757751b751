/*
 * The code that runs a case again: its tensors, and the call of the op. Missing
 * arguments come from events.rules.
 */
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "events.h"
#include "num.h"
#include "shipped.h"

#define WORDS 16 /* of a rule, at most */
#define NDIM 3   /* of a convolution, at most */

struct rule {
	struct mview word[WORDS];
	size_t n;
};

struct call {
	struct ev_args *a;
	const struct ev_case *c;
	struct rule rule;
	struct buf *b, *assumed;
	const char *why;
	bool python; /* a call of torch's Python function, not of the op */
	bool inplace;
};

/* The words of the rule for a name; none if it has no rule. */
static void
find_rule(struct rule *r, const char *prefix, struct mview op)
{
	const char *s = shipped_text("events.rules");
	size_t k = strlen(prefix), n;

	r->n = 0;
	for (; *s != '\0'; s += strcspn(s, "\n"), s += *s != '\0') {
		if (strncmp(s, prefix, k) != 0 ||
		    strncmp(s + k, op.s, op.n) != 0 || s[k + op.n] != ' ')
			continue;
		for (s += k + op.n; *s == ' ' && r->n < WORDS; s += n) {
			n = strcspn(++s, " \n");
			r->word[r->n++] = (struct mview){ s, n };
		}
		return;
	}
}

static const struct ev_tensor *
tensor_of(const struct call *x, size_t i)
{
	const struct ev_args *a = x->a;

	return i < a->n && a->v[i].kind == EV_TENSOR ? &a->tensors[a->v[i].at]
						     : NULL;
}

static int64_t
size_of(const struct call *x, size_t i, size_t dim)
{
	const struct ev_tensor *t = tensor_of(x, i);

	return t != NULL && dim < t->nd ? x->a->dims[t->dim + dim] : -1;
}

static void
put_list(struct buf *b, const int64_t *v, size_t n)
{
	size_t i;

	buf_putc(b, '[');
	for (i = 0; i < n; i++)
		buf_printf(b, "%s%lld", i > 0 ? ", " : "", (long long)v[i]);
	buf_putc(b, ']');
}

/* The stride and padding that give a result its size: as networks have them,
 * the padding keeps the size if the stride is 1, or is none. */
static bool
conv_guess(
    int64_t in, int64_t window, int64_t out, int64_t *stride, int64_t *pad)
{
	int64_t i;

	if (in > INT32_MAX || window < 1 || window > INT32_MAX)
		return false;
	for (i = 0; i <= window; i++) {
		*pad = i == 0 ? (window - 1) / 2 : i - 1;
		for (*stride = 1; *stride <= 32; ++*stride)
			if (in + 2 * *pad < window
				? out == -1
				: (in + 2 * *pad - window) / *stride + 1 == out)
				return true;
	}
	return false;
}

/* Works out the word of a convolution. */
static bool
put_conv(struct call *x, struct mview word)
{
	const struct ev_tensor *in = tensor_of(x, 0), *w = tensor_of(x, 1);
	int64_t out[NDIM + 2], stride[NDIM], pad[NDIM], one[] = { 1, 1, 1 },
							zero[NDIM] = { 0 };
	size_t i, n;
	int k;

	if (in == NULL || w == NULL || in->nd != w->nd || in->nd < 3 ||
	    in->nd > NDIM + 2 || size_of(x, 1, 1) < 1)
		return false;
	n = in->nd - 2;
	if (mv_eq(word, "$groups")) {
		buf_i64(&x->a->text, size_of(x, 0, 1) / size_of(x, 1, 1));
		return true;
	}
	if (mv_eq(word, "$dilation") || mv_eq(word, "$zeros")) {
		put_list(&x->a->text, mv_eq(word, "$zeros") ? zero : one, n);
		return true;
	}
	k = ev_list(x->c->result, out, NDIM + 2);
	if (n == 2 && x->c->out[0] > 0)
		memcpy(out + 2, x->c->out, sizeof(x->c->out));
	else if (k != (int)in->nd)
		return false;
	for (i = 0; i < n; i++)
		if (!conv_guess(size_of(x, 0, i + 2), size_of(x, 1, i + 2),
			out[i + 2], &stride[i], &pad[i]))
			return false;
	put_list(&x->a->text, mv_eq(word, "$stride") ? stride : pad, n);
	return true;
}

/* Works out a word that begins with $. */
static bool
put_worked_out(struct call *x, struct mview word)
{
	const struct ev_tensor *t = tensor_of(x, 2);

	if (mv_eq(word, "$training")) {
		buf_puts(&x->a->text, x->c->bwd ? "True" : "False");
		return true;
	}
	if (!mv_eq(word, "$size"))
		return put_conv(x, word);
	if (t != NULL) {
		put_list(&x->a->text, x->a->dims + t->dim, t->nd);
		return true;
	}
	t = tensor_of(x, 0);
	if (t == NULL || t->nd == 0)
		return false;
	put_list(&x->a->text, x->a->dims + t->dim + t->nd - 1, 1);
	return true;
}

/* Gives an argument that was not recorded the value of its word. */
static bool
fill_call(struct call *x, size_t i, struct mview word)
{
	struct ev_arg *g = &x->a->v[i];

	if (word.n == 0 || strchr("!#[", *word.s) != NULL)
		return false;
	g->at = x->a->text.len;
	if (*word.s == '$') {
		if (!put_worked_out(x, word))
			return false;
	} else {
		buf_put(&x->a->text, word.s, word.n);
	}
	g->kind = EV_VALUE;
	g->n = x->a->text.len - g->at;
	if (mv_eq(word, "None") || g->none)
		return true;
	buf_puts(x->assumed, x->assumed->len > 0 ? ", " : "");
	buf_put(x->assumed, x->a->text.s + g->at, g->n);
	buf_printf(x->assumed, " (%d)", (int)i);
	return true;
}

static bool
use_rule(struct call *x)
{
	struct ev_args *a = x->a;
	struct mview word;
	size_t i;

	for (i = 0; i < a->n; i++) {
		word =
		    i < x->rule.n ? x->rule.word[i] : (struct mview){ "", 0 };
		if (a->v[i].kind == EV_TENSOR && word.n > 0) {
			struct ev_tensor *t = &a->tensors[a->v[i].at];

			t->no_grad = *word.s == '=';
			/* "#0.1": the dimension below which its integers are */
			if (*word.s == '#' && word.n == 4 && word.s[2] == '.')
				t->below = size_of(x, (size_t)(word.s[1] - '0'),
				    (size_t)(word.s[3] - '0'));
			continue;
		}
		if (word.n > 0 && *word.s == '=')
			word = mv(word.s + 1, word.s + word.n);
		/* None stands for types whose values are not written, too */
		if ((a->v[i].kind == EV_UNKNOWN ||
			(a->v[i].none && word.n > 0)) &&
		    !fill_call(x, i, word)) {
			snprintf(a->why, sizeof(a->why),
			    "the profile has no value of its argument %zu,"
			    " which torch.profiler records with"
			    " record_shapes=True",
			    i);
			x->why = a->why;
			return false;
		}
	}
	return true;
}

static bool
is_real(const char *dtype)
{
	return strstr(dtype, "float") != NULL ||
	       strncmp(dtype, "complex", 7) == 0;
}

static void
put_tensor(struct call *x, size_t i)
{
	/* ops whose tensors of four dimensions are no images, in order */
	static const char *const ops[] = { "_softmax", "einsum", "matmul",
		"scaled_dot_product_attention", "softmax" };
	const struct ev_tensor *t = &x->a->tensors[i];
	const int64_t *d = x->a->dims + t->dim;
	int64_t s[4], least = 1;
	size_t k;
	bool matrices = mv_listed(x->c->op, ops, ARRAY_LEN(ops));
	const char *dtype = ev_dtype(t->dtype);

	if (t->below > 0 && dtype == NULL)
		dtype = "int64";
	if (dtype == NULL)
		dtype = x->c->dtype;
	if (dtype == NULL) {
		dtype = x->c->usual != NULL ? x->c->usual : "float32";
		buf_puts(x->assumed, x->assumed->len > 0 ? ", " : "");
		buf_printf(x->assumed, "%s (t%zu)", dtype, i);
	}
	if (t->below > 0 && is_real(dtype) && x->c->args.s == NULL)
		dtype = "int64"; /* the type is that of the kernels */
	buf_printf(x->b, "    t%zu = tensor(", i);
	put_list(x->b, x->a->dims + t->dim, t->nd);
	buf_printf(x->b, ", torch.%s", dtype);
	if (t->strided) {
		buf_puts(x->b, ", stride=");
		put_list(x->b, x->a->strides + t->dim, t->nd);
	} else if (x->c->nhwc && t->nd == 4 && !matrices &&
		   !__builtin_mul_overflow(d[1], d[3], &s[2]) &&
		   !__builtin_mul_overflow(s[2], d[2], &s[0])) {
		s[1] = 1;
		s[3] = d[1];
		buf_puts(x->b, ", stride=");
		put_list(x->b, s, 4);
	}
	/* integers that no rule speaks of are indices, or masks: they are below
	 * the least size of the first tensor */
	for (k = 0; size_of(x, 0, k) >= 0; k++)
		if (k == 0 || size_of(x, 0, k) < least)
			least = size_of(x, 0, k);
	if (least > INT32_MAX)
		least = INT32_MAX;
	if (!is_real(dtype))
		buf_printf(x->b, ", below=%lld",
		    (long long)(t->below > 0                 ? t->below
				: strcmp(dtype, "bool") == 0 ? 2
							     : least));
	else if (x->c->bwd && !t->no_grad && !(i == 0 && x->c->no_dgrad))
		buf_puts(x->b, ", grad=True");
	buf_puts(x->b, ")\n");
}

/* t0, t1, ...: the names of n tensors. */
static void
put_names(struct buf *b, size_t first, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		buf_printf(b, "%st%zu", i > 0 ? ", " : "", first + i);
}

static void
put_arg(struct call *x, size_t i)
{
	const struct ev_arg *g = &x->a->v[i];

	if (g->name.n > 0) {
		buf_put(x->b, g->name.s, g->name.n);
		buf_putc(x->b, '=');
	}
	if (g->kind == EV_VALUE)
		buf_put(x->b, x->a->text.s + g->at, g->n);
	else if (g->kind == EV_TENSOR)
		buf_printf(x->b, "t%zu", g->at);
	else {
		buf_putc(x->b, '[');
		put_names(x->b, g->at, g->n);
		buf_putc(x->b, ']');
	}
}

static bool
is_word(struct mview v)
{
	size_t i;

	for (i = 0; i < v.n; i++)
		if (!(v.s[i] == '_' || (v.s[i] >= 'a' && v.s[i] <= 'z') ||
			(v.s[i] >= 'A' && v.s[i] <= 'Z') ||
			(i > 0 && v.s[i] >= '0' && v.s[i] <= '9')))
			return false;
	return v.n > 0;
}

/* Whether keyword arguments are words, and which of them says that the op works
 * in place. */
static bool
look_at_names(struct call *x)
{
	const struct ev_arg *g;
	size_t i;

	for (i = 0; i < x->a->n; i++) {
		g = &x->a->v[i];
		if (g->name.n > 0 && !is_word(g->name)) {
			x->why = "its arguments are cut or damaged";
			return false;
		}
		if ((mv_eq(g->name, "inplace") || mv_eq(g->name, "out")) &&
		    g->kind == EV_VALUE &&
		    text_is(x->a->text.s + g->at, g->n, "True"))
			x->inplace = true;
	}
	return true;
}

/* The Python function of a marker of PyProf. */
static bool
put_function(struct call *x)
{
	static const char *const mods[] = { "torch", "torch.nn.functional",
		"torch._C._nn", "torch.special", "torch.linalg", "torch.fft" };
	struct mview mod = x->c->mod, op = x->c->op;
	size_t i;

	if (!is_word(op)) {
		x->why = "its name does not name a function";
		return false;
	}
	for (i = 0; i < ARRAY_LEN(mods); i++)
		if (mv_eq(mod, mods[i])) {
			buf_printf(x->b, "%s.%.*s(", mods[i], (int)op.n, op.s);
			return true;
		}
	if (!mv_eq(mod, "Tensor")) {
		x->why = "it is no function of torch, but of a module of the"
			 " program or a library";
		return false;
	}
	if (tensor_of(x, 0) == NULL) {
		x->why = "it is a method of a tensor that was not recorded";
		return false;
	}
	put_arg(x, 0);
	buf_printf(x->b, ".%.*s(", (int)op.n, op.s);
	return true;
}

static bool
put_call(struct call *x)
{
	struct mview op = x->c->op;
	size_t i, from = 0, list = 0;

	if (!x->python) {
		buf_puts(x->b, "aten(");
		ev_string(x->b, op.s, op.n);
	} else if (!put_function(x)) {
		return false;
	} else {
		from = mv_eq(x->c->mod, "Tensor");
	}
	/* the tensors of a list, which markers of PyProf write one by one */
	if (x->rule.n > from && mv_eq(x->rule.word[from], "["))
		while (from + list < x->a->n &&
		       x->a->v[from + list].kind == EV_TENSOR)
			list++;
	for (i = from; i < x->a->n; i++) {
		buf_puts(x->b, i > from || !x->python ? ", " : "");
		buf_puts(x->b, i == from && list > 0 ? "[" : "");
		put_arg(x, i);
		buf_puts(x->b, list > 0 && i + 1 == from + list ? "]" : "");
	}
	buf_putc(x->b, ')');
	return true;
}

const char *
ev_call(struct buf *b, struct ev_args *a, const struct ev_case *c, int no,
    struct buf *assumed)
{
	struct call x = { .a = a, .c = c, .b = b, .assumed = assumed };
	size_t i;

	x.why = c->args.s != NULL ? ev_args_read(a, c->args, false)
		: c->shapes.s != NULL
		    ? ev_args_read(a, c->shapes, true)
		    : "its arguments were not recorded (torch.profiler and "
		      "emit_nvtx do"
		      " with record_shapes=True)";
	if (x.why != NULL)
		return x.why;
	if (c->args.s == NULL &&
	    (mv_starts(c->op, "_foreach_") || mv_starts(c->op, "_fused_") ||
		mv_eq(c->op, "cat") || mv_eq(c->op, "stack")))
		return "it takes lists of tensors, of which the profile has "
		       "only the sizes, not the borders";
	if (a->ntensors == 0)
		return "it takes no tensor";
	if (mv_eq(c->op, "contiguous") && !a->tensors[0].strided)
		return "it copies a tensor that was not contiguous, and the "
		       "profile has no strides (dlp-parse --inputs has those "
		       "of torch.profiler)";
	x.python = !mv_eq(c->mod, "aten") && c->args.s != NULL;
	if (!x.python && !mv_eq(c->mod, "aten"))
		return "it is no op of PyTorch's own (aten)";
	x.inplace = c->op.n > 1 && c->op.s[c->op.n - 1] == '_' &&
		    c->op.s[c->op.n - 2] != '_';
	find_rule(&x.rule,
	    !x.python                              ? ""
	    : mv_eq(c->mod, "torch.nn.functional") ? "F."
						   : "torch.",
	    c->op);
	if (!look_at_names(&x) || !use_rule(&x))
		return x.why;
	for (i = 0; i < a->ntensors; i++)
		put_tensor(&x, i);
	buf_printf(b, "    run(%d, ", no);
	ev_string(b, c->op.s, c->op.n);
	buf_puts(b, ", [");
	put_names(b, 0, a->ntensors);
	buf_puts(b, "],\n        lambda ");
	put_names(b, 0, a->ntensors);
	buf_puts(b, ": ");
	if (!put_call(&x))
		return x.why;
	buf_puts(b, x.inplace ? ",\n        inplace=True)\n" : ")\n");
	return NULL;
}
