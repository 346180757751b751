/*
 * Ops of DLProf's database, written before their first use, and their runs. The
 * database holds shapes per run; an op gets the shapes of its first run. Each
 * row of work names its op and the run; the work of a run is summed up while
 * the run is open.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "dldb_reader.h"
#include "emit.h"
#include "esc.h"
#include "num.h"
#include "out.h"
#include "profile.h"
#include "schema.h"
#include "selection.h"

struct dldb_op {
	int64_t row, op_id;
	uint32_t type; /* number in types, from 1 */
	uint32_t nth;  /* runs that began */
	uint32_t dir;  /* number in types, from 1 */
	bool none;     /* stands for calls outside of all ops */
};

/* Shapes as DLProf prints them. */

/* The end of the next [...] without brackets inside; *s moves past its opening
 * bracket. NULL if there is none. */
static const char *
next_list(const char **s)
{
	const char *open, *end;

	open = strchr(*s, '[');
	while (open != NULL && open[1 + strspn(open + 1, " ")] == '[')
		open = strchr(open + 1, '[');
	if (open == NULL || (end = strchr(open, ']')) == NULL)
		return NULL;
	*s = open + 1;
	return end;
}

static size_t
items(const char *s, const char *end)
{
	size_t n = s < end;

	for (; s < end; s++)
		n += *s == ',';
	return n;
}

/* Appends the numbers, with letters before them if there are as many. */
static void
put_dims(struct buf *b, const char *s, const char *end, const char *let,
    const char *let_end)
{
	bool with = let < let_end && items(let, let_end) == items(s, end);
	size_t n;

	buf_putc(b, '<');
	while (s < end) {
		if (with) {
			n = strcspn(let, ",;");
			buf_put(b, let, n);
			buf_putc(b, ':');
			let += n + (let[n] == ',');
		}
		n = strcspn(s, ",]");
		buf_put(b, s, n);
		s += n + 1;
		if (s < end)
			buf_puts(b, ", ");
	}
	buf_putc(b, '>');
}

/* The next name of a JSON list of texts, put before its shape. */
static void
put_tensor_name(struct buf *b, const char **names)
{
	const char *s = *names != NULL ? strchr(*names, '"') : NULL;
	size_t n;

	if (s == NULL)
		return;
	for (n = 1; s[n] != '\0' && s[n] != '"'; n++)
		if (s[n] == '\\' && s[n + 1] != '\0')
			n++;
	if (n > 1) {
		buf_put(b, s + 1, n - 1);
		buf_puts(b, ": ");
	}
	*names = s + n + (s[n] == '"');
}

static size_t
names_in(const char *s)
{
	struct buf skip = { 0 };
	size_t n = 0;

	for (; s != NULL && strchr(s, '"') != NULL; n++)
		put_tensor_name(&skip, &s);
	buf_free(&skip);
	return n;
}

static size_t
lists_in(const char *s)
{
	const char *end;
	size_t n = 0;

	for (; (end = next_list(&s)) != NULL; s = end + 1)
		n++;
	return n;
}

static bool
any_name(const char *names)
{
	struct buf b = { 0 };
	bool any;

	while (names != NULL && strchr(names, '"') != NULL)
		put_tensor_name(&b, &names);
	any = b.len > 0;
	buf_free(&b);
	return any;
}

/* Shapes with names are joined by commas. dlp-dldb also lists numbers among the
 * shapes, as [], which have no name. */
static void
dldb_shape(
    struct buf *b, const char *shapes, const char *names, const char *letters)
{
	const char *end, *let = letters != NULL ? letters : "";
	size_t n, first = b->len, n_names = names_in(names);
	const char *sep = any_name(names) ? ", " : "; ";
	bool numbers;

	if (shapes == NULL)
		return;
	numbers = n_names > 0 && n_names < lists_in(shapes);
	for (; (end = next_list(&shapes)) != NULL; shapes = end + 1) {
		if (numbers && items(shapes, end) == 0)
			continue;
		if (b->len > first)
			buf_puts(b, sep);
		put_tensor_name(b, &names);
		n = strcspn(let, ";");
		put_dims(b, shapes, end, let, let + n);
		let += n + (let[n] == ';');
	}
}

