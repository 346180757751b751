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
#include "num.h"
#include "sqldb.h"

#define EVENT_TOKENS (1u << 20) /* the most tokens of one event */
#define HEAD_TOKENS (1u << 20)
#define CACHE_KIB 24576 /* of the temporary database in memory */

/* Times are ns. */
static const char tables[] =
    "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
    "CREATE TABLE kineto_op (ts, dur, pid, tid, name, seq, op_id, sizes,"
    " domain, fwd, result);"
    "CREATE TABLE kineto_call (ts, dur, pid, tid, name, corr);"
    "CREATE TABLE kineto_kern (ts, dur, corr, dev, ctx, stream, name,"
    " g0, g1, g2, b0, b1, b2, regs, smem, node, short);"
    "CREATE TABLE kineto_copy (ts, dur, corr, dev, ctx, stream, name, bytes);"
    "CREATE TABLE kineto_set (ts, dur, corr, dev, ctx, stream, bytes);"
    "CREATE TABLE kineto_sync (ts, dur, corr, dev, ctx, stream, name, event);"
    "CREATE TABLE kineto_mem (ts, pid, tid, dev, bytes, addr);"
    "CREATE TABLE kineto_over (ts, dur, pid, tid, name);"
    "BEGIN";

enum { /* the statements that insert into them */
	T_OP,
	T_CALL,
	T_KERN,
	T_COPY,
	T_SET,
	T_SYNC,
	T_MEM,
	T_OVER,
	T_N
};

static const struct {
	const char *name;
	int cols;
} inserts[T_N] = {
	[T_OP] = { "kineto_op", 11 },
	[T_CALL] = { "kineto_call", 6 },
	[T_KERN] = { "kineto_kern", 17 },
	[T_COPY] = { "kineto_copy", 8 },
	[T_SET] = { "kineto_set", 7 },
	[T_SYNC] = { "kineto_sync", 8 },
	[T_MEM] = { "kineto_mem", 6 },
	[T_OVER] = { "kineto_over", 5 },
};

/* The keys of an event and of its args that are read. */
enum {
	F_PH,
	F_CAT,
	F_NAME,
	F_PID,
	F_TID,
	F_TS,
	F_DUR,
	F_ARGS, /* up to here: of the event itself */
	F_SEQ,
	F_FWD,
	F_DIMS,
	F_CONCRETE,
	F_EV_IDX,
	F_EXT,
	F_CORR,
	F_DEVICE,
	F_CONTEXT,
	F_STREAM,
	F_GRID,
	F_BLOCK,
	F_REGS,
	F_SMEM,
	F_NODE,
	F_BYTES,
	F_MEM_BYTES,
	F_ADDR,
	F_DEV_ID,
	F_DEV_TYPE,
	F_SYNC_KIND,
	F_SYNC_EVENT,
	F_N
};

static const struct {
	const char *key;
	int field;
} keys[] = {
	{ "ph", F_PH },
	{ "cat", F_CAT },
	{ "name", F_NAME },
	{ "pid", F_PID },
	{ "tid", F_TID },
	{ "ts", F_TS },
	{ "dur", F_DUR },
	{ "args", F_ARGS },
	{ "Sequence number", F_SEQ },
	{ "Fwd thread id", F_FWD },
	{ "Input Dims", F_DIMS },
	{ "Input dims", F_DIMS },
	{ "Concrete Inputs", F_CONCRETE },
	{ "Ev Idx", F_EV_IDX },
	{ "External id", F_EXT },
	{ "external id", F_EXT },
	{ "correlation", F_CORR },
	{ "device", F_DEVICE },
	{ "context", F_CONTEXT },
	{ "stream", F_STREAM },
	{ "grid", F_GRID },
	{ "block", F_BLOCK },
	{ "registers per thread", F_REGS },
	{ "shared memory", F_SMEM },
	{ "graph node id", F_NODE },
	{ "bytes", F_BYTES },
	{ "Bytes", F_MEM_BYTES },
	{ "Addr", F_ADDR },
	{ "Device Id", F_DEV_ID },
	{ "Device Type", F_DEV_TYPE },
	{ "cuda_sync_kind", F_SYNC_KIND },
	{ "wait_on_cuda_event_id", F_SYNC_EVENT },
};

#define SLOTS 128

struct loader {
	struct kineto *k;
	struct json_doc doc;
	sqlite3_stmt *insert[T_N];
	int field[F_N];            /* tokens of the event; 0: not there */
	unsigned char slot[SLOTS]; /* number of key + 1, by its hash */
	struct buf tmp;
};

