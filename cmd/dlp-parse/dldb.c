/*
 * DLProf's own database. It holds the result of correlation: ops, their runs,
 * and the calls and GPU work of each, so this dialect also writes op and inst
 * records. A row of GPU work includes its call. Of the aggregated half of the
 * database only the user's choices are read: key op, range, findings. The names
 * of the user and the host are never read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cols.h"
#include "dialect.h"
#include "emit.h"
#include "esc.h"
#include "ivl.h"
#include "map.h"
#include "num.h"
#include "out.h"
#include "profile.h"
#include "schema.h"
#include "selection.h"
#include "stage.h"

#define MAX_MISSING 64

struct dldb_run {
	int64_t op, nth; /* the op's row; the number of its run */
	int64_t row;     /* the run's own row */
	int64_t inst_id; /* its number in the stream */
	int64_t start;
	int64_t gpu_lo, gpu_hi;
	int64_t n_kern, n_gpu, n_call;
	struct ivl_by gpu;
	struct ivl api;
	bool wanted;
};

struct dldb_in {
	struct profile *prof;
	sqlite3 *db;
	sqlite3_stmt *string, *op_row;
	int64_t empty, graph; /* dictionary ids: "", "[CUDA graph]" */
	struct smap missing;  /* "table.column" */
	/* ops, runs */
	struct map op_at; /* row -> number in op, from 1 */
	struct dldb_op *op;
	size_t n_op, cap_op;
	struct smap types; /* op types and directions, escaped */
	struct map nth_of; /* run's row -> number of the run, if not in start
			    * order */
	bool disordered;
	struct map run_at;  /* run's row -> number in run, from 1 */
	struct map run_key; /* op and number of the run -> the same */
	struct dldb_run *run;
	size_t n_run, cap_run;
	uint32_t *spare; /* numbers of runs that are closed */
	size_t n_spare, cap_spare;
	struct buf shapes, names, outs; /* of the op that is written */
	/* the tables dlp_* */
	sqlite3_stmt *marker;
	struct map kept_at; /* dictionary id -> number in kept */
	struct smap kept;
	uint64_t stray; /* work outside of the run that it belongs to */
};

static void
note_missing(struct dldb_in *d, const char *table, const char *column)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s%s%s", table, *column != '\0' ? "." : "", column);
	if (d->missing.n < MAX_MISSING)
		smap_put(&d->missing, b.s, b.len, NULL);
	buf_free(&b);
}

/* Notes the columns that the table does not have; false if there is no such
 * table. */
static bool
check_cols(struct dldb_in *d, const char *table, const char *const *names)
{
	if (!db_has_table(d->db, table)) {
		note_missing(d, table, "");
		return false;
	}
	for (; *names != NULL; names++)
		if (!db_has_column(d->db, table, *names))
			note_missing(d, table, *names);
	return true;
}

/* A text of the dictionary; see dialect.string. */
static bool
dldb_string(void *ctx, int64_t id, struct buf *out)
{
	struct dldb_in *d = ctx;

	return db_string(d->string, id, out);
}

/*
 * The tables with events of DLProf's database: the five tables of work, and the
 * table of runs, which is read twice, by starts and by ends. DLProf writes its
 * tables op by op, so the rows must be sorted; databases of dlp-dldb are
 * already in order. The tables dlp_* exist only in databases of dlp-dldb.
 */

/* A text of the dictionary that lives as long as the dialect. */
static const char *
kept(struct dldb_in *d, int64_t id)
{
	bool is_new;
	uint64_t *no = map_put(&d->kept_at, (uint64_t)id, &is_new);
	struct buf b = { 0 };

	if (is_new) {
		if (id != EV_UNSET)
			dldb_string(d, id, &b);
		*no = smap_put(&d->kept, buf_str(&b), b.len, NULL);
		buf_free(&b);
	}
	return smap_str(&d->kept, (uint32_t)*no, NULL);
}

static const char *
kept_word(struct dldb_in *d, int64_t id)
{
	const char *s = kept(d, id);

	return *s != '\0' ? s : NULL;
}

/* The numbers between two places, if there are any. */
static size_t
items(const char *s, const char *end)
{
	size_t n = s < end;

	for (; s < end; s++)
		n += *s == ',';
	return n;
}

/* Begins a record of the n columns, with src if there are several files. *type
 * is declared at its first record. */
static void
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

static bool
range_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct dldb_in *d = ctx;

	if (!source_row(ctx, s, col, ev))
		return false;
	ev->range.domain = kept(d, db_value(col[6]));
	ev->range.push = strcmp(kept(d, db_value(col[7])), "push") == 0;
	ev->range.layer = kept_word(d, db_value(col[10]));
	return true;
}

static bool
mem_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct dldb_in *d = ctx;

	if (!source_row(ctx, s, col, ev))
		return false;
	ev->mem.op = kept_word(d, db_value(col[4]));
	ev->mem.kind = kept_word(d, db_value(col[7]));
	ev->mem.corr = EV_UNSET;
	return true;
}

