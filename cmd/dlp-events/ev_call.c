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

#define WORDS 24 /* of a rule, at most */

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
	const char *autocast; /* torch's name of its type, or NULL */
	bool python; /* a call of torch's Python function, not of the op */
	bool inplace;
};

/* The words of the next rule for a name; false if there is no more. */
static bool
next_rule(
    struct rule *r, const char **rules, const char *prefix, struct mview op)
{
	const char *s = *rules;
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
		*rules = s;
		return true;
	}
	return false;
}

static const struct ev_tensor *
tensor_of(const struct call *x, size_t i)
{
	const struct ev_args *a = x->a;

	return i < a->n && a->v[i].kind == EV_TENSOR ? &a->tensors[a->v[i].at]
						     : NULL;
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

/* The value of $NAME in a rule; false if the profile does not tell. */
static bool
put_named(struct call *x, struct mview name)
{
	const struct ev_tensor *t = tensor_of(
	    x, tensor_of(x, 2) != NULL && mv_eq(name, "size") ? 2 : 0);
	struct buf *b = &x->a->text;
	struct ev_args out = { 0 };
	bool ok = true;

	if (mv_eq(name, "training")) {
		buf_puts(b, x->c->bwd ? "True" : "False");
	} else if (mv_eq(name, "dtype")) {
		ok = x->c->dtype != NULL;
		buf_printf(b, "torch.%s", ok ? x->c->dtype : "");
	} else if (mv_eq(name, "size")) {
		ok = t != NULL && t->nd > 0;
		if (ok && t == tensor_of(x, 0))
			put_list(b, x->a->dims + t->dim + t->nd - 1, 1);
		else if (ok)
			put_list(b, x->a->dims + t->dim, t->nd);
	} else if (x->c->out[0] > 0 && t != NULL && t->nd == 4) {
		put_list(b, x->c->out, 2);
	} else {
		ok = x->c->result.s != NULL &&
		     ev_args_read(&out, x->c->result, true) == NULL &&
		     out.ntensors > 0 && out.tensors[0].nd > 2;
		if (ok)
			put_list(b, out.dims + 2, out.tensors[0].nd - 2);
		ev_args_free(&out);
	}
	return ok;
}

/* Appends an expression of Python with what $NAMEs in it stand for, None if
 * that is unknown and a ? follows. */
static bool
put_expression(struct call *x, struct mview word)
{
	const char *p, *q, *end = word.s + word.n;
	size_t from = x->a->text.len;

	for (p = word.s; p < end; p = q) {
		q = p + 1;
		if (*p != '$') {
			buf_putc(&x->a->text, *p);
			continue;
		}
		while (q < end && *q >= 'a' && *q <= 'z')
			q++;
		if (!put_named(x, mv(p + 1, q))) {
			if (q == end || *q != '?') {
				x->a->text.len = from;
				return false;
			}
			buf_puts(&x->a->text, "None");
		}
		q += q < end && *q == '?';
	}
	return true;
}

/* Gives an argument that was not recorded the value of its word. */
static bool
fill_call(struct call *x, size_t i, struct mview word)
{
	struct ev_arg *g = &x->a->v[i];

	if (word.n == 0 || strchr("!#*", *word.s) != NULL || mv_eq(word, "["))
		return false;
	g->at = x->a->text.len;
	if (!put_expression(x, word))
		return false;
	g->kind = EV_VALUE;
	g->n = x->a->text.len - g->at;
	if (mv_eq(word, "None") || g->none)
		return true;
	buf_puts(x->assumed, x->assumed->len > 0 ? ", " : "");
	buf_put(x->assumed, x->a->text.s + g->at, g->n);
	buf_printf(x->assumed, " (%d)", (int)i);
	return true;
}

/* How well a rule fits an op of which sizes alone are known; 0: not. The
 * tensors of all its lists are in a row; if the FLOPs are half as many as their
 * elements, there are two. */
static int
fit_lists(const struct call *x, const struct rule *r, size_t *len)
{
	const struct ev_args *a = x->a;
	size_t i, k, lists = 0;
	int64_t one, all = 0;

	for (i = 0; i < r->n; i++)
		lists += *r->word[i].s == '*';
	*len = 0;
	if (lists == 0 || x->c->args.s != NULL)
		return r->n == a->n ? 2 : 1;
	if (a->n < r->n || (a->n - r->n) % lists != 0)
		return 0;
	*len = (a->n - r->n) / lists + 1;
	for (i = 0; i < *len * lists; i++) {
		for (one = 1, k = 0; k < a->tensors[i].nd; k++)
			one = num_mul(one, a->dims[a->tensors[i].dim + k]);
		all = num_add(all, one);
	}
	return lists != 2 || x->c->flop == 0 ? 2
	       : x->c->flop == all / 2       ? 3
					     : 1;
}

/* Finds the rule, and gives each list its tensors. */
static void
choose_rule(struct call *x, const char *prefix)
{
	const char *rules = shipped_text("events.rules");
	struct ev_arg v[WORDS] = { 0 };
	struct rule r;
	size_t i, n, len = 0, at = 0;
	int fit, best = 0;

	while (next_rule(&r, &rules, prefix, x->c->op)) {
		fit = fit_lists(x, &r, &n);
		if (fit <= best)
			continue;
		best = fit;
		x->rule = r;
		len = n;
	}
	if (len == 0)
		return;
	for (i = 0; i < x->rule.n; i++)
		if (*x->rule.word[i].s == '*') {
			v[i] =
			    (struct ev_arg){ EV_TENSORS, .at = at, .n = len };
			at += len;
		} else {
			v[i] = x->a->v[at++];
		}
	memcpy(x->a->v, v, x->rule.n * sizeof(*v));
	x->a->n = x->rule.n;
}

/* What a rule says of a tensor: "#0.1" is the dimension below which its
 * integers are; in a list, a tensor with the first sizes of argument 0 is a
 * mask. */
static void
rule_tensor(struct call *x, struct ev_tensor *t, struct mview word, bool list)
{
	const struct ev_tensor *of = tensor_of(x, 0), *in;
	size_t dim;

	t->no_grad = *word.s == '=';
	word = mv(word.s + (*word.s == '=' || *word.s == '*'), word.s + word.n);
	if (word.n == 4 && *word.s == '#' && word.s[2] == '.') {
		dim = (size_t)(word.s[3] - '0');
		in = tensor_of(x, (size_t)(word.s[1] - '0'));
		t->below =
		    in != NULL && dim < in->nd ? x->a->dims[in->dim + dim] : -1;
		if (list && of != NULL && t->nd > 1 && t->nd <= of->nd &&
		    memcmp(x->a->dims + t->dim, x->a->dims + of->dim,
			t->nd * sizeof(*x->a->dims)) == 0)
			t->type = "bool";
	} else if (word.n > 1 && *word.s == '!') {
		t->type = ev_dtype(mv(word.s + 1, word.s + word.n));
	}
}

static bool
use_rule(struct call *x)
{
	struct ev_args *a = x->a;
	struct ev_arg *g;
	struct mview word;
	size_t i, k;

	for (i = 0; i < a->n; i++) {
		g = &a->v[i];
		word =
		    i < x->rule.n ? x->rule.word[i] : (struct mview){ "", 0 };
		/* sizes alone: what must be a tensor has no dimensions */
		if (x->c->args.s == NULL && g->kind == EV_UNKNOWN &&
		    word.n > 0 && strchr("!#", *word.s) != NULL)
			g->kind = EV_TENSOR;
		if (g->kind == EV_TENSOR || g->kind == EV_TENSORS) {
			for (k = 0; k < g->n; k++) {
				a->tensors[g->at + k].used = true;
				if (word.n > 0)
					rule_tensor(x, &a->tensors[g->at + k],
					    word, g->kind == EV_TENSORS);
			}
			continue;
		}
		if (word.n > 0 && *word.s == '=')
			word = mv(word.s + 1, word.s + word.n);
		/* None stands for types whose values are not written, too */
		if ((g->kind == EV_UNKNOWN || (g->none && word.n > 0)) &&
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
	bool matrices = mv_listed(x->c->op, ops, ARRAY_LEN(ops));
	const char *dtype = ev_dtype(t->dtype);

	if (dtype == NULL)
		dtype = t->type;
	if (t->below > 0 && dtype == NULL)
		dtype = "int64";
	if (dtype == NULL)
		dtype = x->c->dtype;
	if (dtype == NULL) {
		dtype = x->c->usual != NULL ? x->c->usual : "float32";
		buf_puts(x->assumed, x->assumed->len > 0 ? ", " : "");
		buf_printf(x->assumed, "%s (t%zu)", dtype, t->no);
	}
	buf_printf(x->b, "    t%zu = tensor(", t->no);
	put_list(x->b, x->a->dims + t->dim, t->nd);
	buf_printf(x->b, ", torch.%s", dtype);
	if (t->strided) {
		buf_puts(x->b, ", stride=");
		put_list(x->b, x->a->strides + t->dim, t->nd);
	} else if (x->c->nhwc && t->nd == 4 && !matrices) {
		buf_puts(x->b, ", channels_last=True");
	}
	/* integers that no rule speaks of are indices, or masks: they are below
	 * the least size of the first tensor */
	if (is_real(dtype) && x->c->bwd && !t->no_grad &&
	    !(i == 0 && x->c->no_dgrad))
		buf_puts(x->b, ", grad=True");
	else if (!is_real(dtype) && t->below > 0)
		buf_printf(x->b, ", below=%lld", (long long)t->below);
	else if (!is_real(dtype) && strcmp(dtype, "bool") != 0 && t->no > 0)
		buf_puts(x->b, ", below=min(t0.shape, default=1)");
	buf_puts(x->b, ")\n");
}

/* t0, t1, ...: the names of n tensors, without those that are none. */
static void
put_names(struct call *x, size_t first, size_t n)
{
	const struct ev_tensor *t = x->a->tensors + first;
	const char *comma = "";

	for (; n > 0; n--, t++)
		if (t->used) {
			buf_printf(x->b, "%st%zu", comma, t->no);
			comma = ", ";
		}
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
	else {
		buf_puts(x->b, g->kind == EV_TENSOR ? "" : "[");
		put_names(x, g->at, g->n);
		buf_puts(x->b, g->kind == EV_TENSOR ? "" : "]");
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
	struct mview mod = x->c->mod, op = x->c->op;

	if (!is_word(op)) {
		x->why = "its name does not name a function";
		return false;
	}
	if (vocab_find("torch-module", mod.s, mod.n).s != NULL) {
		buf_printf(
		    x->b, "%.*s.%.*s(", (int)mod.n, mod.s, (int)op.n, op.s);
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

/* An op that autocast runs in another type than its tensors have: they were
 * cast, by kernels of the op itself. Where sizes alone are known, the
 * parameters, which are the last, were float32. */
static void
look_at_types(struct call *x)
{
	const struct ev_case *c = x->c;
	struct mview to = vocab_find("autocast", c->op.s, c->op.n);
	struct ev_tensor *t = x->a->tensors;
	const char *type;
	size_t i, casts = c->casts;
	bool up = mv_eq(to, "float32");

	if (to.s == NULL || c->half == NULL || (up && !c->single))
		return;
	if (up && c->args.s == NULL)
		t->type = c->half;
	for (i = x->a->ntensors; !up && c->args.s == NULL && i-- > 0;)
		if (t[i].used && casts > 0) {
			t[i].type = "float32";
			casts--;
		}
	for (i = 0; i < x->a->ntensors; i++) {
		type = t[i].type != NULL ? t[i].type : ev_dtype(t[i].dtype);
		to = mv(type, type != NULL ? type + strlen(type) : NULL);
		if (mv_eq(to, up ? c->half : "float32"))
			x->autocast = c->half;
	}
}

const char *
ev_call(struct buf *b, struct ev_args *a, const struct ev_case *c, int no,
    struct buf *assumed)
{
	struct call x = { .a = a, .c = c, .b = b, .assumed = assumed };
	size_t i, used = 0;

	x.why = c->args.s != NULL ? ev_args_read(a, c->args, false)
		: c->shapes.s != NULL
		    ? ev_args_read(a, c->shapes, true)
		    : "its arguments were not recorded (torch.profiler and "
		      "emit_nvtx do"
		      " with record_shapes=True)";
	if (x.why != NULL)
		return x.why;
	if (mv_eq(c->op, "contiguous") && !a->tensors[0].strided)
		return "it copies a tensor that was not contiguous, and the "
		       "profile has no strides (dlp-parse --inputs has those "
		       "of torch.profiler)";
	x.python = !mv_eq(c->mod, "aten") && c->args.s != NULL;
	if (!x.python && !mv_eq(c->mod, "aten"))
		return "it is no op of PyTorch's own (aten)";
	x.inplace = c->op.n > 1 && c->op.s[c->op.n - 1] == '_' &&
		    c->op.s[c->op.n - 2] != '_';
	choose_rule(&x, !x.python                              ? ""
			: mv_eq(c->mod, "torch.nn.functional") ? "F."
							       : "torch.");
	if (!look_at_names(&x) || !use_rule(&x))
		return x.why;
	for (i = 0; i < a->ntensors; i++)
		if (a->tensors[i].used)
			a->tensors[i].no = used++;
	if (used == 0 && c->args.s == NULL)
		return "it takes no tensor";
	look_at_types(&x);
	for (i = 0; i < a->ntensors; i++)
		if (a->tensors[i].used)
			put_tensor(&x, i);
	buf_printf(b, "    run(%d, ", no);
	ev_string(b, c->op.s, c->op.n);
	buf_puts(b, ", [");
	put_names(&x, 0, a->ntensors);
	buf_puts(b, used > 0 ? "],\n        lambda " : "],\n        lambda");
	put_names(&x, 0, a->ntensors);
	buf_puts(b, ": ");
	if (!put_call(&x))
		return x.why;
	if (x.autocast != NULL)
		buf_printf(b, ",\n        autocast=torch.%s", x.autocast);
	buf_puts(b, x.inplace ? ",\n        inplace=True)\n" : ")\n");
	return NULL;
}