static unsigned
key_slot(const char *s, size_t n)
{
	if (n == 0)
		return 0;
	return (unsigned)(n * 7 + (unsigned char)s[0] * 3 +
			  (unsigned char)s[n - 1] * 5 +
			  (unsigned char)s[n / 2]) %
	       SLOTS;
}

static void
load_ok(const struct kineto *k, int rc)
{
	if (rc != SQLITE_OK && rc != SQLITE_DONE)
		die("a temporary database (set TMPDIR to a larger place): %s",
		    sqlite3_errmsg(k->db));
}

static void
loader_open(struct loader *l)
{
	struct buf b = { 0 };
	unsigned at;
	size_t i;
	int t;

	load_ok(l->k, sqldb_temp(&l->k->db));
	load_ok(l->k, sqlite3_exec(l->k->db, tables, NULL, NULL, NULL));
	for (t = 0; t < T_N; t++) {
		buf_clear(&b);
		buf_printf(&b, "INSERT INTO %s VALUES (?", inserts[t].name);
		for (i = 1; i < (size_t)inserts[t].cols; i++)
			buf_puts(&b, ",?");
		buf_putc(&b, ')');
		load_ok(l->k, sqlite3_prepare_v2(l->k->db, buf_str(&b), -1,
				  &l->insert[t], NULL));
	}
	buf_free(&b);
	for (i = 0; i < ARRAY_LEN(keys); i++) {
		at = key_slot(keys[i].key, strlen(keys[i].key));
		while (l->slot[at] != 0)
			at = (at + 1) % SLOTS;
		l->slot[at] = (unsigned char)(i + 1);
	}
}

/* Notes the tokens of the known keys in object i: the event, or its args. */
static void
find_keys(struct loader *l, int i)
{
	int t, end = json_next(&l->doc, i), f;
	struct mview key;
	unsigned at;

	for (t = i + 1; t < end; t = json_next(&l->doc, t)) {
		key = json_raw(&l->doc, t);
		for (at = key_slot(key.s, key.n); l->slot[at] != 0;
		     at = (at + 1) % SLOTS)
			if (mv_eq(key, keys[l->slot[at] - 1].key)) {
				f = keys[l->slot[at] - 1].field;
				if ((f <= F_ARGS) == (i == 0))
					l->field[f] = t + 1;
				break;
			}
	}
}

/* An integer, also where it is written as a text; false if there is none. */
static bool
field_int(const struct loader *l, int f, int64_t *v)
{
	struct mview raw;

	*v = EV_UNSET;
	if (l->field[f] == 0)
		return false;
	raw = json_raw(&l->doc, l->field[f]);
	return num_i64(raw.s, raw.n, v);
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
	*ns = EV_UNSET;
	return l->field[f] != 0 && parse_us(json_raw(&l->doc, l->field[f]), ns);
}

/* The text of a field, without escapes; valid until the next call. */
static struct mview
field_text(struct loader *l, int f)
{
	struct mview raw = { "", 0 };

	if (l->field[f] == 0)
		return raw;
	raw = json_raw(&l->doc, l->field[f]);
	if (memchr(raw.s, '\\', raw.n) == NULL)
		return raw;
	buf_clear(&l->tmp);
	json_unescape(&l->doc, l->field[f], &l->tmp);
	return mv(l->tmp.s, l->tmp.s + l->tmp.len);
}

static bool
field_is(struct loader *l, int f, const char *text)
{
	return l->field[f] != 0 && json_is(&l->doc, l->field[f], text);
}

/* The number of a text; EV_UNSET if the field is missing. */
static int64_t
field_id(struct loader *l, int f)
{
	struct mview v;

	if (l->field[f] == 0)
		return EV_UNSET;
	v = field_text(l, f);
	return (int64_t)smap_put(&l->k->texts, v.s, v.n, NULL);
}

/* Inserting a row: values are bound in the order of the columns. */

struct row {
	const struct kineto *k;
	sqlite3_stmt *st;
	int col;
};

static struct row
row_of(const struct loader *l, int table)
{
	return (struct row){ l->k, l->insert[table], 0 };
}

static void
row_num(struct row *r, int64_t v)
{
	r->col++;
	load_ok(r->k, v == EV_UNSET ? sqlite3_bind_null(r->st, r->col)
				    : sqlite3_bind_int64(r->st, r->col, v));
}

static void
row_field(struct row *r, const struct loader *l, int f)
{
	int64_t v;

	field_int(l, f, &v);
	row_num(r, v);
}

