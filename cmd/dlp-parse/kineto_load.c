/*
 * The loader of torch.profiler's traces: events of JSON become rows of a
 * temporary database, which SQLite keeps in a file. Texts that repeat (names,
 * lists of sizes) are numbers there. The tables' columns are listed below.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "err.h"
#include "json_tok.h"
#include "kineto.h"
#include "namecache.h"
#include "num.h"
#include "schema.h"
#include "sqldb.h"
#include "usercode.h"
#include "varint.h"

#define HEAD_TOKENS (1u << 17) /* those of 4000 devices */

/*
 * Times are ns. A row has columns for what SQL is asked for, and its other
 * numbers in one value, in the order in which the dialect reads them: a row of
 * a few columns costs SQLite half as much.
 */
static const char tables[] =
    "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
    "CREATE TABLE kineto_op (ts, dur, row);"
    "CREATE TABLE kineto_call (ts, dur, corr, pid, row);"
    "CREATE TABLE kineto_kern (ts, dur, corr, row, node);"
    "CREATE TABLE kineto_copy (ts, dur, corr, row, node);"
    "CREATE TABLE kineto_set (ts, dur, corr, row, node);"
    "CREATE TABLE kineto_sync (ts, dur, corr, row);"
    "CREATE TABLE kineto_event (corr INTEGER PRIMARY KEY ON CONFLICT IGNORE,"
    " row);"
    "CREATE TABLE kineto_mem (ts, dur, row);"
    "CREATE TABLE kineto_over (ts, dur, row);"
    "CREATE TABLE kineto_code (ts, dur, row);"
    "CREATE TABLE kineto_sample (ts, dur, row);"
    "CREATE TABLE kineto_node (ts, row);";

enum { /* the statements that insert into them */
	T_OP,
	T_CALL,
	T_KERN,
	T_COPY,
	T_SET,
	T_SYNC,
	T_EVENT,
	T_MEM,
	T_OVER,
	T_CODE,
	T_N
};

static const struct {
	const char *name;
	int cols;
} inserts[T_N] = {
	[T_OP] = { "kineto_op", 3 },
	[T_CALL] = { "kineto_call", 5 },
	[T_KERN] = { "kineto_kern (ts, dur, corr, row)", 4 },
	[T_COPY] = { "kineto_copy (ts, dur, corr, row)", 4 },
	[T_SET] = { "kineto_set (ts, dur, corr, row)", 4 },
	[T_SYNC] = { "kineto_sync", 4 },
	[T_EVENT] = { "kineto_event", 2 },
	[T_MEM] = { "kineto_mem", 3 },
	[T_OVER] = { "kineto_over", 3 },
	[T_CODE] = { "kineto_code", 3 },
};

struct loader {
	struct kineto *k;
	int64_t capture; /* the trace is that of --capture: the process that it
			  * is for; EV_UNSET: it is not */
	struct kineto_event ev;
	sqlite3_stmt *insert[T_N];
	struct smap raws; /* sizes as they are written; value: twice the text
			   * of the range that is made of them + 1, and 1 if
			   * sizes of a list are missing */
	int64_t pid, tid; /* of the last call */
	struct kineto_span code; /* the last row of kineto_code */
	struct buf tmp, row;
};

void
kineto_ok(const struct kineto *k, int rc)
{
	if (rc != SQLITE_OK && rc != SQLITE_DONE)
		die("a temporary database (set TMPDIR to a larger place): %s",
		    sqlite3_errmsg(k->db));
}

static void
loader_open(struct loader *l)
{
	struct buf b = { 0 };
	int i, t;

	kineto_ok(l->k, sqlite3_exec(l->k->db, "BEGIN", NULL, NULL, NULL));
	for (t = 0; t < T_N; t++) {
		buf_clear(&b);
		buf_printf(&b, "INSERT INTO %s VALUES (?", inserts[t].name);
		for (i = 1; i < inserts[t].cols; i++)
			buf_puts(&b, ",?");
		buf_putc(&b, ')');
		kineto_ok(l->k, sqlite3_prepare_v2(l->k->db, buf_str(&b), -1,
				    &l->insert[t], NULL));
	}
	buf_free(&b);
	kineto_event_init(&l->ev, l->k->wish->python);
	l->pid = l->tid = l->code.place = EV_UNSET;
}

/* An integer, also where it is written as a text; false if there is none. */
static bool
field_int(const struct loader *l, int f, int64_t *v)
{
	struct mview raw = l->ev.field[f];

	*v = EV_UNSET;
	return raw.s != NULL && num_i64(raw.s, raw.n, v);
}

/* The exponent of a number, at its e; 0 if there is none, false if it is none.
 */
static bool
parse_exponent(const char *p, const char *e, int64_t *exp)
{
	*exp = 0;
	if (p == e)
		return true;
	if (*p++ != 'e' && p[-1] != 'E')
		return false;
	p += p < e && *p == '+';
	return num_i64(p, (size_t)(e - p), exp) && *exp > -30 && *exp < 30;
}

/*
 * Microseconds with a fraction as nanoseconds, digit by digit, because a double
 * loses the last digits of times since 1970: 1428625748330.94 is
 * 1428625748330940. What is below a nanosecond is cut.
 */