#define OWN_SPAN                                                               \
	C_START("start_time"), C_END("stop_time"), C_NUM("process_id", pid),   \
	    C_NUM("thread_id", tid)

static const struct ev_table own_tables[] = {
	{ EV_RANGE, "dlp_ranges", range_row, NULL,
	    { OWN_SPAN, C_NUM("end_thread_id", range.end_tid),
		C_NONE("domain_id"), C_NONE("mode_id"), C_NUM("text_id", name),
		C_NUM("level", range.level), C_NONE("layer_id") } },
	{ EV_OS, "dlp_os_calls", source_row, NULL,
	    { OWN_SPAN, C_NUM("name_id", name) } },
	{ EV_MEM, "dlp_memory", mem_row, NULL,
	    { C_START("time"), C_NUM("process_id", pid),
		C_NUM("device_id", mem.dev), C_NONE("op_id"),
		C_NUM("num_bytes", mem.bytes), C_NUM("address", mem.addr),
		C_NONE("kind_id"), C_NUM("pool_address", mem.pool),
		C_NUM("pool_bytes", mem.pool_bytes) } },
};

/* Writes the facts for which known() is false. Returns false if there are no
 * facts at all. */
static bool
put_own_facts(struct dldb_in *d, bool (*known)(const char *name))
{
	static const char *const names[] = { "name", "value", NULL };
	sqlite3_stmt *st;
	const char *name, *value;

	if (!db_has_columns(d->db, "dlp_facts", names))
		return false;
	st = db_rows(d->db, "dlp_facts", "name", names, "ORDER BY id");
	while (db_next(&st)) {
		name = db_str(st, 0);
		value = db_str(st, 1);
		if (name != NULL && value != NULL && !known(name))
			fact_info(d->prof, name, "%s", value);
	}
	return true;
}

/* Adds the facts of a device that DLProf's tables do not have. */
static void
read_own_dev(struct dldb_in *d, struct dev_fact *f)
{
	static const char *const cols[] = { "clock_hz", "mem_bytes",
		"membw_bytes_s", NULL };
	sqlite3_stmt *st = db_rows(
	    d->db, "dlp_devices", "device_id", cols, "WHERE device_id = ?1");

	if (st == NULL)
		return;
	check_cols(d, "dlp_devices", cols);
	sqlite3_bind_int64(st, 1, f->dev);
	if (db_step(st)) {
		f->clock_hz = db_i64(st, 0);
		f->mem_bytes = db_i64(st, 1);
		f->membw_bytes_s = db_i64(st, 2);
	}
	sqlite3_finalize(st);
}

static const struct ev_words copy_kinds = { 0, 14,
	{ "unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA",
	    "DtoD", "HtoH", "PtoP", "UVM-HtoD", "UVM-DtoH", "UVM-DtoD" } };
/* As Nsight Systems numbered them in DLProf's time. */
static const struct ev_words sync_kinds = { 1, 4,
	{ "context", "event", "stream" } };

/* A process or thread is -1 where dlp-dldb does not know it. */
static bool
work_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	(void)ctx;
	ev->gpu.own.tc = ev->gpu.own.api = EV_UNSET;
	if (s->kind == EV_SET)
		ev->gpu.set.value = EV_UNSET;
	if (!source_row(ctx, s, col, ev))
		return false;
	if (s->kind == EV_CALL)
		ev->call.ret = EV_UNSET;
	else
		ev->gpu.own.none = ev->tid == -1;
	if (ev->pid == -1)
		ev->pid = EV_UNSET;
	if (ev->tid == -1)
		ev->tid = EV_UNSET;
	if (s->kind == EV_CALL)
		return true;
	if (s->kind != EV_KERN)
		ev->gpu.own.api = ev->name;
	ev->gpu.ctx = ev->gpu.stream = ev->gpu.node = EV_UNSET;
	if (ev->gpu.own.start == EV_UNSET)
		source_bad_row(s);
	return ev->gpu.own.start != EV_UNSET;
}

/* After the columns of kernels: the sizes of grid and block. */
#define DIMS_AT 15
#define DIMS ", g.x, g.y, g.z, b.x, b.y, b.z"
#define DIMS_FROM                                                              \
	" LEFT JOIN read_only_grid_block g ON g.id = k.grid_id"                \
	" LEFT JOIN read_only_grid_block b ON b.id = k.block_id"

static bool
kern_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct dldb_in *d = ctx;
	int i, c = DIMS_AT;

	if (!work_row(ctx, s, col, ev))
		return false;
	if (ev->gpu.kern.short_name != EV_UNSET &&
	    ev->gpu.kern.short_name == d->graph) {
		/* dlp-dldb stores the run of a whole graph this way */
		ev->kind = EV_GRAPH;
		ev->name = d->graph;
		ev->gpu.own.tc = EV_UNSET;
		ev->gpu.graph.graph = ev->gpu.graph.exec = EV_UNSET;
		return true;
	}
	ev->gpu.kern.mangled = EV_UNSET;
	if (ev->name == d->empty)
		ev->name = EV_UNSET;
	for (i = 0; i < 3; i++) {
		ev->gpu.kern.grid[i] = s->tag ? db_int(col[c + i]) : EV_UNSET;
		ev->gpu.kern.block[i] =
		    s->tag ? db_int(col[c + 3 + i]) : EV_UNSET;
	}
	ev->gpu.kern.regs = ev->gpu.kern.smem = EV_UNSET;
	ev->gpu.kern.dynsmem = EV_UNSET;
	return true;
}