static void
row_put(struct row *r)
{
	int rc = sqlite3_step(r->st);

	load_ok(r->k, rc);
	load_ok(r->k, sqlite3_reset(r->st));
}

/* Start and length. An event without a start cannot be placed. */
static bool
row_times(struct row *r, struct loader *l)
{
	int64_t ts, dur;

	if (!field_us(l, F_TS, &ts)) {
		l->k->bad++;
		return false;
	}
	field_us(l, F_DUR, &dur);
	if (l->k->first == EV_UNSET || ts < l->k->first)
		l->k->first = ts;
	row_num(r, ts);
	row_num(r, dur);
	return true;
}

/* Threads: numbers, since torch 1.12; before, also texts of a number. */
static bool
row_thread(struct row *r, struct loader *l)
{
	int64_t pid, tid;

	if (!field_int(l, F_PID, &pid) || !field_int(l, F_TID, &tid)) {
		l->k->bad++;
		return false;
	}
	row_num(r, pid);
	row_num(r, tid);
	return true;
}

/* Appends the sizes of one input: [2, 3]. A list of tensors is written one
 * tensor after the other, as emit_nvtx does. */
static void
put_sizes(struct loader *l, int i, struct buf *b, bool *any)
{
	const struct json_doc *d = &l->doc;
	int t, end = json_next(d, i);
	struct mview v;

	if (json_type(d, i) != JSON_ARRAY)
		return;
	if (i + 1 < end && json_type(d, i + 1) == JSON_ARRAY) {
		for (t = i + 1; t < end; t = json_next(d, t))
			put_sizes(l, t, b, any);
		return;
	}
	buf_puts(b, *any ? ", [" : "[");
	*any = true;
	for (t = i + 1; t < end; t = json_next(d, t)) {
		v = json_raw(d, t);
		if (t > i + 1)
			buf_puts(b, ", ");
		buf_put(b, v.s, v.n);
	}
	buf_putc(b, ']');
}

/* The number of the text "[[2, 3], []]". */
static int64_t
sizes_id(struct loader *l)
{
	const struct json_doc *d = &l->doc;
	int i = l->field[F_DIMS], t;
	bool any = false;

	if (i == 0 || json_type(d, i) != JSON_ARRAY)
		return EV_UNSET;
	buf_clear(&l->tmp);
	buf_putc(&l->tmp, '[');
	for (t = i + 1; t < json_next(d, i); t = json_next(d, t))
		put_sizes(l, t, &l->tmp, &any);
	buf_putc(&l->tmp, ']');
	return (int64_t)smap_put(&l->k->texts, l->tmp.s, l->tmp.len, NULL);
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
	const struct json_doc *d = &l->doc;
	struct mview none = { "", 0 };
	int t = l->field[f], end;

	if (t == 0 || json_type(d, t) != JSON_ARRAY)
		return none;
	end = json_next(d, t);
	for (t++; t < end && i > 0; i--)
		t = json_next(d, t);
	return t < end ? json_raw(d, t) : none;
}

/* A list that holds one number for all dimensions, or one for each. */
static bool
spatial(const struct loader *l, int i, int n, int64_t *out)
{
	int k = list_of(element(l, F_CONCRETE, i), out);

	if (k == 0)
		return false;
	for (; k < n; k++)
		out[k] = out[k - 1];
	return true;
}