static bool
parse_us(struct mview v, int64_t *ns)
{
	const char *p = v.s, *e = v.s + v.n;
	int64_t n = 0, exp, frac = 0, digits = 0;
	bool neg = p < e && *p == '-', point = false;

	for (p += neg; p < e && ((*p >= '0' && *p <= '9') || *p == '.'); p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		digits++;
		if (n > (INT64_MAX - 9) / 10) {
			if (!point)
				return false;
			continue;
		}
		n = n * 10 + (*p - '0');
		frac += point;
	}
	if (digits == 0 || !parse_exponent(p, e, &exp))
		return false;
	for (exp += 3 - frac; exp > 0; exp--)
		if (__builtin_mul_overflow(n, (int64_t)10, &n))
			return false;
	for (; exp < 0; exp++)
		n /= 10;
	*ns = neg ? -n : n;
	return true;
}

static bool
field_us(const struct loader *l, int f, int64_t *ns)
{
	struct mview raw = l->ev.field[f];

	*ns = EV_UNSET;
	return raw.s != NULL && parse_us(raw, ns);
}

/* The text of a field, without escapes; valid until the next call. */
static struct mview
field_text(struct loader *l, int f)
{
	struct mview raw = l->ev.field[f];

	if (raw.s == NULL || memchr(raw.s, '\\', raw.n) == NULL)
		return raw;
	buf_clear(&l->tmp);
	json_unescape_text(raw, &l->tmp);
	return mv(l->tmp.s, l->tmp.s + l->tmp.len);
}

static bool
field_is(const struct loader *l, int f, const char *text)
{
	return mv_eq(l->ev.field[f], text);
}

/* The number of a text; EV_UNSET if the field is missing. */
static int64_t
field_id(struct loader *l, int f)
{
	struct mview v = field_text(l, f);

	if (v.s == NULL)
		return EV_UNSET;
	return (int64_t)smap_put(&l->k->texts, v.s, v.n, NULL);
}

/* Inserting a row: columns are bound in their order, and numbers of the last
 * column are collected meanwhile. */

struct row {
	struct loader *l;
	sqlite3_stmt *st;
	int col;
};

static struct row
row_of(struct loader *l, int table)
{
	buf_clear(&l->row);
	return (struct row){ l, l->insert[table], 0 };
}

static void
row_col(struct row *r, int64_t v)
{
	r->col++;
	kineto_ok(r->l->k, v == EV_UNSET
			       ? sqlite3_bind_null(r->st, r->col)
			       : sqlite3_bind_int64(r->st, r->col, v));
}

static void
row_num(struct row *r, int64_t v)
{
	/* the number that stands for none becomes the smallest */
	varint_add(&r->l->row, varint_fold(v) + 1);
}

static void
row_field(struct row *r, int f)
{
	int64_t v;

	field_int(r->l, f, &v);
	row_num(r, v);
}

static void
row_put(struct row *r)
{
	struct buf *b = &r->l->row;
	int rc;

	kineto_ok(r->l->k, sqlite3_bind_blob(r->st, r->col + 1, buf_str(b),
			       (int)b->len, SQLITE_STATIC));
	rc = sqlite3_step(r->st);
	kineto_ok(r->l->k, rc);
	kineto_ok(r->l->k, sqlite3_reset(r->st));
}

/* Start and length. An event without a start cannot be placed. */
static bool
row_times(struct row *r)
{
	struct kineto *k = r->l->k;
	int64_t ts, dur;

	if (!field_us(r->l, KF_TS, &ts)) {
		k->bad++;
		return false;
	}
	field_us(r->l, KF_DUR, &dur);
	if (k->first == EV_UNSET || ts < k->first)
		k->first = ts;
	row_col(r, ts);
	row_col(r, dur);
	return true;
}

/* Threads: numbers, since torch 1.12; before, also texts of a number. */
static bool
field_thread(struct loader *l, int64_t *pid, int64_t *tid)
{
	if (field_int(l, KF_PID, pid) && field_int(l, KF_TID, tid)) {
		if (l->capture != EV_UNSET)
			*pid = l->capture;
		return true;
	}
	l->k->bad++;
	return false;
}

static bool
row_thread(struct row *r)
{
	int64_t pid, tid;

	if (!field_thread(r->l, &pid, &tid))
		return false;
	row_num(r, pid);
	row_num(r, tid);
	return true;
}

/* The next element of a list of JSON, which the reader has checked: *p is after
 * its bracket, or after the element before. False at the end. */
static bool
next_element(const char **p, struct mview *v)
{
	const char *s = *p;
	int depth = 0;
	bool text = false;

	while (strchr(" ,\n\r\t", *s) != NULL)
		s++;
	v->s = s;
	if (*s == ']')
		return false;
	do {
		if (text && *s == '\\')
			s++;
		else if (*s == '"')
			text = !text;
		else if (!text && (*s == '[' || *s == '{'))
			depth++;
		else if (!text && (*s == ']' || *s == '}'))
			depth--;
		s++;
	} while (depth > 0 || text || strchr(" ,]\n\r\t", *s) == NULL);
	*p = s;
	*v = mv(v->s, s);
	if (*v->s == '"')
		*v = mv(v->s + 1, s - 1);
	return true;
}

