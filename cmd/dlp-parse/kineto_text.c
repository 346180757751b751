/*
 * The text of a range after its name and numbers, as emit_nvtx writes it or
 * would write it: sizes, the size of a convolution's result, types, inputs, and
 * the message and process group of a collective.
 */
#include <string.h>

#include "array.h"
#include "kineto.h"
#include "num.h"
#include "shipped.h"
#include "usercode.h"

/* Appends the sizes of one input: [2, 3]. A list of tensors is written one
 * tensor after the other, as emit_nvtx does. */
static void
put_sizes(struct mview list, struct buf *b, bool *any)
{
	const char *p = list.s + 1;
	struct mview v;
	bool more;

	if (list.s[0] != '[')
		return;
	more = kineto_list_next(&p, &v);
	if (more && v.s[0] == '[') {
		for (; more; more = kineto_list_next(&p, &v))
			put_sizes(v, b, any);
		return;
	}
	buf_puts(b, *any ? ", [" : "[");
	*any = true;
	while (more) {
		buf_put(b, v.s, v.n);
		more = kineto_list_next(&p, &v);
		if (more)
			buf_puts(b, ", ");
	}
	buf_putc(b, ']');
}

/* Appends ", sizes = [[2, 3], []]". */
static void
put_all_sizes(const struct kineto_loader *l, struct buf *b)
{
	const char *p = kineto_list(l, KF_DIMS);
	struct mview v;
	bool any = false;

	buf_puts(b, ", sizes = [");
	while (p != NULL && kineto_list_next(&p, &v))
		put_sizes(v, b, &any);
	buf_putc(b, ']');
}

/*
 * The size of a convolution's result. It follows from the scalars, which
 * emit_nvtx does not write: there it comes with the range that reads the result
 * (input_op_ids), which torch.profiler does not write.
 *
 *	aten::convolution(input, weight, bias, stride, padding, dilation,
 *	    transposed, output_padding, groups)
 */
#define CONV_DIMS 5

struct conv_event {
	int64_t in[CONV_DIMS], weight[CONV_DIMS], out[CONV_DIMS];
	int64_t stride[CONV_DIMS], pad[CONV_DIMS], dil[CONV_DIMS];
	int64_t extra[CONV_DIMS], groups[CONV_DIMS];
	int n;
	bool transposed;
};

/* The numbers of "[1, 2]", "(1, 2)" or "1"; returns how many, 0 if it is no
 * such text. */
static int
list_of(struct mview v, int64_t *out)
{
	const char *p = v.s, *e = v.s + v.n, *q;
	int n = 0;

	for (; p < e && n < CONV_DIMS; p = q) {
		while (p < e && strchr("([, \n\r\t", *p) != NULL)
			p++;
		for (q = p; q < e && strchr(")], \n\r\t", *q) == NULL; q++)
			;
		if (q == p)
			break;
		if (!num_i64(p, (size_t)(q - p), &out[n]) || out[n] < 0 ||
		    out[n] > INT32_MAX)
			return 0;
		n++;
	}
	return n;
}

static bool
conv_result(struct conv_event *c)
{
	int64_t span;
	int i, k;

	c->out[0] = c->in[0];
	c->out[1] = c->transposed ? c->weight[1] * c->groups[0] : c->weight[0];
	for (i = 2; i < c->n; i++) {
		k = i - 2;
		span = c->dil[k] * (c->weight[i] - 1) + 1;
		if (c->stride[k] == 0 || c->weight[i] == 0)
			return false;
		if (c->transposed)
			c->out[i] = (c->in[i] - 1) * c->stride[k] -
				    2 * c->pad[k] + span + c->extra[k];
		else if (c->in[i] + 2 * c->pad[k] < span)
			return false;
		else
			c->out[i] =
			    (c->in[i] + 2 * c->pad[k] - span) / c->stride[k] +
			    1;
		if (c->out[i] <= 0)
			return false;
	}
	return true;
}

/* A list that holds one number for all dimensions, or one for each. */
static bool
spatial(const struct kineto_loader *l, int i, int n, int64_t *out)
{
	int k = list_of(kineto_element(l, KF_CONCRETE, i), out);

	if (k == 0)
		return false;
	for (; k < n; k++)
		out[k] = out[k - 1];
	return true;
}

