/* Finds the rule of an op, the first that fits in PyProf's order; and the
 * functions that rules share. */
#include "array.h"
#include "pyprof.h"

int64_t
pynum_mul(int64_t a, int64_t b)
{
	int64_t r;

	if (!__builtin_mul_overflow(a, b, &r))
		return r;
	return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

int64_t
pynum_add(int64_t a, int64_t b)
{
	int64_t r;

	if (!__builtin_add_overflow(a, b, &r))
		return r;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

/* Cuts the next word off the list. */
static bool
next_word(const char **list, struct mview *word)
{
	*list += strspn(*list, " ");
	*word = (struct mview){ *list, strcspn(*list, " ") };
	*list += word->n;
	return word->n > 0;
}

bool
is_word_of(struct mview v, const char *words)
{
	struct mview w;

	while (next_word(&words, &w))
		if (v.s != NULL && v.n == w.n && memcmp(v.s, w.s, v.n) == 0)
			return true;
	return false;
}

bool
has_word_of(const char *s, const char *words)
{
	struct mview w;
	const char *p;

	while (next_word(&words, &w))
		for (p = s; (p = strchr(p, *w.s)) != NULL; p++)
			if (strncmp(p, w.s, w.n) == 0)
				return true;
	return false;
}

bool
call_tc_known(const struct pyprof_call *c)
{
	return has_word_of(c->name,
	    "h884 s884 h1688 s1688 hmma i8816 16816 dgrad_1x1_stride_2x2"
	    " first_layer_wgrad_kernel conv1x1 conv2d_c1_k1 direct_group"
	    " xmma_implicit_gemm xmma_sparse_conv"
	    " xmma_warp_specialized_implicit_gemm xmma_gemm xmma_sparse_gemm"
	    " c1688");
}

const char *
call_tc_gemm(const struct pyprof_call *c)
{
	if (c->last)
		return call_tc_known(c) ? "1" : "0";
	return has_word_of(c->name, "884gemm 1688gemm") ? "1" : "0";
}

int
call_unnamed(const struct pyprof_call *c, const struct pyprof_arg **v, int max)
{
	int i, n = 0;

	for (i = 0; i < c->m->n; i++)
		if (arg_unnamed(&c->m->arg[i])) {
			if (n < max)
				v[n] = &c->m->arg[i];
			n++;
		}
	return n;
}

const struct pyprof_arg *
call_named(const struct pyprof_call *c, const char *name)
{
	int i;

	for (i = 0; i < c->m->n; i++)
		if (mv_eq(c->m->arg[i].name, name))
			return &c->m->arg[i];
	return NULL;
}

bool
arg_is_tensor(const struct pyprof_arg *a)
{
	return a->has_shape && dtype_size(a->dtype) > 0;
}

void
params_int(struct pyprof_result *r, const char *key, int64_t v)
{
	buf_puts(&r->params, key);
	buf_c_i64(&r->params, '=', v);
	buf_putc(&r->params, ',');
}

void
params_sizes(struct buf *b, const struct pyprof_shape *s, const char *ends)
{
	int i;

	buf_putc(b, ends[0]);
	for (i = 0; i < s->n; i++) {
		if (i > 0)
			buf_putc(b, ',');
		buf_i64(b, s->v[i]);
	}
	if (s->n == 1 && ends[0] == '(')
		buf_putc(b, ',');
	buf_putc(b, ends[1]);
}

void
params_shape(
    struct pyprof_result *r, const char *key, const struct pyprof_shape *s)
{
	buf_puts(&r->params, key);
	buf_putc(&r->params, '=');
	params_sizes(&r->params, s, "()");
	buf_putc(&r->params, ',');
}

bool
params_type(struct pyprof_result *r, struct mview dtype)
{
	const char *word = dtype_word(dtype);

	if (word == NULL)
		return false;
	buf_puts(&r->params, word);
	buf_putc(&r->params, ',');
	return true;
}

/* [35,20,200]fp32 */
void
params_tensor(struct buf *b, const struct pyprof_shape *s, struct mview dtype)
{
	const char *word = dtype_word(dtype);

	params_sizes(b, s, "[]");
	buf_puts(b, word != NULL ? word : "");
}

bool
count_plain(struct pyprof_result *r, const struct pyprof_arg *a,
    int64_t flops_per, int64_t tensors)
{
	int64_t n;

	if (!arg_is_tensor(a))
		return false;
	n = shape_elems(&a->shape);
	params_shape(r, "T", &a->shape);
	r->flops.i = pynum_mul(n, flops_per);
	r->bytes.i = pynum_mul(pynum_mul(n, tensors), dtype_size(a->dtype));
	return params_type(r, a->dtype);
}

static const struct pyprof_rule rules[] = {
	{ "byte char double float half int long short to",
	    .apply = rule_convert },
	{ "__matmul__ matmul", .apply = rule_matmul },
	{ "embedding", .apply = rule_embedding },
	{ "sum", rule_tensor, false, 1, 1, 1, 1, ARG_INPUT,
	    .later = LATER_FLOPS },
	{ "mean", .apply = rule_mean },
	{ "norm", rule_tensor, false, 2, 2, 1, 1, .norm = true,
	    .later = LATER_NONE },
	{ "dropout", rule_tensor, false, 5, 5, 2, .tensors_b = 2 },
	{ "cat", .apply = rule_cat },
	{ "reshape", .apply = rule_tensor },
	{ "masked_scatter_", .apply = rule_masked_scatter },
	{ "gather", .apply = rule_gather },
	{ "nonzero", .apply = rule_nonzero },
	{ "index_select", .apply = rule_index_select },
	{ "masked_select", .apply = rule_masked_select },
	{ "addmm addmm_", .apply = rule_addmm },
	{ "mm", .apply = rule_mm },
	{ "bmm", .apply = rule_bmm },
	{ "softmax", rule_tensor, false, 0, 40, 3, 5, ARG_UNNAMED, .most = 2 },
	{ "log_softmax", rule_tensor, false, 0, 21, 3, 5, ARG_UNNAMED,
	    .most = 2 },
	{ "mse_loss", .apply = rule_mse_loss },
	{ "adam", .apply = rule_adam },
	{ "batch_norm", rule_tensor, false, 8, 8, 4, 5, .later = LATER_FLOPS },
	{ "randperm", .apply = rule_randperm },
	{ "copy_", .apply = rule_copy },
	{ "clone contiguous", rule_tensor, false, 0, 0, 2, 2, .most = 1 },
	{ "any", .apply = rule_any },
	{ "ones ones_like zero_ zeros zeros_like", rule_fill, true, .most = 1 },
	{ "fill_", rule_fill, true, .most = 2 },
	{ "full", rule_fill, true, .most = 2, .sizes = true },
	{ "celu elu elu_ hardshrink hardtanh hardtanh_ leaky_relu leaky_relu_"
	  " logsigmoid prelu relu relu_ relu6 rrelu rrelu_ selu sigmoid"
	  " softplus softshrink softsign tanh tanhshrink threshold threshold_",
	    rule_tensor, false, 1, 1, 2, 3, .by = ARG_UNNAMED },
};

bool
pyprof_rule_apply(struct pyprof_call *c, struct mview mod, struct mview op,
    struct pyprof_result *r)
{
	size_t i;

	if (mv_eq(op, "linear"))
		return rule_linear(c, r);
	if (mv_eq(op, "forward") && is_word_of(mod, "LSTMCell GRUCell"))
		return rule_cell(c, r);
	if (is_word_of(op, "conv1d conv2d"))
		return rule_conv(c, r);
	if (pointwise_group(op) != 0)
		return rule_pointwise(c, r);
	for (i = 0; i < ARRAY_LEN(rules); i++) {
		c->rule = &rules[i];
		if (is_word_of(op, c->rule->ops) && (c->last || !c->rule->last))
			return c->rule->apply(c, r);
	}
	return rule_other(c, r);
}