/* The start of a list's elements; NULL if the field is no list. */
static const char *
list_of_field(const struct loader *l, int f)
{
	struct mview v = l->ev.field[f];

	return v.s != NULL && v.s[0] == '[' ? v.s + 1 : NULL;
}

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
	more = next_element(&p, &v);
	if (more && v.s[0] == '[') {
		for (; more; more = next_element(&p, &v))
			put_sizes(v, b, any);
		return;
	}
	buf_puts(b, *any ? ", [" : "[");
	*any = true;
	while (more) {
		buf_put(b, v.s, v.n);
		more = next_element(&p, &v);
		if (more)
			buf_puts(b, ", ");
	}
	buf_putc(b, ']');
}

/* Appends ", sizes = [[2, 3], []]". */
static void
put_all_sizes(const struct loader *l, struct buf *b)
{
	const char *p = list_of_field(l, KF_DIMS);
	struct mview v;
	bool any = false;

	buf_puts(b, ", sizes = [");
	while (p != NULL && next_element(&p, &v))
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

struct conv {
	int64_t in[CONV_DIMS], weight[CONV_DIMS], out[CONV_DIMS];
	int64_t stride[CONV_DIMS], pad[CONV_DIMS], dil[CONV_DIMS];
	int64_t extra[CONV_DIMS], groups[CONV_DIMS];
	int n;
	bool transposed;
};

/* The numbers of "[1, 2]" or "1"; returns how many, 0 if it is no such text. */
static int
list_of(struct mview v, int64_t *out)
{
	const char *p = v.s, *e = v.s + v.n, *q;
	int n = 0;

	for (; p < e && n < CONV_DIMS; p = q) {
		while (p < e && strchr("[, \n\r\t", *p) != NULL)
			p++;
		for (q = p; q < e && strchr("], \n\r\t", *q) == NULL; q++)
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

/* The raw text of element i of the list in a field. */
static struct mview
element(const struct loader *l, int f, int i)
{
	struct mview v = { "", 0 };
	const char *p = list_of_field(l, f);

	for (; p != NULL && i >= 0; i--)
		if (!next_element(&p, &v))
			p = NULL;
	return p != NULL ? v : mv("", "");
}

/* A list that holds one number for all dimensions, or one for each. */
static bool
spatial(const struct loader *l, int i, int n, int64_t *out)
{
	int k = list_of(element(l, KF_CONCRETE, i), out);

	if (k == 0)
		return false;
	for (; k < n; k++)
		out[k] = out[k - 1];
	return true;
}

static bool
conv_read(const struct loader *l, struct conv *c)
{
	c->n = list_of(element(l, KF_DIMS, 1), c->weight);
	if (c->n < 3 || list_of(element(l, KF_DIMS, 0), c->in) != c->n)
		return false;
	c->transposed = mv_eq(element(l, KF_CONCRETE, 6), "True");
	return spatial(l, 3, c->n, c->stride) && spatial(l, 4, c->n, c->pad) &&
	       spatial(l, 5, c->n, c->dil) && spatial(l, 7, c->n, c->extra) &&
	       spatial(l, 8, 1, c->groups);
}

static bool
conv_result(struct conv *c)
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

/* Appends ", result = [64, 32, 62, 62]". */
static void
put_result(const struct loader *l, struct buf *b)
{
	struct conv c;
	int i;

	if (!conv_read(l, &c) || !conv_result(&c))
		return;
	buf_puts(b, ", result = ");
	for (i = 0; i < c.n; i++)
		buf_printf(
		    b, "%s%lld", i > 0 ? ", " : "[", (long long)c.out[i]);
	buf_putc(b, ']');
}

/* Appends ", types = [c10::BFloat16, , Scalar]", which emit_nvtx leaves out. */
static void
put_types(const struct loader *l, struct buf *b)
{
	const char *p = list_of_field(l, KF_TYPES);
	struct mview v;
	bool any = false;

	if (p == NULL)
		return;
	buf_puts(b, ", types = [");
	for (; next_element(&p, &v); any = true) {
		buf_puts(b, any ? ", " : "");
		buf_put(b, v.s, v.n);
	}
	buf_putc(b, ']');
}

/* Appends a list of numbers, also if it is written in several lines: [2, 3]. */
static void
put_numbers(struct mview v, struct buf *b)
{
	size_t i;

	for (i = 0; i < v.n; i++) {
		if (strchr(" \n\r\t", v.s[i]) == NULL)
			buf_putc(b, v.s[i]);
		if (v.s[i] == ',')
			buf_putc(b, ' ');
	}
}

/* Appends the element of a list, or nothing if the list is shorter. */
static void
put_element(const char **p, const char *key, bool quoted, struct buf *b)
{
	struct mview v;

	if (*p == NULL || !next_element(p, &v)) {
		*p = NULL;
		return;
	}
	buf_printf(b, ",\"%s\":%s", key, quoted ? "\"" : "");
	if (quoted)
		buf_put(b, v.s, v.n);
	else
		put_numbers(v, b);
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
is_launch(const struct loader *l)
{
	return field_is(l, KF_BACKEND, "triton");
}

/* The folder of a file is left out, because it names the user. */
static struct mview
launch_arg(const struct loader *l, size_t i)
{
	struct mview v = l->ev.field[launch_args[i].field];

	if (launch_args[i].field == KF_KERNEL_FILE && v.s != NULL)
		v = usercode_base(v);
	return v;
}

static void
put_launch_args(const struct loader *l, struct buf *b)
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
put_inputs(const struct loader *l, struct buf *b)
{
	const char *types = list_of_field(l, KF_TYPES),
		   *dims = list_of_field(l, KF_DIMS),
		   *strides = list_of_field(l, KF_STRIDES),
		   *values = list_of_field(l, KF_CONCRETE);
	struct mview type;
	int i;

	if (types == NULL)
		return;
	buf_puts(b, ", inputs = [");
	for (i = 0; next_element(&types, &type); i++) {
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

/* The place of is_causal in the arguments of PyTorch's fused attention; -1 for
 * other ops. */
static int
causal_place(const struct loader *l)
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
		return -1;
	for (i = 0; i < ARRAY_LEN(ops); i++)
		if (field_is(l, KF_NAME, ops[i].op))
			return ops[i].place;
	return -1;
}

static bool
is_causal(const struct loader *l)
{
	int i = causal_place(l);

	return i >= 0 && mv_eq(element(l, KF_CONCRETE, i), "True");
}

/* A type of tensors by PyTorch's short name, as Input type has it. */
static const char *
type_of_comm(struct mview v)
{
	static const char *const words[][2] = {
		{ "Float", "float" },
		{ "BFloat16", "c10::BFloat16" },
		{ "Half", "c10::Half" },
		{ "Double", "double" },
		{ "Long", "long int" },
		{ "Int", "int" },
		{ "Short", "short int" },
		{ "Char", "signed char" },
		{ "Byte", "unsigned char" },
		{ "Bool", "bool" },
		{ "Float8_e4m3fn", "c10::Float8_e4m3fn" },
		{ "Float8_e5m2", "c10::Float8_e5m2" },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(words); i++)
		if (mv_eq(v, words[i][0]))
			return words[i][1];
	return NULL;
}

/* Whether a collective moves anything, among *n GPUs; a wait does not. */
static bool
moves(struct loader *l, int64_t *n)
{
	int64_t in, out;

	return field_int(l, KF_COMM_GROUP, n) && *n > 0 &&
	       field_int(l, KF_COMM_IN, &in) &&
	       field_int(l, KF_COMM_OUT, &out) && (in > 0 || out > 0);
}

/* The text of a record_param_comms whose inputs were not recorded: what it says
 * of the message, the result first, as in the inputs of c10d's ops. */
static int64_t
message_id(struct loader *l)
{
	const char *type = type_of_comm(l->ev.field[KF_COMM_TYPE]);
	struct buf *b = &l->tmp;
	int64_t in, out;

	if (type == NULL || !field_int(l, KF_COMM_IN, &in) ||
	    !field_int(l, KF_COMM_OUT, &out) || in <= 0 || out <= 0)
		return EV_UNSET;
	buf_clear(b);
	buf_printf(b, ", sizes = [[%lld], [%lld]], types = [%s]",
	    (long long)out, (long long)in, type);
	return (int64_t)smap_put(&l->k->texts, b->s, b->len, NULL);
}

/* True if the sizes of lists of tensors are missing: PyTorch writes those of at
 * most 30 tensors. */
static bool
lacks_sizes(const struct loader *l)
{
	const char *p = list_of_field(l, KF_DIMS);
	const char *q = list_of_field(l, KF_TYPES);
	struct mview dims, type;
	bool any = false;

	while (p != NULL && q != NULL && next_element(&q, &type) &&
	       next_element(&p, &dims))
		if (mv_eq(type, "TensorList")) {
			if (!mv_eq(dims, "[]"))
				return false;
			any = true;
		}
	return any;
}

/* What put_inputs() writes beside sizes and types. */
static void
put_inputs_key(const struct loader *l, struct buf *b)
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
sizes_id(struct loader *l)
{
	bool conv = field_is(l, KF_NAME, "aten::convolution") ||
		    field_is(l, KF_NAME, "aten::_convolution");
	struct mview dims = l->ev.field[KF_DIMS], types = l->ev.field[KF_TYPES],
		     scalars = l->ev.field[KF_CONCRETE];
	struct buf *b = &l->tmp;
	bool causal = is_causal(l);
	bool with_inputs = l->k->wish->inputs || is_launch(l);
	uint32_t id;

	if (list_of_field(l, KF_DIMS) == NULL)
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

/* The same of a record_param_comms, with its process group: the name, the
 * description, the size, the ranks; and the splits of both sides. Texts are as
 * they are in the file. */
static int64_t
comms_id(struct loader *l, int64_t rest)
{
	static const int field[] = { KF_COMM_NAME, KF_COMM_DESC, KF_COMM_GROUP,
		KF_COMM_RANKS, KF_COMM_SPLIT_IN, KF_COMM_SPLIT_OUT };
	struct buf *b = &l->tmp;
	struct mview v, old = { "", 0 };
	const char *last; /* inputs come last */
	size_t i;

	if (l->ev.field[KF_COMM_NAME].s == NULL || !moves(l, &(int64_t){ 0 }))
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

static void
load_op(struct loader *l, const char *domain)
{
	int64_t rest;
	struct row r = row_of(l, T_OP);

	if (!row_times(&r) || !row_thread(&r))
		return;
	row_num(
	    &r, (int64_t)smap_put(&l->k->texts, domain, strlen(domain), NULL));
	row_num(&r, field_id(l, KF_NAME));
	row_field(&r, KF_SEQ);
	row_field(&r, l->ev.field[KF_EV_IDX].s != NULL ? KF_EV_IDX : KF_EXT);
	rest = sizes_id(l);
	if (field_is(l, KF_NAME, "record_param_comms"))
		rest = comms_id(l, rest);
	row_num(&r, rest);
	row_field(&r, KF_PY_THREAD);
	row_put(&r);
}

/* True if the event lies inside the last one that had a place, and has the
 * same; nearly all ops do that are called by another op. */
static bool
same_code(struct loader *l, int64_t place)
{
	struct kineto_span *last = &l->code, now = { .place = place };
	bool same;

	if (!field_us(l, KF_TS, &now.start) || !field_us(l, KF_DUR, &now.end) ||
	    !field_int(l, KF_PID, &now.pid) || !field_int(l, KF_TID, &now.tid))
		return false;
	now.end = num_add(now.start, now.end);
	same = now.place == last->place && now.pid == last->pid &&
	       now.tid == last->tid && now.start >= last->start &&
	       now.end <= last->end;
	if (!same)
		*last = now;
	return same;
}

/* The event has that place in the user's code around it; see kineto_code(). */
static void
load_code(struct loader *l, int64_t place)
{
	struct row r = row_of(l, T_CODE);

	if (place == EV_UNSET || l->capture != EV_UNSET ||
	    same_code(l, place) || !row_times(&r) || !row_thread(&r))
		return;
	row_num(&r, place);
	row_put(&r);
	l->k->stack.any = true;
}

/* Notes a thread that has calls. */
static void
note_caller(struct loader *l, int64_t pid, int64_t tid)
{
	struct kineto *k = l->k;
	bool is_new;

	if (pid == l->pid && tid == l->tid)
		return;
	l->pid = pid;
	l->tid = tid;
	smap_put_pair(&k->called, pid, tid, &is_new);
	if (!is_new)
		return;
	ARRAY_GROW(k->callers, k->ncallers, k->callers_cap);
	k->callers[k->ncallers++] = (struct kineto_thread){ pid, tid };
}

static void
load_call(struct loader *l)
{
	struct row r = row_of(l, T_CALL);
	int64_t pid, tid, corr;

	if (!row_times(&r) || !field_thread(l, &pid, &tid))
		return;
	note_caller(l, pid, tid);
	field_int(l, KF_CORR, &corr);
	row_col(&r, l->capture != EV_UNSET ? EV_UNSET : corr);
	row_col(&r, pid);
	row_num(&r, tid);
	row_num(&r, field_id(l, KF_NAME));
	row_put(&r);
}

/* The columns that all GPU work begins with. Traces before torch 1.12 say the
 * device and the stream only here. */
static bool
row_gpu(struct row *r)
{
	struct loader *l = r->l;
	int64_t corr, dev;

	if (!row_times(r))
		return false;
	field_int(l, KF_CORR, &corr);
	field_int(
	    l, l->ev.field[KF_DEVICE].s != NULL ? KF_DEVICE : KF_PID, &dev);
	if (l->k->dev == EV_UNSET)
		l->k->dev = dev;
	l->k->many_devs |= dev != l->k->dev;
	row_col(r, corr);
	row_num(r, dev);
	row_field(r, KF_CONTEXT);
	row_field(r, l->ev.field[KF_STREAM].s != NULL ? KF_STREAM : KF_TID);
	return true;
}

static void
row_three(struct row *r, int f)
{
	const char *p = list_of_field(r->l, f);
	struct mview v;
	int64_t num;
	int n;

	for (n = 0; n < 3; n++) {
		num = EV_UNSET;
		if (p != NULL && !next_element(&p, &v))
			p = NULL;
		if (p == NULL || !num_i64(v.s, v.n, &num))
			num = EV_UNSET;
		row_num(r, num);
	}
}

/* The number of the short name of the kernel whose name has the number id. */
static int64_t
short_id(struct kineto *k, int64_t id)
{
	struct mview v;
	uint32_t s;

	if (id == EV_UNSET)
		return EV_UNSET;
	if (k->texts.val[id] == 0) {
		v.s = smap_str(&k->texts, (uint32_t)id, &v.n);
		v = kernname_function(v);
		s = v.n > 0 ? smap_put(&k->texts, v.s, v.n, NULL) : SMAP_NONE;
		k->texts.val[id] = (uint64_t)s + 1;
	}
	return k->texts.val[id] - 1 == SMAP_NONE
		   ? EV_UNSET
		   : (int64_t)(k->texts.val[id] - 1);
}

static void
load_kern(struct loader *l)
{
	struct row r = row_of(l, T_KERN);
	int64_t name;

	if (!row_gpu(&r))
		return;
	name = field_id(l, KF_NAME);
	row_num(&r, name);
	row_num(&r, short_id(l->k, name));
	row_three(&r, KF_GRID);
	row_three(&r, KF_BLOCK);
	row_field(&r, KF_REGS);
	row_field(&r, KF_SMEM);
	row_field(&r, KF_NODE);
	row_put(&r);
}

static void
load_copy(struct loader *l)
{
	struct row r = row_of(l, T_COPY);

	if (!row_gpu(&r))
		return;
	row_num(&r, field_id(l, KF_NAME));
	row_field(&r, KF_BYTES);
	row_put(&r);
}

static void
load_set(struct loader *l)
{
	struct row r = row_of(l, T_SET);

	if (!row_gpu(&r))
		return;
	row_field(&r, KF_BYTES);
	row_put(&r);
}

/* The record of a CUDA event, by its call. A trace has rows of records only
 * since 2025; otherwise each wait names the record that it waits for, and the
 * first one that does is kept. */
static void
load_record(struct loader *l, int corr_field, int stream, int event)
{
	struct row r = row_of(l, T_EVENT);
	int64_t corr;

	if (!field_int(l, corr_field, &corr) || corr < 0)
		return;
	row_col(&r, corr);
	row_field(&r, l->ev.field[KF_DEVICE].s != NULL ? KF_DEVICE : KF_PID);
	row_field(&r, KF_CONTEXT);
	row_field(&r, stream);
	row_field(&r, event);
	row_put(&r);
}

static void
load_sync(struct loader *l)
{
	struct row r = row_of(l, T_SYNC);

	if (!row_gpu(&r))
		return;
	row_num(&r, field_id(l, KF_SYNC_KIND));
	row_field(&r, KF_SYNC_EVENT);
	row_put(&r);
	load_record(l, KF_SYNC_RECORD, KF_SYNC_STREAM, KF_SYNC_EVENT);
}

static void
load_cuda_event(struct loader *l)
{
	load_record(l, KF_CORR, KF_STREAM, KF_EVENT);
}

static void
load_over(struct loader *l)
{
	struct row r = row_of(l, T_OVER);

	if (!row_times(&r) || !row_thread(&r))
		return;
	row_num(&r, field_id(l, KF_NAME));
	row_put(&r);
}

/* A module's call is a range: nn.Module: Linear_0. Other frames of Python are
 * kept if they are asked for. */
static void
load_python(struct loader *l)
{
	struct mview v = l->ev.field[KF_NAME];

	if (mv_starts(v, "nn.Module: "))
		load_op(l, "nn.Module");
	else if (l->k->wish->python)
		load_op(l, "python_function");
	load_code(l, kineto_place(l->k, field_text(l, KF_NAME)));
}

static void
skip_event(struct loader *l)
{
	(void)l;
}

/* Notes how many GPUs take part in a collective. */
static void
note_group(struct loader *l)
{
	int64_t *group = &l->k->group, n;

	if (moves(l, &n))
		*group = *group == EV_UNSET || *group == n ? n : 0;
}

static void
load_cpu_op(struct loader *l)
{
	if (field_is(l, KF_NAME, "record_param_comms"))
		note_group(l);
	load_op(l, "cpu_op");
	if (l->ev.field[KF_STACK].s != NULL)
		load_code(l, kineto_inner(l->k, field_text(l, KF_STACK)));
}

static void
load_annotation(struct loader *l)
{
	load_op(l, "user_annotation");
}

/* Categories of events that have a length; the names before torch 1.12 begin
 * with a capital. Those that are skipped repeat what other events say. */
#define CATEGORY(text, load)                                                   \
	{                                                                      \
		text, sizeof(text) - 1, load                                   \
	}

static const struct {
	const char *cat;
	size_t n;
	void (*load)(struct loader *l);
} categories[] = {
	CATEGORY("cpu_op", load_cpu_op),
	CATEGORY("Operator", load_cpu_op),
	CATEGORY("kernel", load_kern),
	CATEGORY("Kernel", load_kern),
	CATEGORY("cuda_runtime", load_call),
	CATEGORY("cuda_driver", load_call),
	CATEGORY("Runtime", load_call),
	CATEGORY("python_function", load_python),
	CATEGORY("user_annotation", load_annotation),
	CATEGORY("gpu_memcpy", load_copy),
	CATEGORY("Memcpy", load_copy),
	CATEGORY("gpu_memset", load_set),
	CATEGORY("Memset", load_set),
	CATEGORY("cuda_sync", load_sync),
	CATEGORY("cuda_event", load_cuda_event),
	CATEGORY("overhead", load_over),
	CATEGORY("gpu_user_annotation", skip_event),
	CATEGORY("Trace", skip_event),
};

/* Of a trace of captures, what can be in a capture: ops and calls. */
static bool
is_of_capture(const struct loader *l)
{
	return field_is(l, KF_CAT, "cpu_op") ||
	       field_is(l, KF_CAT, "user_annotation") ||
	       field_is(l, KF_CAT, "cuda_runtime") ||
	       field_is(l, KF_CAT, "cuda_driver") ||
	       (field_is(l, KF_CAT, "python_function") &&
		   mv_starts(l->ev.field[KF_NAME], "nn.Module: "));
}

static void
load_span(struct loader *l)
{
	struct mview cat = l->ev.field[KF_CAT];
	size_t i;

	if (l->capture != EV_UNSET && !is_of_capture(l))
		return;
	for (i = 0; i < ARRAY_LEN(categories); i++)
		if (cat.n == categories[i].n && cat.s != NULL &&
		    memcmp(cat.s, categories[i].cat, cat.n) == 0) {
			categories[i].load(l);
			return;
		}
	l->k->other++;
}

/* [memory]: the bytes are negative where memory is freed. */
static void
load_instant(struct loader *l)
{
	struct row r = row_of(l, T_MEM);
	int64_t type;

	if (!field_is(l, KF_NAME, "[memory]"))
		return;
	if (field_int(l, KF_DEV_TYPE, &type) && type == 0)
		return; /* memory of the host */
	if (!row_times(&r))
		return;
	row_field(&r, KF_PID);
	row_field(&r, KF_TID);
	row_field(&r, KF_DEV_ID);
	row_field(&r, KF_MEM_BYTES);
	row_field(&r, KF_ADDR);
	row_field(&r, KF_ALLOCATED);
	row_field(&r, KF_RESERVED);
	row_put(&r);
}

/* Names of processes and threads. */
static void
load_metadata(struct loader *l)
{
	struct smap *threads = &l->k->threads;
	int64_t pid, tid, id = field_id(l, KF_ARG_NAME);
	uint32_t i;

	if (!field_int(l, KF_PID, &pid) || id == EV_UNSET)
		return;
	if (field_is(l, KF_NAME, "process_name")) {
		*map_put(&l->k->procs, (uint64_t)pid, NULL) = (uint64_t)id + 1;
	} else if (field_is(l, KF_NAME, "thread_name") &&
		   field_int(l, KF_TID, &tid)) {
		i = smap_put_pair(threads, pid, tid, NULL);
		threads->val[i] = (uint64_t)id;
	}
}

/* Flows (s, f, t) repeat the correlation ids and sequence numbers of other
 * events. */
static const char *
load_event(void *ctx, const char *s, const char *e)
{
	struct loader *l = ctx;
	const char *end = kineto_event_read(&l->ev, s, e);
	struct mview ph = l->ev.field[KF_PH];

	if (end == NULL)
		return NULL;
	if (l->capture != EV_UNSET && (ph.n != 1 || ph.s[0] != 'X'))
		return end;
	if (*s != '{' || ph.n != 1) {
		l->k->bad += *s != '{';
		l->k->other += *s == '{';
		return end;
	}
	switch (ph.s[0]) {
	case 'X':
		load_span(l);
		break;
	case 'i':
	case 'I':
		load_instant(l);
		break;
	case 'M':
		load_metadata(l);
		break;
	case 's':
	case 'f':
	case 't':
		break;
	default:
		l->k->other++;
	}
	return end;
}

/* Keeps a fact of the header, as a line KEY TAB VALUE. A value of several lines
 * becomes one: texts of JSON hold no line ends. */
static void
keep_head(struct loader *l, const char *key, const char *s, size_t n)
{
	const char *e = s + n;

	buf_printf(&l->k->head, "%s\t", key);
	for (; s < e; s++)
		buf_putc(&l->k->head,
		    *s == '\n' || *s == '\t' || *s == '\r' ? ' ' : *s);
	buf_putc(&l->k->head, '\n');
}

static void
load_devices(struct kineto *k, const char *s, size_t n)
{
	struct json_doc doc = { 0 };
	int t;

	if (!json_parse(&doc, s, n, HEAD_TOKENS))
		warn("%s: deviceProperties has more than %u values: the"
		     " devices are unknown",
		    db_path(), HEAD_TOKENS);
	for (t = 1; t < doc.n; t = json_next(&doc, t))
		smap_put(
		    &k->devs, json_raw(&doc, t).s, json_raw(&doc, t).n, NULL);
	json_free(&doc);
}

static void
load_head(void *ctx, const struct buf *key, const char *s, size_t n)
{
	static const char *const wanted[] = { "schemaVersion",
		"cuda_driver_version", "cuda_runtime_version",
		"hip_driver_version", "hip_runtime_version",
		"distributedInfo" };
	struct loader *l = ctx;
	size_t i;

	if (l->capture != EV_UNSET)
		return;
	if (mv_eq(mv(key->s, key->s + key->len), "baseTimeNanoseconds")) {
		if (!num_i64(s, n, &l->k->base))
			l->k->base = EV_UNSET;
		return;
	}
	if (mv_eq(mv(key->s, key->s + key->len), "deviceProperties")) {
		load_devices(l->k, s, n);
		return;
	}
	for (i = 0; i < ARRAY_LEN(wanted); i++)
		if (mv_eq(mv(key->s, key->s + key->len), wanted[i]))
			keep_head(l, wanted[i], s, n);
}

static void
feed(void *ctx, const unsigned char *s, size_t n)
{
	kineto_scan_feed(ctx, (const char *)s, n);
}

static void
loader_close(struct loader *l)
{
	int t;

	for (t = 0; t < T_N; t++)
		sqlite3_finalize(l->insert[t]);
	kineto_ok(l->k, sqlite3_exec(l->k->db, "COMMIT", NULL, NULL, NULL));
	smap_free(&l->raws);
	buf_free(&l->tmp);
	buf_free(&l->row);
}

/* Loads the events of a file. capture: as in struct loader. */
static void
load_file(struct kineto *k, const char *name, int fd, const unsigned char *head,
    size_t n, int64_t capture)
{
	struct loader *l = xcalloc(1, sizeof(*l));
	struct kineto_scan scan = {
		.name = name,
		.event = load_event,
		.head = load_head,
		.ctx = l,
		.resync = k->wish->resync,
	};
	bool whole;

	l->k = k;
	l->capture = capture;
	loader_open(l);
	whole = unpack_to(
	    zip_kind(head, n), name, fd, head, n, k->wish->resync, feed, &scan);
	kineto_scan_end(&scan);
	if (!whole && scan.breaks == 0)
		scan.breaks++;
	if (scan.events_depth == 0)
		die("%s: JSON, but not a trace of torch.profiler: it has no"
		    " traceEvents",
		    name);
	if (k->first == EV_UNSET && k->other > 0 && scan.breaks == 0)
		die("%s: a trace in Chrome's format, but not torch.profiler's:"
		    " none of its %llu events is one of GPU work, calls or"
		    " ops; record the program with torch.profiler, nsys"
		    " profile -t cuda,nvtx or dlp-record",
		    name, (unsigned long long)k->other);
	k->lost += scan.lost;
	k->breaks += scan.breaks;
	k->bad += scan.odd;
	loader_close(l);
	kineto_scan_free(&scan);
	free(l);
}

static int64_t
next_row_of(const struct kineto *k, const char *table)
{
	sqlite3_stmt *st = db_prepare(
	    k->db, "SELECT ifnull(max(rowid), 0) + 1 FROM %s", table);
	int64_t n = db_step(st) ? db_i64(st, 0) : 1;

	sqlite3_finalize(st);
	return n;
}

static bool
is_json_file(const unsigned char *head, size_t n)
{
	unsigned char s[4096];
	enum zip zip = zip_kind(head, n);

	if (zip == ZIP_NONE)
		return head_is_json(head, n);
	return head_is_json(s, zip_peek(zip, head, n, s, sizeof(s)));
}

/* Loads the trace in which graphs were captured. */
static void
load_captures(struct kineto *k, struct infile *in)
{
	const char *path = k->wish->capture;
	int64_t op = next_row_of(k, "kineto_op");
	int64_t call = next_row_of(k, "kineto_call"), pid = kineto_launcher(k);
	unsigned char head[HEAD_SIZE];
	size_t n;
	int fd;

	if (pid == EV_UNSET)
		die("--capture: %s launches no CUDA graph", db_path());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die_errno("%s", path);
	n = head_read(in, path, fd, head, sizeof(head));
	if (!is_json_file(head, n))
		die("--capture: %s is no trace of torch.profiler", path);
	k->begin = k->first;
	load_file(k, path, fd, head, n, pid);
	close(fd);
	kineto_move_before(k, op, call);
}

static struct kineto *
kineto_load(struct infile *in, const char *name, int fd,
    const unsigned char *head, size_t n, const struct kineto_wish *wish)
{
	struct kineto *k = xcalloc(1, sizeof(*k));

	k->base = k->first = k->dev = k->group = EV_UNSET;
	k->wish = wish;
	kineto_ok(k, sqldb_temp(&k->db));
	kineto_ok(k, sqlite3_exec(k->db, tables, NULL, NULL, NULL));
	load_file(k, name, fd, head, n, EV_UNSET);
	if (wish->python)
		kineto_make_samples(k);
	if (wish->capture != NULL)
		load_captures(k, in);
	if (kineto_join_graphs(k) > 0 || wish->capture == NULL)
		return k;
	if (k->graph.several > 0)
		die("--capture: several captures have as much work of each kind"
		    " as a launch in %s, so it is unknown which one it is of",
		    name);
	die("--capture: no launch of a graph in %s has as much work of each"
	    " kind as a capture in %s, so they are not of the same graphs",
	    name, wish->capture);
}

/* The same for a file that was unpacked to look for a .dict. */
static struct kineto *
begin_unpacked(
    struct infile *in, const char *name, const struct kineto_wish *wish)
{
	unsigned char head[HEAD_SIZE];
	struct kineto *k = NULL;
	size_t n;
	int fd = open(in->unpacked, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL; /* infile_open() reports the error */
	n = head_read(in, name, fd, head, sizeof(head));
	if (head_is_json(head, n)) {
		k = kineto_load(in, name, fd, head, n, wish);
		infile_forget(in);
	}
	close(fd);
	return k;
}

struct kineto *
kineto_begin(
    struct infile *in, const char *path, const struct kineto_wish *wish)
{
	const char *name = head_name(path);
	unsigned char head[HEAD_SIZE];
	struct kineto *k;
	struct stat st;
	size_t n;
	int fd;

	if (in->unpacked != NULL)
		return begin_unpacked(in, name, wish);
	fd = head_open(in, path);
	if (fd < 0 || fstat(fd, &st) != 0 || S_ISDIR(st.st_mode)) {
		head_close(fd);
		return NULL; /* infile_open() reports the error */
	}
	n = head_read(in, name, fd, head, sizeof(head));
	if (is_json_file(head, n)) {
		k = kineto_load(in, name, fd, head, n, wish);
		head_close(fd);
		return k;
	}
	if (fd == STDIN_FILENO || !S_ISREG(st.st_mode))
		head_push(in, path, fd, head, n);
	else
		head_close(fd);
	return NULL;
}

void
kineto_free(struct kineto *k)
{
	smap_free(&k->texts);
	smap_free(&k->devs);
	smap_free(&k->threads);
	map_free(&k->procs);
	smap_free(&k->called);
	free(k->callers);
	buf_free(&k->head);
	buf_free(&k->text);
	kineto_stack_free(k);
	free(k);
}
