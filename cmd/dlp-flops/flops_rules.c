/*
 * Finds the rule of an op: the table of ops that are counted by a function, and
 * the way from an op's name to a row of it and to the rules in text.
 */
#include <string.h>

#include "array.h"
#include "flops_rules.h"

#define ONE "T=#0,@0" /* PyProf: first argument's shape and type */
#define POINT "T=*,&" /* PyProf: element-wise */

/* Members of initializers need no parentheses.
 * NOLINTBEGIN(bugprone-macro-parentheses) */
/* clang-format off */
#define GEMM(o, first, fn) \
	{ .op = o, .family = FAM_GEMM, .count = gemm_count, .arg = first, \
	  .params = fn }
#define GEMM_SPEC(o, first, s) \
	{ .op = o, .family = FAM_GEMM, .count = gemm_count, .arg = first, \
	  .spec = s }
#define GEMV(o, first) \
	{ .op = o, .family = FAM_GEMV, .count = gemm_count, .arg = first }
#define GROUPED(o) \
	{ .op = o, .family = FAM_GEMM, .count = grouped_count }
#define CONV(o, flags, fn) \
	{ .op = o, .family = FAM_CONV, .count = conv_count, .arg = flags, \
	  .params = fn, .bwd = "onvolution" }
#define CONV_BWD(o) \
	{ .op = o, .family = FAM_CONV, .count = conv_count, \
	  .arg = CONV_BACKWARD }
#define SDPA(o, flags) \
	{ .op = o, .family = FAM_ATTENTION, .count = attention_count, \
	  .arg = flags }
#define CELL(o, weight, fn) \
	{ .op = o, .family = FAM_GEMM, .count = cell_count, .arg = weight, \
	  .params = fn }
#define RNN(o) { .op = o, .family = FAM_RNN, .count = rnn_count }
#define IS(o, fam, s) { .op = o, .family = fam, .spec = s }
#define PW(o) IS(o, FAM_POINTWISE, POINT)
/* clang-format on */
/* NOLINTEND(bugprone-macro-parentheses) */

/*
 * One row per op type. Types of PyProf's markers and of emit_nvtx (aten::linear
 * is linear) share a row if their arguments are in the same order. The rows
 * with IS and PW have no function: they give the op's family and PyProf's way
 * to print it, while flops.rules counts it.
 */