/* The texts of an op's row, in the order of the query. */
enum {
	F_ID,
	F_NAME,
	F_TYPE,
	F_DIR,
	F_DTYPE,
	F_LETTERS,
	F_OUT,
	F_STACK,
	F_TC,
	F_N
};

static const char *const op_cols[] = { "op_id", "op_name", "op_type_id",
	"direction_id", "data_type_id", "data_format_id", "output_format_id",
	"stack_trace", "tc_support_status", NULL };

#define IS_DICT(f) ((f) >= F_TYPE && (f) <= F_OUT)

static void
open_op_row(struct dldb_in *d)
{
	static const char table[] = "read_only_ops";
	struct buf b = { 0 };
	char *known;
	int f;

	free(dldb_cols(d, table, op_cols));
	for (f = 0; f < F_N; f++) {
		known = db_col(d->db, table, op_cols[f]);
		buf_puts(&b, f > 0 ? ", " : "");
		if (known == NULL || (IS_DICT(f) && d->string == NULL))
			buf_puts(&b, "NULL");
		else if (IS_DICT(f))
			buf_printf(&b,
			    "(SELECT string FROM dictionary t"
			    " WHERE t.id = o.%s)",
			    known);
		else
			buf_printf(&b, "o.%s", known);
		free(known);
	}
	d->op_row = db_prepare(d->db,
	    "SELECT %s FROM read_only_ops o WHERE rowid = ?1", buf_str(&b));
	buf_free(&b);
}

static void
close_ops(struct dldb_in *d)
{
	buf_free(&d->shapes);
	buf_free(&d->names);
	buf_free(&d->outs);
	sqlite3_finalize(d->op_row);
	map_free(&d->op_at);
	smap_free(&d->types);
	free(d->op);
}

void
dldb_rec(struct dldb_in *d, struct out_type **type, const char *tag,
    const char *const *cols, int n)
{
	const char *names[32];

	if (*type == NULL) {
		memcpy(names, cols, (size_t)n * sizeof(*names));
		names[n] = "src";
		*type = out_type(tag, names, n + d->prof->run->out.with_src);
	}
	out_rec(*type);
}

static const char *
type_word(const struct dldb_in *d, uint32_t no)
{
	return no > 0 ? smap_str(&d->types, no - 1, NULL) : NULL;
}

/* Escaped; NULL if unset. */
static const char *
op_type(const struct dldb_in *d, const struct dldb_op *op)
{
	return type_word(d, op->type);
}

static const char *
op_dir(const struct dldb_in *d, const struct dldb_op *op)
{
	return type_word(d, op->dir);
}

static uint32_t
intern(struct dldb_in *d, const char *s)
{
	struct buf b = { 0 };
	uint32_t no = 0;

	if (s != NULL && *s != '\0') {
		esc_put(&b, s, strlen(s));
		no = smap_put(&d->types, b.s, b.len, NULL) + 1;
		buf_free(&b);
	}
	return no;
}

/* A text of the dictionary, without the LF that DLProf appends to JSON; NULL
 * for "null" and for an id that the dictionary does not have. */
static const char *
json(struct dldb_in *d, int64_t id, struct buf *b)
{
	buf_clear(b);
	if (id == EV_UNSET || !dldb_string(d, id, b))
		return NULL;
	while (b->len > 0 && b->s[b->len - 1] == '\n')
		b->len--;
	return strcmp(buf_str(b), "null") == 0 || b->len == 0 ? NULL : b->s;
}

static void
put_op_text(const char *s)
{
	if (s == NULL || *s == '\0')
		out_unset();
	else
		out_text(s, strlen(s));
}

/* DLProf writes file:line one per line; records separate them by commas. */
static void
put_stack(const char *s)
{
	struct buf b = { 0 };
	size_t i;

	if (s != NULL)
		buf_puts(&b, s);
	for (i = 0; i < b.len; i++)
		if (b.s[i] == '\n')
			b.s[i] = ',';
	put_op_text(buf_str(&b));
	buf_free(&b);
}

/* Eligible, not eligible. 2 is unassociated; 1 was never seen. */
static const char *
eligible(const char *status)
{
	if (status == NULL || status[0] == '\0' || status[1] != '\0')
		return NULL;
	return status[0] == '0' ? "yes" : status[0] == '3' ? "no" : NULL;
}