/* Appends ", result = [64, 32, 62, 62]". */
static void
put_result(const struct kineto_loader *l, struct buf *b)
{
	struct conv_event c;
	int i;

	c.n = list_of(kineto_element(l, KF_DIMS, 1), c.weight);
	if (c.n < 3 || list_of(kineto_element(l, KF_DIMS, 0), c.in) != c.n)
		return;
	c.transposed = mv_eq(kineto_element(l, KF_CONCRETE, 6), "True");
	if (!spatial(l, 3, c.n, c.stride) || !spatial(l, 4, c.n, c.pad) ||
	    !spatial(l, 5, c.n, c.dil) || !spatial(l, 7, c.n, c.extra) ||
	    !spatial(l, 8, 1, c.groups) || !conv_result(&c))
		return;
	buf_puts(b, ", result = ");
	for (i = 0; i < c.n; i++)
		buf_printf(
		    b, "%s%lld", i > 0 ? ", " : "[", (long long)c.out[i]);
	buf_putc(b, ']');
}

/* The name that Input type has for a type of PyTorch; s is NULL if it is no
 * short name. */
static struct mview
tensor_type(struct mview v)
{
	return vocab_find("cpp-short", v.s, v.n);
}

/* Appends ", types = [c10::BFloat16, , Scalar]", which emit_nvtx leaves out. */
static void
put_types(const struct kineto_loader *l, struct buf *b)
{
	const char *p = kineto_list(l, KF_TYPES);
	struct mview v, type;
	bool any = false;

	if (p == NULL)
		return;
	buf_puts(b, ", types = [");
	for (; kineto_list_next(&p, &v); any = true) {
		buf_puts(b, any ? ", " : "");
		type = tensor_type(v);
		v = type.s != NULL ? type : v;
		buf_put(b, v.s, v.n);
	}
	buf_putc(b, ']');
}

/* Appends the element of a list, or nothing if the list is shorter. A list of
 * numbers may be written in several lines: it becomes [2, 3]. */
static void
put_element(const char **p, const char *key, bool quoted, struct buf *b)
{
	struct mview v;
	size_t i;

	if (*p == NULL || !kineto_list_next(p, &v)) {
		*p = NULL;
		return;
	}
	buf_printf(b, ",\"%s\":%s", key, quoted ? "\"" : "");
	for (i = 0; i < v.n; i++) {
		if (quoted || strchr(" \n\r\t", v.s[i]) == NULL)
			buf_putc(b, v.s[i]);
		if (!quoted && v.s[i] == ',')
			buf_putc(b, ' ');
	}
	if (quoted)
		buf_putc(b, '"');
}

/* What an input is, by its type: a tensor has the type of its elements. */
static const char *
input_kind(struct mview type)
{
	static const char *const others[] = { "Scalar", "ScalarList",
		"TensorList", "GenericList", "Device" };
	size_t i;

	if (type.n == 0)
		return "NoneType";
	for (i = 0; i < ARRAY_LEN(others); i++)
		if (mv_eq(type, others[i]))
			return others[i];
	return "tensor";
}

/* What a launch of Triton says of itself beside its inputs: how the kernel was
 * tuned, its grid, and the file that it is in. */
static const struct {
	const char *name;
	int field;
} launch_args[] = {
	{ "kernel_kwargs", KF_KWARGS },
	{ "grid", KF_GRID },
	{ "num_warps", KF_WARPS },
	{ "num_stages", KF_STAGES },
	{ "kernel_file", KF_KERNEL_FILE },
};

static bool
is_launch(const struct kineto_loader *l)
{
	return kineto_field_is(l, KF_BACKEND, "triton");
}

/* The folder of a file is left out, because it names the user. */
static struct mview
launch_arg(const struct kineto_loader *l, size_t i)
{
	struct mview v = l->ev.field[launch_args[i].field];

	if (launch_args[i].field == KF_KERNEL_FILE && v.s != NULL)
		v = usercode_base(v);
	return v;
}

static void
put_launch_args(const struct kineto_loader *l, struct buf *b)
{
	struct mview v;
	size_t i;

	for (i = 0; i < ARRAY_LEN(launch_args); i++) {
		v = launch_arg(l, i);
		if (v.s == NULL || v.n == 0 || v.s[0] == '[')
			continue;
		buf_printf(b, ",{\"name\":\"%s\",\"type\":\"str\",\"value\":\"",
		    launch_args[i].name);
		buf_put(b, v.s, v.n);
		buf_puts(b, "\"}");
	}
}