static const struct flops_rule table[] = {
	/* products; the number is the place of the left operand */
	GEMM("linear", GEMM_LINEAR, linear_params),
	GEMM("mm", 0, mm_params),
	{ .op = "_int_mm",
	    .family = FAM_GEMM_INT,
	    .count = gemm_count,
	    .params = mm_params },
	GEMM("_scaled_mm", 0, mm_params),
	GROUPED("_grouped_mm"),
	GROUPED("_scaled_grouped_mm"),
	GEMM("addmm", 1, addmm_params),
	GEMM("addmm_", 1, addmm_params),
	GEMM("_addmm_activation", 1, addmm_params),
	GEMM("bmm", 0, bmm_params),
	GEMM("baddbmm", 1, NULL),
	GEMM("addbmm", 1, NULL),
	GEMM("addbmm_", 1, NULL),
	GEMM("baddbmm_", 1, NULL),
	GEMM_SPEC("matmul", 0, "A=#0,B=#1,@0"),
	GEMM_SPEC("__matmul__", 0, "A=#0,B=#1,@0"),
	GEMM("linalg_matmul", 0, NULL),
	GEMV("mv", 0),
	GEMV("addmv", 1),
	GEMV("addmv_", 1),
	GEMV("dot", 0),
	GEMV("vdot", 0),

	{ .op = "einsum",
	    .family = FAM_GEMM,
	    .count = einsum_count,
	    .bwd = "Bmm" },
	{ .op = "triton_tem", .family = FAM_GEMM_FUSED, .count = triton_count },

	CONV("conv1d", 0, conv_params),
	CONV("conv2d", 0, conv_params),
	CONV("conv3d", 0, NULL),
	CONV("convolution", 0, NULL),
	CONV("_convolution", 0, NULL),
	CONV("cudnn_convolution", 0, NULL),
	CONV("thnn_conv2d", 0, NULL),
	CONV("_conv_depthwise2d", 0, NULL),
	CONV("conv_depthwise3d", 0, NULL),
	CONV("convolution_overrideable", 0, NULL),
	CONV("cudnn_convolution_relu", 0, NULL),
	CONV("cudnn_convolution_add_relu", 0, NULL),
	CONV("_slow_conv2d_forward", 0, NULL),
	CONV("slow_conv_dilated2d", 0, NULL),
	CONV("slow_conv_dilated3d", 0, NULL),
	CONV("cudnn_convolution_transpose", CONV_TRANSPOSED, NULL),
	CONV("slow_conv_transpose2d", CONV_TRANSPOSED, NULL),
	CONV("slow_conv_transpose3d", CONV_TRANSPOSED, NULL),
	CONV_BWD("convolution_backward"),
	CONV_BWD("convolution_backward_overrideable"),
	CONV("conv_transpose1d", CONV_TRANSPOSED, NULL),
	CONV("conv_transpose2d", CONV_TRANSPOSED, NULL),
	CONV("conv_transpose3d", CONV_TRANSPOSED, NULL),

	SDPA("scaled_dot_product_attention", 0),
	SDPA("_scaled_dot_product_flash_attention", 0),
	SDPA("_scaled_dot_product_efficient_attention", 0),
	SDPA("_scaled_dot_product_cudnn_attention", 0),
	SDPA("_scaled_dot_product_fused_attention_overrideable", 0),
	SDPA("_scaled_dot_product_flash_attention_backward", ATTN_BACKWARD),
	SDPA("_scaled_dot_product_efficient_attention_backward", ATTN_BACKWARD),
	SDPA("_scaled_dot_product_cudnn_attention_backward", ATTN_BACKWARD),
	SDPA("_scaled_dot_product_fused_attention_overrideable_backward",
	    ATTN_BACKWARD),
	SDPA("_flash_attention_forward", ATTN_ROWS),
	SDPA("_flash_attention_backward", ATTN_ROWS | ATTN_BACKWARD),
	SDPA("_efficient_attention_forward", ATTN_ROWS),
	SDPA("_efficient_attention_backward", ATTN_ROWS | ATTN_BACKWARD),
	SDPA("_flash_attn_forward", ATTN_ROWS),
	SDPA("_flash_attn_backward", ATTN_ROWS | ATTN_BACKWARD),
	IS("multi_head_attention_forward", FAM_ATTENTION, NULL),

	CELL("LSTMCell.forward", 0, cell_params),
	CELL("GRUCell.forward", 0, cell_params),
	CELL("RNNCell.forward", 0, cell_params),
	CELL("lstm_cell", 3, NULL),
	CELL("gru_cell", 2, NULL),
	CELL("rnn_tanh_cell", 2, NULL),
	CELL("rnn_relu_cell", 2, NULL),
	RNN("lstm"),
	RNN("gru"),
	RNN("rnn_tanh"),
	RNN("rnn_relu"),
	RNN("_cudnn_rnn"),
	RNN("LSTM.forward"),
	RNN("GRU.forward"),
	RNN("RNN.forward"),

	/* element-wise ops of PyProf's list; in-place variants and operators
	 * count as the function does */
	PW("abs"),
	PW("abs_"),
	PW("__abs__"),
	PW("neg"),
	PW("neg_"),
	PW("__neg__"),
	PW("reciprocal"),
	PW("reciprocal_"),
	PW("__invert__"),
	PW("ceil"),
	PW("ceil_"),
	PW("clamp"),
	PW("clamp_"),
	PW("floor"),
	PW("floor_"),
	PW("frac"),
	PW("frac_"),
	PW("round"),
	PW("round_"),
	PW("sign"),
	PW("sign_"),
	PW("trunc"),
	PW("trunc_"),
	PW("add"),
	PW("add_"),
	PW("__add__"),
	PW("__radd__"),
	PW("__iadd__"),
	PW("sub"),
	PW("sub_"),
	PW("__sub__"),
	PW("__rsub__"),
	PW("__isub__"),
	PW("mul"),
	PW("mul_"),
	PW("__mul__"),
	PW("__rmul__"),
	PW("__imul__"),
	PW("div"),
	PW("div_"),
	PW("__truediv__"),
	PW("__rdiv__"),
	PW("__rtruediv__"),
	PW("__itruediv__"),
	PW("__floordiv__"),
	PW("__rfloordiv__"),
	PW("__and__"),
	PW("__or__"),
	PW("__xor__"),
	PW("__lshift__"),
	PW("__rshift__"),
	PW("__iand__"),
	PW("__ior__"),
	PW("__ixor__"),
	PW("__ilshift__"),
	PW("__irshift__"),
	PW("lt"),
	PW("lt_"),
	PW("__lt__"),
	PW("gt"),
	PW("gt_"),
	PW("__gt__"),
	PW("ge"),
	PW("ge_"),
	PW("__ge__"),
	PW("le"),
	PW("le_"),
	PW("__le__"),
	PW("eq"),
	PW("eq_"),
	PW("__eq__"),
	PW("ne"),
	PW("ne_"),
	PW("__ne__"),
	PW("addcdiv"),
	PW("addcdiv_"),
	PW("addcmul"),
	PW("addcmul_"),
	PW("__mod__"),
	PW("fmod"),
	PW("fmod_"),
	PW("remainder"),
	PW("remainder_"),
	PW("pow"),
	PW("pow_"),
	PW("__pow__"),
	PW("__rpow__"),
	PW("exp"),
	PW("exp_"),
	PW("exp1m"),
	PW("exp1m_"),
	PW("log"),
	PW("log_"),
	PW("log10"),
	PW("log10_"),
	PW("log1p"),
	PW("log1p_"),
	PW("log2"),
	PW("log2_"),
	PW("rsqrt"),
	PW("rsqrt_"),
	PW("sqrt"),
	PW("sqrt_"),
	PW("acos"),
	PW("acos_"),
	PW("asin"),
	PW("asin_"),
	PW("atan"),
	PW("atan_"),
	PW("atan2"),
	PW("atan2_"),
	PW("cos"),
	PW("cos_"),
	PW("cosh"),
	PW("cosh_"),
	PW("sin"),
	PW("sin_"),
	PW("sinh"),
	PW("sinh_"),
	PW("tan"),
	PW("tan_"),
	PW("sigmoid"),
	PW("sigmoid_"),
	PW("tanh"),
	PW("tanh_"),
	PW("digamma"),
	PW("erf"),
	PW("erf_"),
	PW("erfc"),
	PW("erfc_"),
	PW("erfinv"),
	PW("erfinv_"),
	PW("lerp"),
	PW("lerp_"),
	PW("mvlgamma"),

	/* PyProf's activations */
	IS("celu", FAM_POINTWISE, ONE),
	IS("elu", FAM_POINTWISE, ONE),
	IS("elu_", FAM_POINTWISE, ONE),
	IS("hardshrink", FAM_POINTWISE, ONE),
	IS("hardtanh", FAM_POINTWISE, ONE),
	IS("hardtanh_", FAM_POINTWISE, ONE),
	IS("leaky_relu", FAM_POINTWISE, ONE),
	IS("leaky_relu_", FAM_POINTWISE, ONE),
	IS("logsigmoid", FAM_POINTWISE, ONE),
	IS("prelu", FAM_POINTWISE, ONE),
	IS("relu", FAM_POINTWISE, ONE),
	IS("relu_", FAM_POINTWISE, ONE),
	IS("relu6", FAM_POINTWISE, ONE),
	IS("rrelu", FAM_POINTWISE, ONE),
	IS("rrelu_", FAM_POINTWISE, ONE),
	IS("selu", FAM_POINTWISE, ONE),
	IS("softplus", FAM_POINTWISE, ONE),
	IS("softshrink", FAM_POINTWISE, ONE),
	IS("softsign", FAM_POINTWISE, ONE),
	IS("tanhshrink", FAM_POINTWISE, ONE),
	IS("threshold", FAM_POINTWISE, ONE),
	IS("threshold_", FAM_POINTWISE, ONE),

	IS("embedding", FAM_EMBEDDING, "I=#0,@0E=#1,@1"),
	IS("softmax", FAM_SOFTMAX, ONE),
	IS("log_softmax", FAM_SOFTMAX, ONE),
	IS("dropout", FAM_DROPOUT, ONE),
	IS("batch_norm", FAM_NORM, ONE),
	IS("layer_norm", FAM_NORM, NULL),
	IS("group_norm", FAM_NORM, NULL),
	IS("instance_norm", FAM_NORM, NULL),
	IS("rms_norm", FAM_NORM, NULL),
	IS("sum", FAM_REDUCE, ONE),
	IS("mean", FAM_REDUCE, ONE),
	IS("norm", FAM_REDUCE, ONE),
	IS("any", FAM_REDUCE, ONE),
	IS("mse_loss", FAM_LOSS, "T=#0,@0red=%2,"),
	IS("adam", FAM_OPTIMIZER, "T=#0,@0@4"),
	IS("randperm", FAM_INDEX, "N=%0,"),

	IS("byte", FAM_COPY, "T=#0,@0="),
	IS("char", FAM_COPY, "T=#0,@0="),
	IS("double", FAM_COPY, "T=#0,@0="),
	IS("float", FAM_COPY, "T=#0,@0="),
	IS("half", FAM_COPY, "T=#0,@0="),
	IS("int", FAM_COPY, "T=#0,@0="),
	IS("long", FAM_COPY, "T=#0,@0="),
	IS("short", FAM_COPY, "T=#0,@0="),
	IS("to", FAM_COPY, "T=#0,@0@0"),
	IS("copy_", FAM_COPY, "T=#1,@1@0"),
	IS("clone", FAM_COPY, ONE),
	IS("contiguous", FAM_COPY, ONE),
	IS("reshape", FAM_COPY, ONE),
	IS("gather", FAM_INDEX, ONE),
	IS("nonzero", FAM_INDEX, ONE),
	IS("masked_scatter_", FAM_INDEX, ONE),
	IS("masked_select", FAM_INDEX, "T=#0,M=#1,@0"),
	IS("index_select", FAM_INDEX, "T=#0,D=%1,I=^2,@0"),
	IS("cat", FAM_INDEX, "T=+,@0"),
};