static void
put_op_key(const char *const *v, const char *shapes)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s|%s|%s", v[F_NAME] != NULL ? v[F_NAME] : "",
	    v[F_DIR] != NULL ? v[F_DIR] : "", shapes != NULL ? shapes : "");
	put_op_text(buf_str(&b));
	buf_free(&b);
}

static void
put_op_shape(const char *shapes, const char *names, const char *letters)
{
	struct buf b = { 0 };

	dldb_shape(&b, shapes, names, letters);
	put_op_text(buf_str(&b));
	buf_free(&b);
}

/* The gradient of a result has the sizes of the result. dlp-flops needs these
 * for a convolution, because DLProf does not record stride and padding. */
static void
put_bwd(const char *type, const char *outs)
{
	if (outs != NULL && type != NULL && strncmp(type, "conv", 4) == 0)
		out_text(outs, strlen(outs));
	else
		out_unset();
}

static void
put_op_record(struct dldb_in *d, const struct dldb_op *op, const char *const *v,
    const struct event *run)
{
	static const char *const names[] = { "op_id", "key", "name", "mod",
		"op", "dir", "layer", "by", "text", "dtype", "shapes", "args",
		"bwd_shapes", "fwd_op_id", "stack", "trace", "dl_id", "dl_in",
		"dl_out", "dl_tc" };
	struct emit *o = &d->prof->run->out;
	const char *shapes =
	    json(d, run ? run->run.shapes : EV_UNSET, &d->shapes);
	const char *out = json(d, run ? run->run.outs : EV_UNSET, &d->outs);
	const char *by = dldb_own_marker(d, op->row);

	dldb_rec(d, &o->op_type, "op", names, (int)ARRAY_LEN(names));
	out_i64(op->op_id);
	put_op_key(v, shapes);
	put_op_text(v[F_NAME]);
	out_unset();
	put_op_text(v[F_TYPE]);
	put_op_text(v[F_DIR]);
	out_unset();
	emit_word(by != NULL ? by : op->none ? "api" : "dlprof");
	out_unset();
	put_op_text(v[F_DTYPE]);
	if (shapes == NULL && op->none)
		out_unset();
	else /* an op without sizes had no tensors */
		out_text(shapes != NULL ? shapes : "",
		    shapes != NULL ? strlen(shapes) : 0);
	out_unset();
	put_bwd(v[F_TYPE], out);
	out_unset();
	put_stack(v[F_STACK]);
	out_unset();
	put_op_text(v[F_ID]);
	put_op_shape(shapes,
	    json(d, run ? run->run.names : EV_UNSET, &d->names), v[F_LETTERS]);
	put_op_shape(out, NULL, v[F_OUT]);
	emit_word(eligible(v[F_TC]));
	emit_src(d->prof);
	out_end();
}

static void
read_op(struct dldb_in *d, struct dldb_op *op, const struct event *run)
{
	const char *v[F_N] = { NULL };
	int f;

	sqlite3_bind_int64(d->op_row, 1, op->row);
	if (db_step(d->op_row))
		for (f = 0; f < F_N; f++)
			v[f] = (const char *)sqlite3_column_text(d->op_row, f);
	op->type = intern(d, v[F_TYPE]);
	op->dir = intern(d, v[F_DIR]);
	op->none = v[F_TC] != NULL && strcmp(v[F_TC], "2") == 0;
	if (select_type(&d->prof->run->sel, "op"))
		put_op_record(d, op, v, run);
	sqlite3_reset(d->op_row);
}

/* The op of that row; its record has been written. run is its first run, which
 * has the shapes; NULL if it is not at hand. Valid until the next call. */
static struct dldb_op *
find_op(struct dldb_in *d, int64_t row, const struct event *run)
{
	bool is_new;
	uint64_t *no = map_put(&d->op_at, (uint64_t)row, &is_new);
	struct dldb_op *op;

	if (!is_new)
		return &d->op[*no - 1];
	ARRAY_GROW(d->op, d->n_op, d->cap_op);
	op = &d->op[d->n_op++];
	*no = d->n_op;
	memset(op, 0, sizeof(*op));
	op->row = row;
	op->op_id = ++d->prof->run->out.op_ids;
	read_op(d, op, run);
	return op;
}

/* Runs of an op are numbered in table order. That is nearly always the order of
 * their starts, and then no number has to be kept. */