/* A synchronization has no time of its own here: both are 0. */
static bool
sync_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	if (!work_row(ctx, s, col, ev))
		return false;
	if (ev->gpu.own.start == 0) {
		ev->gpu.own.start = ev->start;
		ev->gpu.own.end = EV_UNSET;
	}
	return true;
}

static bool
run_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t stop = db_int(col[2]);

	if (s->kind == EV_RUN_END && db_int(col[1]) == EV_UNSET)
		return false; /* counted at its start */
	if (!source_row(ctx, s, col, ev))
		return false;
	if (s->kind == EV_RUN_END) {
		ev->corr = stop; /* as the file has it */
		ev->end = ev->start = stop > ev->start ? stop : ev->start;
	}
	ev->nth = sqlite3_value_int64(col[0]);
	if (ev->tid == -1) {
		ev->tid = EV_UNSET;
		ev->corr = EV_UNSET; /* the CPU side was not recorded */
	}
	if (ev->pid == -1)
		ev->pid = EV_UNSET;
	return true;
}

#define WORK(name)                                                             \
	C_START("api_start"), C_END("api_stop"), C_NUM("process_id", pid),     \
	    C_NUM("thread_id", tid), C_NUM("read_only_ops_id", op),            \
	    C_NUM("op_instance", nth), C_NUM("name_id", name)
#define GPU(name)                                                              \
	WORK(name), C_NUM("gpu_start", gpu.own.start),                         \
	    C_NUM("gpu_stop", gpu.own.end), C_NUM("device_id", gpu.dev)
#define RUN                                                                    \
	C_START("cpu_start"), C_NONE("cpu_stop"), C_NUM("process_id", pid),    \
	    C_NUM("thread_id", tid), C_NUM("read_only_ops_id", op),            \
	    C_NUM("input_names_id", run.names),                                \
	    C_NUM("input_shapes_id", run.shapes),                              \
	    C_NUM("output_shapes_id", run.outs)

static const struct ev_table tables[] = {
	{ EV_RUN, "read_only_op_instances", run_row, NULL, { RUN } },
	{ EV_RUN_END, "read_only_op_instances", run_row, NULL, { RUN } },
	{ EV_CALL, "read_only_cuda_calls", work_row, NULL, { WORK(name) } },
	{ EV_KERN, "read_only_kernels", kern_row, NULL,
	    { GPU(gpu.kern.short_name), C_NUM("long_name_id", name),
		C_NUM("uses_tc", gpu.own.tc), C_NONE("grid_id"),
		C_NONE("block_id") } },
	{ EV_COPY, "read_only_memcpys", work_row, NULL,
	    { GPU(name), C_WORD("copy_kind", gpu.copy.kind, copy_kinds),
		C_NUM("num_bytes", gpu.copy.bytes) } },
	{ EV_SET, "read_only_memsets", work_row, NULL,
	    { GPU(name), C_NUM("num_bytes", gpu.set.bytes) } },
	{ EV_SYNC, "read_only_cuda_syncs", sync_row, NULL,
	    { GPU(name), C_WORD("sync_type", gpu.sync.kind, sync_kinds),
		C_TO("event_id", AS_U32, gpu.sync.event) } },
};

/* The sizes are read with the kernels, if the database has them. */
static void
join_dims(struct dldb_in *d, struct ev_source *s)
{
	static const char *const dims[] = { "id", "x", "y", "z", NULL };
	static const char *const need[] = { "grid_id", "block_id", NULL };

	if (!check_cols(d, "read_only_grid_block", dims) ||
	    !db_has_columns(d->db, "read_only_grid_block", dims) ||
	    !db_has_columns(d->db, s->table, need))
		return;
	s->cols = source_sql(s->of, "%s" DIMS, s->cols);
	s->from = "read_only_kernels k NOT INDEXED" DIMS_FROM;
	s->key = "k.rowid";
	s->tag = 1;
}

static void
add_tables(struct dldb_in *d)
{
	static const char stop[] =
	    "max(cpu_start, ifnull(cpu_stop, cpu_start))";
	const char *names[ARRAY_LEN(tables->cols)];
	struct ev_sources *ss = &d->prof->sources;
	const struct ev_table *t;
	struct ev_source *s;
	int i;

	ss->only_int = INT_ALL;
	for (t = tables; t < tables + ARRAY_LEN(tables); t++) {
		for (i = 0; (names[i] = t->cols[i].name) != NULL; i++)
			;
		if (!check_cols(d, t->name, names) ||
		    (s = source_table(d->prof, t)) == NULL)
			continue;
		if (t->kind == EV_RUN_END)
			s->start = s->end = stop;
		s->launches = EV_IS_GPU(s->kind);
		if (s->kind == EV_KERN)
			join_dims(d, s);
	}
	/* the tables dlp_*, which dlp-dldb adds to DLProf's */
	ss->only_int = INT_NONE;
	for (t = own_tables; t < own_tables + ARRAY_LEN(own_tables); t++) {
		for (i = 0; (names[i] = t->cols[i].name) != NULL; i++)
			;
		if (d->string != NULL && source_table(d->prof, t) != NULL)
			check_cols(d, t->name, names);
	}
}