/* The row of an op type; NULL if it has none. */
static const struct flops_rule *
built_in(const char *op, size_t n)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(table); i++)
		if (text_is(op, n, table[i].op))
			return &table[i];
	return NULL;
}

/* The rows of an op; an in-place op, add_, has those of add if it has none of
 * its own. */
static const struct rule_row *
rows_or_in_place(struct flops_rules *rules, bool user, const char *op, size_t n)
{
	const struct rule_row *r = rows_of(rules, user, op, n);

	if (r == NULL && n > 1 && op[n - 1] == '_')
		r = rows_of(rules, user, op, n - 1);
	return r;
}

static void
take_waits(struct flops_rule *rule, const struct rule_row *rows)
{
	for (; rows != NULL; rows = rows->next)
		if (rows->waits != NULL)
			rule->bwd = rows->waits;
}

/* Joins a row of the table, or NULL, with the rules in text; NULL if there is
 * neither. */
static struct flops_rule *
combine(struct flops_rules *rules, const struct flops_rule *base,
    const char *op, size_t n)
{
	const struct rule_row *user = rows_or_in_place(rules, true, op, n);
	const struct rule_row *rows = rows_or_in_place(rules, false, op, n);
	struct flops_rule *rule;

	if (base == NULL && user == NULL && rows == NULL)
		return NULL;
	rule = xcalloc(1, sizeof(*rule));
	if (base != NULL)
		*rule = *base;
	else
		rule->family = user != NULL ? user->family : rows->family;
	rule->user = user;
	rule->rows = rows;
	take_waits(rule, rows);
	take_waits(rule, user);
	return rule;
}