static bool
conv_read(const struct loader *l, struct conv *c)
{
	c->n = list_of(element(l, F_DIMS, 1), c->weight);
	if (c->n < 3 || list_of(element(l, F_DIMS, 0), c->in) != c->n)
		return false;
	c->transposed = mv_eq(element(l, F_CONCRETE, 6), "True");
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

/* The number of the text "[64, 32, 62, 62]". */
static int64_t
result_id(struct loader *l)
{
	struct conv c;
	int i;

	if (!field_is(l, F_NAME, "aten::convolution") &&
	    !field_is(l, F_NAME, "aten::_convolution"))
		return EV_UNSET;
	if (!conv_read(l, &c) || !conv_result(&c))
		return EV_UNSET;
	buf_clear(&l->tmp);
	for (i = 0; i < c.n; i++)
		buf_printf(
		    &l->tmp, "%s%lld", i > 0 ? ", " : "[", (long long)c.out[i]);
	buf_putc(&l->tmp, ']');
	return (int64_t)smap_put(&l->k->texts, l->tmp.s, l->tmp.len, NULL);
}

static void
load_op(struct loader *l, const char *domain)
{
	struct row r = row_of(l, T_OP);
	int f = l->field[F_EV_IDX] != 0 ? F_EV_IDX : F_EXT;

	if (!row_times(&r, l) || !row_thread(&r, l))
		return;
	row_num(&r, field_id(l, F_NAME));
	row_field(&r, l, F_SEQ);
	row_field(&r, l, f);
	row_num(&r, sizes_id(l));
	row_num(
	    &r, (int64_t)smap_put(&l->k->texts, domain, strlen(domain), NULL));
	row_field(&r, l, F_FWD);
	row_num(&r, result_id(l));
	row_put(&r);
}

static void
load_call(struct loader *l)
{
	struct row r = row_of(l, T_CALL);

	if (!row_times(&r, l) || !row_thread(&r, l))
		return;
	row_num(&r, field_id(l, F_NAME));
	row_field(&r, l, F_CORR);
	row_put(&r);
}

/* The columns that all GPU work begins with. Traces before torch 1.12 say the
 * device and the stream only here. */
static bool
row_gpu(struct row *r, struct loader *l)
{
	if (!row_times(r, l))
		return false;
	row_field(r, l, F_CORR);
	row_field(r, l, l->field[F_DEVICE] != 0 ? F_DEVICE : F_PID);
	row_field(r, l, F_CONTEXT);
	row_field(r, l, l->field[F_STREAM] != 0 ? F_STREAM : F_TID);
	return true;
}

static void
row_three(struct row *r, struct loader *l, int f)
{
	int i = l->field[f], n, t = i + 1;
	struct mview v;
	int64_t num;

	for (n = 0; n < 3; n++) {
		num = EV_UNSET;
		if (i != 0 && t < json_next(&l->doc, i)) {
			v = json_raw(&l->doc, t);
			if (!num_i64(v.s, v.n, &num))
				num = EV_UNSET;
			t = json_next(&l->doc, t);
		}
		row_num(r, num);
	}
}

/* The function's own name, as Nsight Systems gives it: nchwToNhwcKernel of
 * "void cudnn::ops::nchwToNhwcKernel<float>(float *)". Empty if the name is not
 * a function of C++, or is nothing but brackets. */
static struct mview
function_name(struct mview v)
{
	static const char unnamed[] = "(anonymous namespace)";
	size_t i, from = 0, n = sizeof(unnamed) - 1;

	for (i = 0; i < v.n && v.s[i] != '<' && v.s[i] != '('; i++) {
		if (v.s[i] == ':' || v.s[i] == ' ' || v.s[i] == '*' ||
		    v.s[i] == '&')
			from = i + 1;
		if (v.n - i > n + 1 && memcmp(v.s + i + 1, unnamed, n) == 0) {
			i += n;
			from = i + 1;
		}
	}
	return i < v.n ? mv(v.s + from, v.s + i) : mv(v.s, v.s);
}

static int64_t
short_id(struct loader *l)
{
	struct mview v = field_text(l, F_NAME);

	v = function_name(v);
	if (v.n == 0)
		return EV_UNSET;
	return (int64_t)smap_put(&l->k->texts, v.s, v.n, NULL);
}

static void
load_kern(struct loader *l)
{
	struct row r = row_of(l, T_KERN);

	if (!row_gpu(&r, l))
		return;
	row_num(&r, field_id(l, F_NAME));
	row_three(&r, l, F_GRID);
	row_three(&r, l, F_BLOCK);
	row_field(&r, l, F_REGS);
	row_field(&r, l, F_SMEM);
	row_field(&r, l, F_NODE);
	row_num(&r, short_id(l));
	row_put(&r);
}

static void
load_copy(struct loader *l)
{
	struct row r = row_of(l, T_COPY);

	if (!row_gpu(&r, l))
		return;
	row_num(&r, field_id(l, F_NAME));
	row_field(&r, l, F_BYTES);
	row_put(&r);
}

static void
load_set(struct loader *l)
{
	struct row r = row_of(l, T_SET);

	if (!row_gpu(&r, l))
		return;
	row_field(&r, l, F_BYTES);
	row_put(&r);
}

static void
load_sync(struct loader *l)
{
	struct row r = row_of(l, T_SYNC);

	if (!row_gpu(&r, l))
		return;
	row_num(&r, field_id(l, F_SYNC_KIND));
	row_field(&r, l, F_SYNC_EVENT);
	row_put(&r);
}

static void
load_over(struct loader *l)
{
	struct row r = row_of(l, T_OVER);

	if (!row_times(&r, l) || !row_thread(&r, l))
		return;
	row_num(&r, field_id(l, F_NAME));
	row_put(&r);
}

/* A module's call is a range: nn.Module: Linear_0. Other frames of Python are
 * kept if they are asked for. */
static void
load_python(struct loader *l)
{
	struct mview v = field_text(l, F_NAME);

	if (mv_starts(v, "nn.Module: "))
		load_op(l, "nn.Module");
	else if (l->k->python)
		load_op(l, "python_function");
}

static void
skip_event(struct loader *l)
{
	(void)l;
}

static void
load_cpu_op(struct loader *l)
{
	load_op(l, "cpu_op");
}

static void
load_annotation(struct loader *l)
{
	load_op(l, "user_annotation");
}

/* Categories of events that have a length; the names before torch 1.12 begin
 * with a capital. Those that are skipped repeat what other events say. */
static const struct {
	const char *cat;
	void (*load)(struct loader *l);
} categories[] = {
	{ "cpu_op", load_cpu_op },
	{ "Operator", load_cpu_op },
	{ "kernel", load_kern },
	{ "Kernel", load_kern },
	{ "cuda_runtime", load_call },
	{ "cuda_driver", load_call },
	{ "Runtime", load_call },
	{ "python_function", load_python },
	{ "user_annotation", load_annotation },
	{ "gpu_memcpy", load_copy },
	{ "Memcpy", load_copy },
	{ "gpu_memset", load_set },
	{ "Memset", load_set },
	{ "cuda_sync", load_sync },
	{ "overhead", load_over },
	{ "gpu_user_annotation", skip_event },
	{ "Trace", skip_event },
};

static void
load_span(struct loader *l)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(categories); i++)
		if (field_is(l, F_CAT, categories[i].cat)) {
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
	int64_t ts, pid, tid, type;

	if (!field_is(l, F_NAME, "[memory]"))
		return;
	if (!field_us(l, F_TS, &ts)) {
		l->k->bad++;
		return;
	}
	if (field_int(l, F_DEV_TYPE, &type) && type == 0)
		return; /* memory of the host */
	field_int(l, F_PID, &pid);
	field_int(l, F_TID, &tid);
	row_num(&r, ts);
	row_num(&r, pid);
	row_num(&r, tid);
	row_field(&r, l, F_DEV_ID);
	row_field(&r, l, F_MEM_BYTES);
	row_field(&r, l, F_ADDR);
	row_put(&r);
}