/*
 * Ops of DLProf's database, written before their first use, and their runs. The
 * database holds shapes per run; an op gets the shapes of its first run. Each
 * row of work names its op and the run; the work of a run is summed up while
 * the run is open.
 */

struct dldb_op {
	int64_t row, op_id;
	const char *type, *dir; /* words in types; NULL: unset */
	uint32_t nth;           /* runs that began */
	bool none;              /* stands for calls outside of all ops */
};

/* Shapes as DLProf prints them. */

/* The end of the next [...] without brackets inside; *s moves past its opening
 * bracket. NULL if there is none. */
static const char *
next_list(const char **s)
{
	const char *open = strchr(*s, '['), *end;

	while (open != NULL && open[1 + strspn(open + 1, " ")] == '[')
		open = strchr(open + 1, '[');
	if (open == NULL || (end = strchr(open, ']')) == NULL)
		return NULL;
	*s = open + 1;
	return end;
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

/* The next name of a JSON list of texts, put before its shape; false if there
 * is none. */
static bool
put_tensor_name(struct buf *b, const char **names)
{
	const char *s = *names != NULL ? strchr(*names, '"') : NULL;
	size_t n;

	if (s == NULL)
		return false;
	for (n = 1; s[n] != '\0' && s[n] != '"'; n++)
		if (s[n] == '\\' && s[n + 1] != '\0')
			n++;
	if (n > 1) {
		buf_put(b, s + 1, n - 1);
		buf_puts(b, ": ");
	}
	*names = s + n + (s[n] == '"');
	return true;
}

/* Shapes with names are joined by commas. dlp-dldb also lists numbers among the
 * shapes, as [], which have no name. */
static void
put_shapes(const char *shapes, const char *names, const char *letters)
{
	const char *end, *let = letters != NULL ? letters : "", *s;
	size_t n, n_names = 0, n_lists = 0;
	struct buf b = { 0 };
	const char *sep;

	for (s = names; put_tensor_name(&b, &s);)
		n_names++;
	sep = b.len > 0 ? ", " : "; ";
	buf_clear(&b);
	for (s = shapes; s != NULL && (end = next_list(&s)) != NULL;
	     s = end + 1)
		n_lists++;
	for (s = shapes; s != NULL && (end = next_list(&s)) != NULL;
	     s = end + 1) {
		if (n_names > 0 && n_names < n_lists && items(s, end) == 0)
			continue;
		if (b.len > 0)
			buf_puts(&b, sep);
		put_tensor_name(&b, &names);
		n = strcspn(let, ";");
		put_dims(&b, s, end, let, let + n);
		let += n + (let[n] == ';');
	}
	out_text(b.len > 0 ? b.s : NULL, b.len);
	buf_free(&b);
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
	int f;

	check_cols(d, table, op_cols);
	for (f = 0; f < F_N; f++) {
		buf_puts(&b, f > 0 ? ", " : "");
		if (!db_has_column(d->db, table, op_cols[f]) ||
		    (IS_DICT(f) && d->string == NULL))
			buf_puts(&b, "NULL");
		else if (IS_DICT(f))
			buf_printf(&b,
			    "(SELECT string FROM dictionary t"
			    " WHERE t.id = o.\"%s\")",
			    op_cols[f]);
		else
			buf_printf(&b, "o.\"%s\"", op_cols[f]);
	}
	d->op_row = db_prepare(d->db,
	    "SELECT %s FROM read_only_ops o WHERE rowid = ?1", buf_str(&b));
	buf_free(&b);
}

static void
put_text(const char *s)
{
	if (s == NULL || *s == '\0')
		out_unset();
	else
		out_text(s, strlen(s));
}

/* A word of types, escaped; NULL for none. */
static const char *
intern(struct dldb_in *d, const char *s)
{
	struct buf b = { 0 };

	if (s == NULL || *s == '\0')
		return NULL;
	esc_put(&b, s, strlen(s));
	s = smap_str(&d->types, smap_put(&d->types, b.s, b.len, NULL), NULL);
	buf_free(&b);
	return s;
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
put_op_record(struct dldb_in *d, const struct dldb_op *op, const char *const *v,
    const struct event *run)
{
	static const char *const names[] = { "op_id", "key", "name", "mod",
		"op", "dir", "layer", "by", "text", "dtype", "shapes", "args",
		"bwd_shapes", "fwd_op_id", "stack", "trace", "dl_id", "dl_in",
		"dl_out", "dl_tc" };
	const char *shapes =
	    json(d, run ? run->run.shapes : EV_UNSET, &d->shapes);
	const char *out = json(d, run ? run->run.outs : EV_UNSET, &d->outs);
	const char *by = NULL, *tc = v[F_TC];
	struct buf b = { 0 };
	size_t i;

	if (d->marker != NULL) { /* how the op was recognised */
		sqlite3_bind_int64(d->marker, 1, op->row);
		if (db_step(d->marker))
			by = kept_word(d, db_i64(d->marker, 0));
		sqlite3_reset(d->marker);
	}
	dldb_rec(
	    d, &d->prof->run->out.op_type, "op", names, (int)ARRAY_LEN(names));
	out_i64(op->op_id);
	buf_printf(&b, "%s|%s|%s", v[F_NAME] != NULL ? v[F_NAME] : "",
	    v[F_DIR] != NULL ? v[F_DIR] : "", shapes != NULL ? shapes : "");
	put_text(buf_str(&b));
	put_text(v[F_NAME]);
	out_unset();
	put_text(v[F_TYPE]);
	put_text(v[F_DIR]);
	out_unset();
	out_word(by != NULL ? by : op->none ? "api" : "dlprof");
	out_unset();
	put_text(v[F_DTYPE]);
	if (shapes == NULL && op->none)
		out_unset();
	else /* an op without sizes had no tensors */
		out_text(shapes != NULL ? shapes : "",
		    shapes != NULL ? strlen(shapes) : 0);
	out_unset();
	/* The gradient of a result has the sizes of the result. dlp-flops needs
	 * these for a convolution, because DLProf does not record stride and
	 * padding. */
	if (out != NULL && v[F_TYPE] != NULL &&
	    strncmp(v[F_TYPE], "conv", 4) == 0)
		out_text(out, strlen(out));
	else
		out_unset();
	out_unset();
	/* DLProf writes file:line one per line; records separate them by
	 * commas */
	buf_clear(&b);
	buf_puts(&b, v[F_STACK] != NULL ? v[F_STACK] : "");
	for (i = 0; i < b.len; i++)
		if (b.s[i] == '\n')
			b.s[i] = ',';
	put_text(buf_str(&b));
	out_unset();
	put_text(v[F_ID]);
	put_shapes(shapes, json(d, run ? run->run.names : EV_UNSET, &d->names),
	    v[F_LETTERS]);
	put_shapes(out, NULL, v[F_OUT]);
	/* eligible, not eligible; 2 is unassociated, 1 was never seen */
	out_word(tc == NULL             ? NULL
		 : strcmp(tc, "0") == 0 ? "yes"
		 : strcmp(tc, "3") == 0 ? "no"
					: NULL);
	emit_src(d->prof);
	out_end();
	buf_free(&b);
}

/* The op of that row; its record has been written. run is its first run, which
 * has the shapes; NULL if it is not at hand. Valid until the next call. */
static struct dldb_op *
find_op(struct dldb_in *d, int64_t row, const struct event *run)
{
	bool is_new;
	uint64_t *no = map_put(&d->op_at, (uint64_t)row, &is_new);
	struct dldb_op *op;
	const char *v[F_N] = { NULL };
	int f;

	if (!is_new)
		return &d->op[*no - 1];
	ARRAY_GROW(d->op, d->n_op, d->cap_op);
	op = &d->op[d->n_op++];
	*no = d->n_op;
	memset(op, 0, sizeof(*op));
	op->row = row;
	op->op_id = ++d->prof->run->out.op_ids;
	sqlite3_bind_int64(d->op_row, 1, op->row);
	if (db_step(d->op_row))
		for (f = 0; f < F_N; f++)
			v[f] = db_str(d->op_row, f);
	op->type = intern(d, v[F_TYPE]);
	op->dir = intern(d, v[F_DIR]);
	op->none = v[F_TC] != NULL && strcmp(v[F_TC], "2") == 0;
	if (select_type(&d->prof->run->sel, "op"))
		put_op_record(d, op, v, run);
	sqlite3_reset(d->op_row);
	return op;
}

/* Runs of an op are numbered in table order. That is nearly always the order of
 * their starts, and then no number has to be kept. */
static void
number_runs(struct dldb_in *d)
{
	static const char *const need[] = { "read_only_ops_id", "cpu_start",
		NULL };
	static const char sql[] = "SELECT rowid, read_only_ops_id, cpu_start"
				  " FROM read_only_op_instances ORDER BY rowid";
	struct map last = { 0 }, n = { 0 };
	sqlite3_stmt *st;
	uint64_t *v;
	bool is_new;
	int64_t start;

	if (!db_has_columns(d->db, "read_only_op_instances", need))
		return;
	st = db_prepare(d->db, "%s", sql);
	while (!d->disordered && db_step(st)) {
		v = map_put(&last, (uint64_t)db_i64(st, 1), &is_new);
		start = sqlite3_column_int64(st, 2);
		d->disordered = !is_new && (int64_t)*v > start;
		*v = (uint64_t)start;
	}
	sqlite3_finalize(st);
	st = d->disordered ? db_prepare(d->db, "%s", sql) : NULL;
	while (db_next(&st))
		*map_put(&d->nth_of, (uint64_t)db_i64(st, 0), NULL) =
		    (*map_put(&n, (uint64_t)db_i64(st, 1), NULL))++;
	map_free(&last);
	map_free(&n);
}

/* The place of a run that is over, or a new one. */
static struct dldb_run *
new_run(struct dldb_in *d, uint32_t *no)
{
	struct dldb_run *r, was;

	if (d->n_spare > 0) {
		*no = d->spare[--d->n_spare];
	} else {
		ARRAY_GROW(d->run, d->n_run, d->cap_run);
		memset(&d->run[d->n_run++], 0, sizeof(*r));
		*no = (uint32_t)d->n_run;
	}
	r = &d->run[*no - 1];
	was = *r;
	*r = (struct dldb_run){ .gpu = was.gpu,
		.api = was.api,
		.gpu_lo = INT64_MAX,
		.gpu_hi = INT64_MIN };
	ivl_by_clear(&r->gpu);
	ivl_clear(&r->api);
	return r;
}

/* Packs both numbers into one key. They fit, because a database cannot have
 * 2^32 ops. Numbers that do not fit give no key. */
static uint64_t
run_key(int64_t op, int64_t nth)
{
	return (uint64_t)op << 32 ^ ((uint64_t)nth & UINT32_MAX);
}

/* Runs of ops, in order; see dialect.h. */
static void
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
put_run(struct dldb_in *d, const struct dldb_run *r, const struct event *ev)
{
	static const char *const names[] = { "inst_id", "op_id", "start_ns",
		"dur_ns", "pid", "tid", "gpu_start_ns", "gpu_end_ns", "gpu_ns",
		"overhead_ns", "idle_ns", "api_ns", "n_kern", "n_gpu", "n_call",
		"op", "dir", "seq", "fwd_inst_id", "layer", "phase",
		"launch_id" };
	struct emit *o = &d->prof->run->out;
	struct dldb_op *op = find_op(d, r->op, NULL);
	int64_t busy = ivl_len(&r->gpu.all), api = ivl_len(&r->api);
	bool gpu = r->gpu_lo <= r->gpu_hi, on_cpu = ev->corr != EV_UNSET;

	dldb_rec(d, &o->inst_type, "inst", names, (int)ARRAY_LEN(names));
	out_i64(r->inst_id);
	out_i64(op->op_id);
	out_i64(r->start);
	emit_dur(o, r->start, ev->corr);
	emit_num(ev->pid);
	emit_num(ev->tid);
	out_opt(gpu, r->gpu_lo);
	out_opt(gpu, r->gpu_hi);
	out_i64(ivl_by_len(&r->gpu));
	out_opt(on_cpu, num_sub(num_sub(ev->corr, r->start), api));
	out_i64(gpu ? num_sub(num_sub(r->gpu_hi, r->gpu_lo), busy) : 0);
	out_opt(on_cpu, api);
	out_i64(r->n_kern);
	out_i64(r->n_gpu);
	out_opt(on_cpu, r->n_call);
	out_word(op->type);
	out_word(op->dir);
	out_unsets(5);
	emit_src(d->prof);
	out_end();
}

static void
dldb_run_end(void *ctx, const struct event *ev)
{
	struct dldb_in *d = ctx;
	const uint64_t *no = map_get(&d->run_at, (uint64_t)ev->nth);
	struct dldb_run *r;

	if (no == NULL)
		return;
	ARRAY_GROW(d->spare, d->n_spare, d->cap_spare);
	d->spare[d->n_spare++] = (uint32_t)*no;
	r = &d->run[*no - 1];
	if (r->wanted)
		put_run(d, r, ev);
	map_del(&d->run_at, (uint64_t)r->row);
	map_del(&d->run_key, run_key(r->op, r->nth));
}

static bool
dldb_work(void *ctx, const struct event *ev, struct work_op *w)
{
	struct dldb_in *d = ctx;
	const uint64_t *no;
	struct dldb_run *r;
	struct dldb_op *op;
	int64_t start, end;

	if (ev->op == EV_UNSET)
		return false;
	op = find_op(d, ev->op, NULL);
	*w = (struct work_op){ op->op_id, EV_UNSET, EV_UNSET, op->type, op->dir,
		op->none };
	no = map_get(&d->run_key, run_key(ev->op, ev->nth));
	r = no != NULL ? &d->run[*no - 1] : NULL;
	if (r == NULL || r->op != ev->op || r->nth != ev->nth) {
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
	if (!EV_IS_GPU(ev->kind) || ev->kind == EV_SYNC)
		return true;
	start = ev->gpu.own.start;
	end = ev->gpu.own.end;
	if (end == EV_UNSET || end < start)
		return true;
	ivl_by_add(&r->gpu, ev->gpu.dev, start, end);
	r->gpu_lo = start < r->gpu_lo ? start : r->gpu_lo;
	r->gpu_hi = end > r->gpu_hi ? end : r->gpu_hi;
	r->n_gpu++;
	r->n_kern += ev->kind == EV_KERN;
	return true;
}

/* The database, its dictionary and its facts. */

#define LATEST(t) "WHERE aggr_id = (SELECT max(aggr_id) FROM " t ")"
#define LAST(t) t " " LATEST(t)
#define SYSTEM "read_only_system_config ORDER BY id LIMIT 1"
#define MODEL "read_only_model_config ORDER BY id LIMIT 1"

enum fact_kind { TEXT, NUMBER, FLAG, KEY /* KEY: an empty text is unset */ };

/* fact, the table and column that it needs, the rest of the query after FROM */
static const struct {
	const char *fact, *table, *column, *from;
	enum fact_kind kind;
} facts[] = {
	{ "schema", "db_version", "current_version", "db_version", TEXT },
	{ "schema_original", "db_version", "original_version", "db_version",
	    TEXT },
#define SYS(f, c)                                                              \
	{                                                                      \
		f, "read_only_system_config", c, SYSTEM, TEXT                  \
	}
	SYS("dlprof_version", "dlprof_version"),
	SYS("dlprof_build", "dlprof_build"),
	SYS("nsys_version", "nsys_version"),
	SYS("n_gpu", "num_gpus"),
	SYS("cpu", "cpu_model"),
	SYS("driver", "driver_version"),
	SYS("framework", "framework"),
	SYS("cuda", "cuda_version"),
	SYS("cudnn", "cudnn_version"),
	SYS("profile_name", "profile_name"),
	/* must precede mode: by it dlp-iter knows whether there is a key */
	{ "key_op", "iteration_key", "key_node_id",
	    LAST("(SELECT aggr_id, (SELECT string FROM dictionary d WHERE"
		 " d.id = k.key_node_id) AS key_node_id FROM iteration_key"
		 " k)"),
	    KEY },
	SYS("mode", "mode_string"),
	SYS("command", "original_command"),
#define CONF(c, k)                                                             \
	{                                                                      \
		"model_" c, "read_only_model_config", c, MODEL, k              \
	}
	CONF("num_workers", NUMBER),
	CONF("pin_memory", FLAG),
	CONF("cudnn_benchmark_disabled", FLAG),
	CONF("detect_anomaly", FLAG),
	CONF("gradcheck", FLAG),
	CONF("gradgradcheck", FLAG),
	CONF("autograd_profile", FLAG),
	CONF("autograd_set_detect_anomaly", FLAG),
	CONF("emit_nvtx", FLAG),
	CONF("amp_enabled", FLAG),
#define CHOICE(f, c)                                                           \
	{                                                                      \
		f, "model_summary", c, LAST("model_summary"), NUMBER           \
	}
	CHOICE("n_iter", "iter_total"),
	CHOICE("n_iter_aggregated", "iter_aggregated"),
	CHOICE("iter_start", "iter_start"),
	CHOICE("iter_stop", "iter_stop"),
	{ "gpu_mem_total_bytes", "gpu_memories", "total",
	    "gpu_memories WHERE total > 0 ORDER BY id LIMIT 1", NUMBER },
	{ "gpu_mem_used_bytes", "gpu_memories", "used",
	    "gpu_memories WHERE total > 0 ORDER BY id LIMIT 1", NUMBER },
};

static void
put_fact(struct dldb_in *d, size_t i)
{
	sqlite3_stmt *st;
	const char *s;

	if (!db_has_column(d->db, facts[i].table, facts[i].column) ||
	    (facts[i].kind == KEY && d->string == NULL))
		return;
	st = db_prepare(
	    d->db, "SELECT %s FROM %s", facts[i].column, facts[i].from);
	s = db_step(st) ? db_str(st, 0) : NULL;
	if (s != NULL && facts[i].kind == FLAG)
		s = strcmp(s, "0") == 0 ? "false" : "true";
	if (s != NULL && (*s != '\0' || facts[i].kind == KEY))
		fact_info(d->prof, facts[i].fact, "%s", s);
	sqlite3_finalize(st);
}

/* No column of DLProf's can be NULL: 0 means unknown. */
static int64_t
or_unset(sqlite3_stmt *st, int i)
{
	int64_t v = db_i64(st, i);

	return v != 0 ? v : EV_UNSET;
}

static void
put_devs(struct dldb_in *d)
{
	static const char table[] = "read_only_gpu_infos";
	static const char *const cols[] = { "device_id", "gpu_name",
		"compute_capability_major", "compute_capability_minor",
		"sm_count", NULL };
	struct dev_fact f = { 0 };
	sqlite3_stmt *st;
	char *names;

	if (!check_cols(d, table, cols))
		return;
	names = db_cols(d->db, table, cols);
	st = db_prepare(
	    d->db, "SELECT %s FROM %s ORDER BY device_id", names, table);
	while (db_next(&st)) {
		f.dev = db_i64(st, 0);
		f.name = db_str(st, 1);
		if (f.name != NULL && *f.name == '\0')
			f.name = NULL;
		f.cc_major = or_unset(st, 2);
		f.cc_minor = f.cc_major != EV_UNSET ? db_i64(st, 3) : EV_UNSET;
		f.n_sm = or_unset(st, 4);
		f.clock_hz = f.mem_bytes = f.membw_bytes_s = EV_UNSET;
		read_own_dev(d, &f);
		fact_dev(d->prof, &f);
	}
	free(names);
}

#define IS_SETTING(i) (strcmp(facts[i].table, "read_only_model_config") == 0)

/* True if the fact is read from one of DLProf's tables or set by the reader.
 * The tables do not show which facts no marker set. */
static bool
is_theirs(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(facts); i++)
		if (strcmp(facts[i].fact, name) == 0)
			return !IS_SETTING(i);
	return strcmp(name, "dialect") == 0;
}

static void
dldb_facts(void *ctx)
{
	struct dldb_in *d = ctx;
	bool own = put_own_facts(d, is_theirs);
	size_t i;
	/* dlp-advise's columns, because its findings may follow these */
	static const char *const names[] = { "id", "judged", "problem",
		"recommendation", "value", "threshold", "threshold_by",
		"missing", "evidence", "unit", "by" };
	static const char *const cols[] = { "exp_sys_id", "problem",
		"recommendation", NULL };
	struct profile *p;
	sqlite3_stmt *st;

	for (i = 0; i < ARRAY_LEN(facts); i++)
		if (!own || !IS_SETTING(i))
			put_fact(d, i);
	put_devs(d);
	/* The word "stored" distinguishes them from findings of dlp-advise. */
	p = d->prof;
	if (!select_type(&p->run->sel, "finding") ||
	    (st = db_rows(d->db, "expert_systems_feedback", "aggr_id", cols,
		 LATEST("expert_systems_feedback") " ORDER BY rowid")) == NULL)
		return;
	check_cols(d, "expert_systems_feedback", cols);
	while (db_next(&st)) {
		dldb_rec(d, &p->run->out.finding_type, "finding", names,
		    (int)ARRAY_LEN(names));
		emit_text(db_str(st, 0));
		out_word("stored");
		emit_text(db_str(st, 1));
		emit_text(db_str(st, 2));
		out_unsets(6);
		out_word("dlprof");
		emit_src(p);
		out_end();
	}
}

static int
dldb_probe(sqlite3 *db)
{
	static const char *const own[] = { "read_only_ops",
		"read_only_op_instances", "db_version", "dictionary" };
	int n = 0;
	size_t i;

	for (i = 0; i < ARRAY_LEN(own); i++)
		n += db_has_table(db, own[i]);
	return n < 2 ? 0 : n;
}

static void *
dldb_open(struct profile *p)
{
	static const char *const cols[] = { "id", "string", NULL };
	static const char *const marker[] = { "marker_id", NULL };
	static const char id_of[] = "SELECT id FROM dictionary WHERE string ="
				    " '%s'";
	struct dldb_in *d = xcalloc(1, sizeof(*d));
	struct buf b = { 0 };
	uint32_t i;

	d->prof = p;
	d->db = p->db;
	d->empty = d->graph = EV_UNSET;
	check_cols(d, "dictionary", cols);
	if (db_has_columns(d->db, "dictionary", cols)) {
		d->string = db_prepare(
		    d->db, "SELECT string FROM dictionary WHERE id = ?1");
		d->empty = db_number(d->db, id_of, "");
		d->graph = db_number(d->db, id_of, GRAPH_NAME);
		d->marker = db_rows(
		    d->db, "dlp_ops", "marker_id", marker, "WHERE id = ?1");
	}
	open_op_row(d);
	number_runs(d);
	add_tables(d);
	for (i = 0; i < d->missing.n; i++) {
		buf_puts(&b, i > 0 ? ", " : "");
		buf_puts(&b, smap_str(&d->missing, i, NULL));
	}
	if (b.len > 0)
		warn("%s: an older database of DLProf, or an incomplete one: it"
		     " has no %.900s",
		    db_path(), buf_str(&b));
	buf_free(&b);
	return d;
}

static void
dldb_close(void *ctx)
{
	struct dldb_in *d = ctx;
	size_t i;

	for (i = 0; i < d->n_run; i++) {
		ivl_by_free(&d->run[i].gpu);
		ivl_free(&d->run[i].api);
	}
	free(d->run);
	free(d->spare);
	free(d->op);
	map_free(&d->run_at);
	map_free(&d->run_key);
	map_free(&d->nth_of);
	map_free(&d->op_at);
	map_free(&d->kept_at);
	smap_free(&d->kept);
	smap_free(&d->types);
	smap_free(&d->missing);
	buf_free(&d->shapes);
	buf_free(&d->names);
	buf_free(&d->outs);
	sqlite3_finalize(d->op_row);
	sqlite3_finalize(d->marker);
	sqlite3_finalize(d->string);
	free(d);
}

static void
dldb_notes(void *ctx)
{
	struct dldb_in *d = ctx;

	stage_note("missing_columns", d->missing.n);
	stage_note("work_outside_run", d->stray);
}

const struct dialect dialect_dldb = {
	.name = "dldb",
	.probe = dldb_probe,
	.strings = "dictionary",
	.open = dldb_open,
	.close = dldb_close,
	.facts = dldb_facts,
	.string = dldb_string,
	.notes = dldb_notes,
	.run = dldb_run,
	.run_end = dldb_run_end,
	.work = dldb_work,
};