/* Appends the forward's name for that of a backward whose forward was not
 * found: native_layer_norm for NativeLayerNorm. */
static void
put_snake_case(struct buf *b, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (s[i] < 'A' || s[i] > 'Z') {
			buf_putc(b, s[i]);
		} else {
			if (i > 0 && s[i - 1] >= 'a' && s[i - 1] <= 'z')
				buf_putc(b, '_');
			buf_putc(b, (char)(s[i] - 'A' + 'a'));
		}
}

/* The rule of an op together with its module: torch.nn.functional.embedding,
 * LSTMCell.forward, myext::fused_mlp; NULL if there is none. */
static struct flops_rule *
find_in_module(struct flops_rules *rules, const char *mod, size_t nmod,
    const char *sep, const char *op, size_t n)
{
	struct buf *full = &rules->name;
	struct flops_rule *r;
	const struct flops_rule *b;

	if (nmod == 0)
		return NULL;
	buf_clear(full);
	buf_put(full, mod, nmod);
	buf_puts(full, sep);
	buf_put(full, op, n);
	b = built_in(full->s, full->len);
	if (b == NULL && rows_of(rules, true, full->s, full->len) == NULL &&
	    rows_of(rules, false, full->s, full->len) == NULL)
		return NULL;
	/* the rules of the plain name apply where it has none */
	r = combine(rules, b != NULL ? b : built_in(op, n), full->s, full->len);
	if (b == NULL) /* comm::gather is communication, gather indexing */
		r->family = r->user != NULL ? r->user->family : r->rows->family;
	if (r->user == NULL)
		r->user = rows_or_in_place(rules, true, op, n);
	if (r->rows == NULL)
		r->rows = rows_or_in_place(rules, false, op, n);
	return r;
}