/* Appends ", inputs = [{"name":"","type":"tensor","shape":[2,3],...}]", for
 * --inputs and Triton: arguments as a marker of PyProf has them. A value is the
 * text that the profiler wrote; it is empty for types whose values it does not
 * write. */
static void
put_inputs(const struct kineto_loader *l, struct buf *b)
{
	const char *types = kineto_list(l, KF_TYPES),
		   *dims = kineto_list(l, KF_DIMS),
		   *strides = kineto_list(l, KF_STRIDES),
		   *values = kineto_list(l, KF_CONCRETE);
	struct mview type;
	int i;

	if (types == NULL)
		return;
	buf_puts(b, ", inputs = [");
	for (i = 0; kineto_list_next(&types, &type); i++) {
		buf_printf(b, "%s{\"name\":\"\",\"type\":\"%s\",\"dtype\":\"",
		    i > 0 ? "," : "", input_kind(type));
		buf_put(b, type.s, type.n);
		buf_putc(b, '"');
		put_element(&dims, "shape", false, b);
		put_element(&strides, "stride", false, b);
		put_element(&values, "value", true, b);
		buf_putc(b, '}');
	}
	if (i > 0 && is_launch(l))
		put_launch_args(l, b);
	buf_putc(b, ']');
}

/* The place of is_causal in the arguments of PyTorch's fused attention. */
static bool
is_causal(const struct kineto_loader *l)
{
	static const struct {
		const char *op;
		int place;
	} ops[] = {
		{ "aten::scaled_dot_product_attention", 5 },
		{ "aten::_scaled_dot_product_cudnn_attention", 6 },
		{ "aten::_scaled_dot_product_cudnn_attention_backward", 14 },
		{ "aten::_scaled_dot_product_efficient_attention", 6 },
		{ "aten::_scaled_dot_product_efficient_attention_backward",
		    11 },
		{ "aten::_scaled_dot_product_flash_attention", 4 },
		{ "aten::_scaled_dot_product_flash_attention_backward", 11 },
		{ "aten::_flash_attention_forward", 8 },
		{ "aten::_flash_attention_backward", 11 },
	};
	size_t i;

	if (mv_find(l->ev.field[KF_NAME], "attention") == NULL)
		return false;
	for (i = 0; i < ARRAY_LEN(ops); i++)
		if (kineto_field_is(l, KF_NAME, ops[i].op))
			return mv_eq(
			    kineto_element(l, KF_CONCRETE, ops[i].place),
			    "True");
	return false;
}

bool
kineto_moves(const struct kineto_loader *l, int64_t *n)
{
	int64_t in, out;

	return kineto_field_int(l, KF_COMM_GROUP, n) && *n > 0 &&
	       kineto_field_int(l, KF_COMM_IN, &in) &&
	       kineto_field_int(l, KF_COMM_OUT, &out) && (in > 0 || out > 0);
}

/* The text of a record_param_comms whose inputs were not recorded: what it says
 * of the message, the result first, as in the inputs of c10d's ops. */
static int64_t
message_id(struct kineto_loader *l)
{
	struct buf *b = &l->tmp;
	struct mview type = tensor_type(l->ev.field[KF_COMM_TYPE]);
	int64_t in, out;

	if (type.s == NULL || !kineto_field_int(l, KF_COMM_IN, &in) ||
	    !kineto_field_int(l, KF_COMM_OUT, &out) || in <= 0 || out <= 0)
		return EV_UNSET;
	buf_clear(b);
	buf_printf(b, ", sizes = [[%lld], [%lld]], types = [%.*s]",
	    (long long)out, (long long)in, (int)type.n, type.s);
	return (int64_t)smap_put(&l->k->texts, b->s, b->len, NULL);
}

/* True if the sizes of lists of tensors are missing: PyTorch writes those of at
 * most 30 tensors. */
static bool
lacks_sizes(const struct kineto_loader *l)
{
	const char *p = kineto_list(l, KF_DIMS);
	const char *q = kineto_list(l, KF_TYPES);
	struct mview dims, type;
	bool any = false;

	while (p != NULL && q != NULL && kineto_list_next(&q, &type) &&
	       kineto_list_next(&p, &dims))
		if (mv_eq(type, "TensorList")) {
			if (!mv_eq(dims, "[]"))
				return false;
			any = true;
		}
	return any;
}