static void
name_thread(struct loader *l, struct map *m, int64_t key)
{
	int i = l->field[F_ARGS],
	    name = i != 0 ? json_get(&l->doc, i, "name") : -1;

	if (name < 0)
		return;
	buf_clear(&l->tmp);
	json_unescape(&l->doc, name, &l->tmp);
	*map_put(m, (uint64_t)key, NULL) =
	    (uint64_t)smap_put(
		&l->k->texts, buf_str(&l->tmp), l->tmp.len, NULL) +
	    1;
}

uint64_t
kineto_thread_key(int64_t pid, int64_t tid)
{
	return hash_mix((uint64_t)pid) ^ (uint64_t)tid;
}

/* Names of processes and threads. */
static void
load_metadata(struct loader *l)
{
	int64_t pid, tid;

	if (!field_int(l, F_PID, &pid))
		return;
	if (field_is(l, F_NAME, "process_name"))
		name_thread(l, &l->k->procs, pid);
	else if (field_is(l, F_NAME, "thread_name") &&
		 field_int(l, F_TID, &tid))
		name_thread(
		    l, &l->k->threads, (int64_t)kineto_thread_key(pid, tid));
}

/* Flows repeat the correlation ids and the sequence numbers of other events.
 * True if the event is seen to be one without reading all of it. */
static bool
is_flow(const char *s, size_t n)
{
	const char *p = s + 1, *e = s + n;

	while (p < e && (*p == ' ' || *p == '\n'))
		p++;
	return e - p > 9 && memcmp(p, "\"ph\": \"", 7) == 0 &&
	       (p[7] == 's' || p[7] == 'f' || p[7] == 't') && p[8] == '"';
}