static struct flops_rule *
find_plain(struct flops_rules *rules, const char *op, size_t n)
{
	return combine(rules, built_in(op, n), op, n);
}

/* The rule of an op with its module or without; otherwise of the op that it is
 * the in-place variant of, or of the forward that a backward's name contains.
 */
static struct flops_rule *
find_any(struct flops_rules *rules, const char *mod, size_t nmod,
    const char *op, size_t n)
{
	struct flops_rule *r;

	if (n > 11 && memcmp(op, "triton_tem_", 11) == 0)
		n = 10; /* the rest names the op and its number */
	r = find_in_module(rules, mod, nmod, ".", op, n);
	if (r == NULL)
		r = find_in_module(rules, mod, nmod, "::", op, n);
	if (r == NULL)
		r = find_plain(rules, op, n);
	if (r == NULL && n > 1 && op[n - 1] == '_')
		r = find_plain(rules, op, n - 1);
	if (r == NULL && n > 0 && *op >= 'A' && *op <= 'Z') {
		buf_clear(&rules->name);
		put_snake_case(&rules->name, op, n);
		r = find_plain(rules, rules->name.s, rules->name.len);
	}
	return r;
}

/* The same ops occur with many sizes, so each name is looked up once. */
const struct flops_rule *
rule_find(struct flops_rules *rules, const char *mod, size_t nmod,
    const char *op, size_t nop)
{
	struct flops_rule *r;
	uint32_t id;
	bool fresh;

	buf_clear(&rules->key);
	if (nmod > 0)
		buf_put(&rules->key, mod, nmod);
	buf_putc(&rules->key, '\0');
	buf_put(&rules->key, op, nop);
	id = smap_put(&rules->by_op, rules->key.s, rules->key.len, &fresh);
	if (fresh) {
		r = find_any(rules, mod, nmod, op, nop);
		ARRAY_GROW(rules->found, rules->nfound, rules->cap);
		rules->found[rules->nfound++] = r;
		rules->by_op.val[id] = rules->nfound;
	}
	return rules->found[rules->by_op.val[id] - 1];
}