/* What put_inputs() writes beside sizes and types. */
static void
put_inputs_key(const struct kineto_loader *l, struct buf *b)
{
	static const int fields[] = { KF_STRIDES, KF_CONCRETE };
	struct mview v;
	size_t i;

	for (i = 0; i < ARRAY_LEN(fields); i++) {
		v = l->ev.field[fields[i]];
		buf_put(b, v.s != NULL ? v.s : "", v.n);
	}
	for (i = 0; is_launch(l) && i < ARRAY_LEN(launch_args); i++) {
		v = launch_arg(l, i);
		buf_putc(b, ';');
		buf_put(b, v.s != NULL ? v.s : "", v.n);
	}
}

/* The number of the text of an op after its name and numbers. It is made once
 * for each list of sizes as the file has it. */
static int64_t
sizes_id(struct kineto_loader *l)
{
	bool conv = kineto_field_is(l, KF_NAME, "aten::convolution") ||
		    kineto_field_is(l, KF_NAME, "aten::_convolution");
	struct mview dims = l->ev.field[KF_DIMS], types = l->ev.field[KF_TYPES],
		     scalars = l->ev.field[KF_CONCRETE];
	struct buf *b = &l->tmp;
	bool causal = is_causal(l);
	bool with_inputs = l->k->wish->inputs || is_launch(l);
	uint32_t id;

	if (kineto_list(l, KF_DIMS) == NULL)
		return message_id(l);
	buf_clear(b);
	buf_put(b, dims.s, dims.n);
	if (types.s != NULL)
		buf_put(b, types.s, types.n);
	if (conv && scalars.s != NULL) {
		buf_putc(b, 'c');
		buf_put(b, scalars.s, scalars.n);
	}
	if (causal)
		buf_putc(b, 'm');
	if (with_inputs)
		put_inputs_key(l, b);
	id = smap_put(&l->raws, b->s, b->len, NULL);
	if (l->raws.val[id] == 0) {
		buf_clear(b);
		put_all_sizes(l, b);
		if (conv)
			put_result(l, b);
		if (causal)
			buf_puts(b, ", is_causal = [True]");
		put_types(l, b);
		if (with_inputs)
			put_inputs(l, b);
		l->raws.val[id] =
		    2 * (smap_put(&l->k->texts, b->s, b->len, NULL) +
			    UINT64_C(1)) +
		    lacks_sizes(l);
	}
	l->k->lists += l->raws.val[id] & 1;
	return (int64_t)(l->raws.val[id] / 2) - 1;
}

/* That of a record_param_comms has its process group, too: the name, the
 * description, the size, the ranks; and the splits of both sides. Texts are as
 * they are in the file. */
int64_t
kineto_op_text(struct kineto_loader *l)
{
	int64_t rest = sizes_id(l);
	static const int field[] = { KF_COMM_NAME, KF_COMM_DESC, KF_COMM_GROUP,
		KF_COMM_RANKS, KF_COMM_SPLIT_IN, KF_COMM_SPLIT_OUT };
	struct buf *b = &l->tmp;
	struct mview v, old = { "", 0 };
	const char *last; /* inputs come last */
	size_t i;

	if (!kineto_field_is(l, KF_NAME, "record_param_comms") ||
	    l->ev.field[KF_COMM_NAME].s == NULL ||
	    !kineto_moves(l, &(int64_t){ 0 }))
		return rest;
	l->k->groups = true;
	if (rest != EV_UNSET)
		old.s = smap_str(&l->k->texts, (uint32_t)rest, &old.n);
	last = mv_find(old, ", inputs = [");
	v = last != NULL ? mv(old.s, last) : old;
	buf_clear(b);
	buf_put(b, v.s, v.n);
	buf_puts(b, ", comm = [");
	for (i = 0; i < ARRAY_LEN(field); i++) {
		v = l->ev.field[field[i]];
		buf_puts(b, i > 0 ? ", \"" : "\"");
		if (v.s != NULL)
			buf_put(b, v.s, v.n);
		buf_putc(b, '"');
	}
	buf_putc(b, ']');
	if (last != NULL)
		buf_put(b, last, (size_t)(old.s + old.n - last));
	return (int64_t)smap_put(&l->k->texts, b->s, b->len, NULL);
}