static bool
in_start_order(struct dldb_in *d)
{
	struct map last = { 0 };
	sqlite3_stmt *st;
	uint64_t *v;
	bool is_new, ok = true;
	int64_t start;

	st = db_prepare(d->db, "SELECT read_only_ops_id, cpu_start FROM"
			       " read_only_op_instances ORDER BY rowid");
	while (ok && db_step(st)) {
		v = map_put(&last, (uint64_t)db_i64(st, 0), &is_new);
		start = sqlite3_column_int64(st, 1);
		ok = is_new || (int64_t)*v <= start;
		*v = (uint64_t)start;
	}
	sqlite3_finalize(st);
	map_free(&last);
	return ok;
}

static void
number_runs(struct dldb_in *d)
{
	struct map n = { 0 };
	sqlite3_stmt *st;

	st = db_prepare(d->db, "SELECT rowid, read_only_ops_id FROM"
			       " read_only_op_instances ORDER BY rowid");
	while (db_step(st))
		*map_put(&d->nth_of, (uint64_t)db_i64(st, 0), NULL) =
		    (*map_put(&n, (uint64_t)db_i64(st, 1), NULL))++;
	sqlite3_finalize(st);
	map_free(&n);
}

void
dldb_ops_open(struct dldb_in *d)
{
	static const char table[] = "read_only_op_instances";

	open_op_row(d);
	if (!db_has_column(d->db, table, "read_only_ops_id") ||
	    !db_has_column(d->db, table, "cpu_start") || in_start_order(d))
		return;
	d->disordered = true;
	number_runs(d);
}

void
dldb_ops_close(struct dldb_in *d)
{
	size_t i;

	for (i = 0; i < d->n_run; i++) {
		ivl_by_free(&d->run[i].gpu);
		ivl_free(&d->run[i].api);
	}
	free(d->run);
	free(d->spare);
	map_free(&d->run_at);
	map_free(&d->run_key);
	map_free(&d->nth_of);
	close_ops(d);
}

static struct dldb_run *
new_run(struct dldb_in *d, uint32_t *no)
{
	struct ivl_by gpu;
	struct ivl api;
	struct dldb_run *r;

	if (d->n_spare > 0) {
		*no = d->spare[--d->n_spare];
	} else {
		ARRAY_GROW(d->run, d->n_run, d->cap_run);
		memset(&d->run[d->n_run++], 0, sizeof(*r));
		*no = (uint32_t)d->n_run;
	}
	r = &d->run[*no - 1];
	gpu = r->gpu;
	api = r->api;
	memset(r, 0, sizeof(*r));
	r->gpu = gpu;
	r->api = api;
	ivl_by_clear(&r->gpu);
	ivl_clear(&r->api);
	r->gpu_lo = INT64_MAX;
	r->gpu_hi = INT64_MIN;
	return r;
}

static void
free_run(struct dldb_in *d, uint32_t no)
{
	ARRAY_GROW(d->spare, d->n_spare, d->cap_spare);
	d->spare[d->n_spare++] = no;
}

/* Packs both numbers into one key. They fit, because a database cannot have
 * 2^32 ops. Numbers that do not fit give no key. */
static uint64_t
run_key(int64_t op, int64_t nth)
{
	return (uint64_t)op << 32 ^ ((uint64_t)nth & UINT32_MAX);
}

static struct dldb_run *
find_run(const struct dldb_in *d, int64_t op, int64_t nth)
{
	const uint64_t *no = map_get(&d->run_key, run_key(op, nth));
	struct dldb_run *r;

	if (no == NULL)
		return NULL;
	r = &d->run[*no - 1];
	return r->op == op && r->nth == nth ? r : NULL;
}

void
dldb_run(void *ctx, const struct event *ev, bool wanted)
{
	struct dldb_in *d = ctx;
	struct dldb_op *op = find_op(d, ev->op, ev);
	struct dldb_run *r;
	const uint64_t *nth;
	uint32_t no;

	r = new_run(d, &no);
	r->op = ev->op;
	r->row = ev->nth;
	r->inst_id = ++d->prof->run->out.inst_ids;
	r->nth = op->nth++;
	nth = d->disordered ? map_get(&d->nth_of, (uint64_t)r->row) : NULL;
	if (nth != NULL)
		r->nth = (int64_t)*nth;
	r->start = ev->start;
	r->wanted = wanted;
	*map_put(&d->run_at, (uint64_t)r->row, NULL) = no;
	*map_put(&d->run_key, run_key(r->op, r->nth), NULL) = no;
}