static void
load_event(void *ctx, const char *s, size_t n)
{
	struct loader *l = ctx;

	if (is_flow(s, n))
		return;
	if (!json_parse(&l->doc, s, n, EVENT_TOKENS) ||
	    json_type(&l->doc, 0) != JSON_OBJECT) {
		l->k->bad++;
		return;
	}
	memset(l->field, 0, sizeof(l->field));
	find_keys(l, 0);
	if (l->field[F_ARGS] != 0 &&
	    json_type(&l->doc, l->field[F_ARGS]) == JSON_OBJECT)
		find_keys(l, l->field[F_ARGS]);
	if (field_is(l, F_PH, "X"))
		load_span(l);
	else if (field_is(l, F_PH, "i") || field_is(l, F_PH, "I"))
		load_instant(l);
	else if (field_is(l, F_PH, "M"))
		load_metadata(l);
	else if (!field_is(l, F_PH, "s") && !field_is(l, F_PH, "f") &&
		 !field_is(l, F_PH, "t"))
		l->k->other++;
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
load_head(void *ctx, const struct buf *key, const char *s, size_t n)
{
	static const char *const wanted[] = { "schemaVersion",
		"cuda_driver_version", "cuda_runtime_version",
		"hip_driver_version", "hip_runtime_version",
		"distributedInfo" };
	struct loader *l = ctx;
	size_t i;
	int t;

	if (mv_eq(mv(key->s, key->s + key->len), "baseTimeNanoseconds")) {
		if (!num_i64(s, n, &l->k->base))
			l->k->base = EV_UNSET;
		return;
	}
	if (mv_eq(mv(key->s, key->s + key->len), "deviceProperties") &&
	    json_parse(&l->doc, s, n, HEAD_TOKENS)) {
		for (t = 1; t < l->doc.n; t = json_next(&l->doc, t))
			smap_put(&l->k->devs, json_raw(&l->doc, t).s,
			    json_raw(&l->doc, t).n, NULL);
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
	load_ok(l->k, sqlite3_exec(l->k->db, "COMMIT", NULL, NULL, NULL));
	json_free(&l->doc);
	buf_free(&l->tmp);
}

static struct kineto *
kineto_load(const char *name, int fd, const unsigned char *head, size_t n,
    bool python, bool resync)
{
	struct loader *l = xcalloc(1, sizeof(*l));
	struct kineto_scan scan = {
		.name = name,
		.event = load_event,
		.head = load_head,
		.ctx = l,
		.resync = resync,
	};
	struct kineto *k = l->k = xcalloc(1, sizeof(*k));

	k->base = k->first = EV_UNSET;
	k->python = python;
	loader_open(l);
	unpack_to(zip_kind(head, n), name, fd, head, n, feed, &scan);
	kineto_scan_end(&scan);
	if (scan.events_depth == 0)
		die("%s: JSON, but not a trace of torch.profiler: it has no"
		    " traceEvents",
		    name);
	k->lost = scan.lost;
	k->breaks = scan.breaks;
	loader_close(l);
	kineto_scan_free(&scan);
	free(l);
	return k;
}

static bool
is_json_file(const unsigned char *head, size_t n)
{
	unsigned char s[HEAD_SIZE];
	enum zip zip = zip_kind(head, n);

	if (zip == ZIP_NONE)
		return head_is_json(head, n);
	return head_is_json(s, zip_peek(zip, head, n, s, sizeof(s)));
}

/* The same for a file that was unpacked to look for a .dict. */
static struct kineto *
begin_unpacked(struct infile *in, const char *name, bool python, bool resync)
{
	unsigned char head[HEAD_SIZE];
	struct kineto *k = NULL;
	size_t n;
	int fd = open(in->unpacked, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL; /* infile_open() reports the error */
	n = head_read(in, name, fd, head, sizeof(head));
	if (head_is_json(head, n)) {
		k = kineto_load(name, fd, head, n, python, resync);
		infile_forget(in);
	}
	close(fd);
	return k;
}

struct kineto *
kineto_begin(struct infile *in, const char *path, bool python, bool resync)
{
	const char *name = head_name(path);
	unsigned char head[HEAD_SIZE];
	struct kineto *k;
	struct stat st;
	size_t n;
	int fd;

	if (in->unpacked != NULL)
		return begin_unpacked(in, name, python, resync);
	fd = head_open(in, path);
	if (fd < 0 || fstat(fd, &st) != 0 || S_ISDIR(st.st_mode)) {
		head_close(fd);
		return NULL; /* infile_open() reports the error */
	}
	n = head_read(in, name, fd, head, sizeof(head));
	if (is_json_file(head, n)) {
		k = kineto_load(name, fd, head, n, python, resync);
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
	map_free(&k->threads);
	map_free(&k->procs);
	buf_free(&k->head);
	buf_free(&k->text);
	free(k);
}