static void
put_run_gpu(const struct dldb_run *r, int64_t cpu)
{
	int64_t busy = ivl_len(&r->gpu.all), api = ivl_len(&r->api);
	bool gpu = r->gpu_lo <= r->gpu_hi, on_cpu = cpu != EV_UNSET;

	out_opt(gpu, r->gpu_lo);
	out_opt(gpu, r->gpu_hi);
	out_i64(ivl_by_len(&r->gpu));
	out_opt(on_cpu, num_sub(cpu, api));
	out_i64(gpu ? num_sub(num_sub(r->gpu_hi, r->gpu_lo), busy) : 0);
	out_opt(on_cpu, api);
	out_i64(r->n_kern);
	out_i64(r->n_gpu);
	out_opt(on_cpu, r->n_call);
}

static void
put_run(struct dldb_in *d, const struct dldb_run *r, const struct event *ev)
{
	static const char *const names[] = { "inst_id", "op_id", "start_ns",
		"dur_ns", "pid", "tid", "gpu_start_ns", "gpu_end_ns", "gpu_ns",
		"overhead_ns", "idle_ns", "api_ns", "n_kern", "n_gpu", "n_call",
		"op", "dir", "seq", "fwd_inst_id", "layer", "phase",
		"launch_id" };
	struct emit *o = &d->prof->run->out;
	struct dldb_op *op = find_op(d, r->op, NULL);
	int64_t cpu =
	    ev->corr == EV_UNSET ? EV_UNSET : num_sub(ev->corr, r->start);

	dldb_rec(d, &o->inst_type, "inst", names, (int)ARRAY_LEN(names));
	out_i64(r->inst_id);
	out_i64(op->op_id);
	out_i64(r->start);
	emit_dur(o, r->start, ev->corr);
	emit_num(ev->pid);
	emit_num(ev->tid);
	put_run_gpu(r, cpu);
	emit_word(op_type(d, op));
	emit_word(op_dir(d, op));
	out_unsets(5);
	emit_src(d->prof);
	out_end();
}

void
dldb_run_end(void *ctx, const struct event *ev)
{
	struct dldb_in *d = ctx;
	const uint64_t *no = map_get(&d->run_at, (uint64_t)ev->nth);
	struct dldb_run *r;
	uint32_t n;

	if (no == NULL)
		return;
	n = (uint32_t)*no;
	r = &d->run[n - 1];
	if (r->wanted)
		put_run(d, r, ev);
	map_del(&d->run_at, (uint64_t)r->row);
	map_del(&d->run_key, run_key(r->op, r->nth));
	free_run(d, n);
}

static void
count_gpu(struct dldb_run *r, const struct event *ev)
{
	int64_t end = ev->gpu.own.end;

	if (end == EV_UNSET || end < ev->gpu.own.start)
		return;
	ivl_by_add(&r->gpu, ev->gpu.dev, ev->gpu.own.start, end);
	if (ev->gpu.own.start < r->gpu_lo)
		r->gpu_lo = ev->gpu.own.start;
	if (end > r->gpu_hi)
		r->gpu_hi = end;
	r->n_gpu++;
	if (ev->kind == EV_KERN)
		r->n_kern++;
}

bool
dldb_work(void *ctx, const struct event *ev, struct work_op *w)
{
	struct dldb_in *d = ctx;
	struct dldb_run *r;
	struct dldb_op *op;

	if (ev->op == EV_UNSET)
		return false;
	op = find_op(d, ev->op, NULL);
	w->op_id = op->op_id;
	w->inst_id = w->op_start = EV_UNSET;
	w->op = op_type(d, op);
	w->dir = op_dir(d, op);
	w->none = op->none;
	r = find_run(d, ev->op, ev->nth);
	if (r == NULL) {
		d->stray++;
		return true;
	}
	w->inst_id = r->inst_id;
	w->op_start = r->start;
	if (!EV_IS_GPU(ev->kind) ||
	    (!ev->gpu.own.none && ev->end != ev->start)) {
		r->n_call++;
		ivl_add(&r->api, ev->start, ev->end);
	}
	if (EV_IS_GPU(ev->kind) && ev->kind != EV_SYNC)
		count_gpu(r, ev);
	return true;
}
