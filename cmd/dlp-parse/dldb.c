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

#define DLDB_MAX_MISSING 64

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
	const char *missing[DLDB_MAX_MISSING]; /* "table.column" */
	int n_missing;
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

static int
find_name(char *const *v, int n, const char *s)
{
	int i;

	for (i = 0; i < n && strcmp(v[i], s) != 0; i++)
		;
	return i;
}

static void
note_missing(struct dldb_in *d, const char *table, const char *column)
{
	char *s;
	size_t n = strlen(table) + strlen(column) + 2;
	int i;

	s = xmalloc(n);
	snprintf(s, n, "%s%s%s", table, *column != '\0' ? "." : "", column);
	i = find_name((char *const *)d->missing, d->n_missing, s);
	if (i < d->n_missing || i == DLDB_MAX_MISSING)
		free(s);
	else
		d->missing[d->n_missing++] = s;
}

/* The table's columns, as db_cols() returns them; the ones that are missing are
 * remembered for a message. NULL if the table is missing. The caller frees the
 * result. */
static char *
dldb_cols(struct dldb_in *d, const char *table, const char *const *names)
{
	int i;

	if (!db_has_table(d->db, table)) {
		note_missing(d, table, "");
		return NULL;
	}
	for (i = 0; names[i] != NULL; i++)
		if (!db_has_column(d->db, table, names[i]))
			note_missing(d, table, names[i]);
	return db_cols(d->db, table, names);
}

/* A text of the dictionary; see dialect.string. */
static bool
dldb_string(void *ctx, int64_t id, struct buf *out)
{
	struct dldb_in *d = ctx;
	bool has = false;
	const char *s;
	uint32_t n;

	if (d->string == NULL)
		return false;
	sqlite3_bind_int64(d->string, 1, id);
	if (db_step(d->string) &&
	    (s = db_text(sqlite3_column_value(d->string, 0), &n)) != NULL) {
		buf_put(out, s, n);
		has = true;
	}
	sqlite3_reset(d->string);
	return has;
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

/* start_time, stop_time, process_id, thread_id */
static bool
own_span(const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	ev->start = db_value(col[1]);
	ev->end = db_value(col[2]);
	ev->pid = db_value(col[3]);
	ev->tid = db_value(col[4]);
	if (ev->start == EV_UNSET)
		source_bad_row(s);
	return ev->start != EV_UNSET;
}

static bool
range_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct dldb_in *d = ctx;

	if (!own_span(s, col, ev))
		return false;
	ev->range.end_tid = db_value(col[5]);
	ev->range.domain = kept(d, db_value(col[6]));
	ev->range.push = strcmp(kept(d, db_value(col[7])), "push") == 0;
	ev->name = db_value(col[8]);
	ev->range.level = db_value(col[9]);
	ev->range.layer = kept_word(d, db_value(col[10]));
	return true;
}

static bool
os_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	(void)ctx;
	if (!own_span(s, col, ev))
		return false;
	ev->name = db_value(col[5]);
	return true;
}

static bool
own_mem_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct dldb_in *d = ctx;

	ev->start = db_value(col[1]);
	if (ev->start == EV_UNSET) {
		source_bad_row(s);
		return false;
	}
	ev->pid = db_value(col[2]);
	ev->mem.dev = db_value(col[3]);
	ev->mem.op = kept_word(d, db_value(col[4]));
	ev->mem.bytes = db_value(col[5]);
	ev->mem.addr = db_value(col[6]);
	ev->mem.kind = kept_word(d, db_value(col[7]));
	ev->mem.corr = EV_UNSET;
	ev->mem.pool = db_value(col[8]);
	ev->mem.pool_bytes = db_value(col[9]);
	return true;
}

static const char *const range_cols[] = { "start_time", "stop_time",
	"process_id", "thread_id", "end_thread_id", "domain_id", "mode_id",
	"text_id", "level", "layer_id", NULL };
static const char *const os_cols[] = { "start_time", "stop_time", "process_id",
	"thread_id", "name_id", NULL };
static const char *const mem_cols[] = { "time", "process_id", "device_id",
	"op_id", "num_bytes", "address", "kind_id", "pool_address",
	"pool_bytes", NULL };

static const struct {
	const char *table;
	enum ev_kind kind;
	row_fn *row;
	const char *const *cols;
	const char *end;
} own_tables[] = {
	{ "dlp_ranges", EV_RANGE, range_row, range_cols, "stop_time" },
	{ "dlp_os_calls", EV_OS, os_row, os_cols, "stop_time" },
	{ "dlp_memory", EV_MEM, own_mem_row, mem_cols, NULL },
};

/* The tables dlp_*, which dlp-dldb adds to DLProf's: events, facts, devices.
 * Databases that DLProf itself wrote do not have them. */
static void
dldb_own_rows(struct dldb_in *d)
{
	struct ev_source *s;
	size_t i;

	if (d->string == NULL)
		return;
	for (i = 0; i < ARRAY_LEN(own_tables); i++) {
		if (!db_has_table(d->db, own_tables[i].table) ||
		    !source_needs(&d->prof->sources, d->db, own_tables[i].kind,
			own_tables[i].table, own_tables[i].cols[0]))
			continue;
		s = source_add(&d->prof->sources, own_tables[i].kind,
		    own_tables[i].table, own_tables[i].row);
		s->from = xstrdup(own_tables[i].table);
		s->cols = dldb_cols(d, own_tables[i].table, own_tables[i].cols);
		s->start = xstrdup(own_tables[i].cols[0]);
		if (own_tables[i].end != NULL)
			s->end = xstrdup(own_tables[i].end);
	}
}

static void
dldb_own_close(struct dldb_in *d)
{
	sqlite3_finalize(d->marker);
	map_free(&d->kept_at);
	smap_free(&d->kept);
}

/* Writes the facts for which known() is false. Returns false if there are no
 * facts at all. */
static bool
dldb_own_facts(struct dldb_in *d, bool (*known)(const char *name))
{
	sqlite3_stmt *st;
	const char *name, *value;

	if (!db_has_column(d->db, "dlp_facts", "name") ||
	    !db_has_column(d->db, "dlp_facts", "value"))
		return false;
	st = db_prepare(d->db, "SELECT name, value FROM dlp_facts ORDER BY id");
	while (db_step(st)) {
		name = (const char *)sqlite3_column_text(st, 0);
		value = (const char *)sqlite3_column_text(st, 1);
		if (name != NULL && value != NULL && !known(name))
			fact_info(d->prof, name, "%s", value);
	}
	sqlite3_finalize(st);
	return true;
}

/* Adds the facts of a device that DLProf's tables do not have. */
static void
dldb_own_dev(struct dldb_in *d, struct dev_fact *f)
{
	static const char *const cols[] = { "clock_hz", "mem_bytes",
		"membw_bytes_s", NULL };
	sqlite3_stmt *st;
	char *names;

	if (!db_has_column(d->db, "dlp_devices", "device_id"))
		return;
	names = dldb_cols(d, "dlp_devices", cols);
	st = db_prepare(
	    d->db, "SELECT %s FROM dlp_devices WHERE device_id = ?1", names);
	sqlite3_bind_int64(st, 1, f->dev);
	if (db_step(st)) {
		f->clock_hz = db_i64(st, 0);
		f->mem_bytes = db_i64(st, 1);
		f->membw_bytes_s = db_i64(st, 2);
	}
	sqlite3_finalize(st);
	free(names);
}

/* How an op was recognised; escaped, NULL if the database does not record it.
 */
static const char *
dldb_own_marker(struct dldb_in *d, int64_t op_row)
{
	const char *s = NULL;

	if (d->marker == NULL) {
		if (d->string == NULL ||
		    !db_has_column(d->db, "dlp_ops", "marker_id"))
			return NULL;
		d->marker = db_prepare(
		    d->db, "SELECT marker_id FROM dlp_ops WHERE id = ?1");
	}
	sqlite3_bind_int64(d->marker, 1, op_row);
	if (db_step(d->marker))
		s = kept_word(d, db_i64(d->marker, 0));
	sqlite3_reset(d->marker);
	return s;
}

static const char *const copy_kinds[] = { "unknown", "HtoD", "DtoH", "HtoA",
	"AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP", "UVM-HtoD",
	"UVM-DtoH", "UVM-DtoD" };
/* As Nsight Systems numbered them in DLProf's time. */
static const char *const sync_kinds[] = { NULL, "context", "event", "stream" };

#define PICK(table, i)                                                         \
	((i) >= 0 && (i) < (int64_t)(sizeof(table) / sizeof((table)[0]))       \
		? (table)[i]                                                   \
		: NULL)

static int64_t
int_or_unset(sqlite3_value *v)
{
	if (sqlite3_value_type(v) != SQLITE_INTEGER)
		return EV_UNSET;
	return sqlite3_value_int64(v);
}

/* A process or thread: dlp-dldb writes -1 for an unknown one. */
static int64_t
id_or_unset(sqlite3_value *v)
{
	int64_t n = int_or_unset(v);

	return n == -1 ? EV_UNSET : n;
}

#define WORK                                                                   \
	"api_start", "api_stop", "process_id", "thread_id",                    \
	    "read_only_ops_id", "op_instance", "name_id"
#define GPU WORK, "gpu_start", "gpu_stop", "device_id"
#define WORK_NEXT 8
#define GPU_NEXT 11

static bool
work_cols(const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	ev->start = int_or_unset(col[1]);
	if (ev->start == EV_UNSET) {
		source_bad_row(s);
		return false;
	}
	ev->end = int_or_unset(col[2]);
	ev->pid = id_or_unset(col[3]);
	ev->tid = id_or_unset(col[4]);
	ev->op = int_or_unset(col[5]);
	ev->nth = int_or_unset(col[6]);
	ev->name = int_or_unset(col[7]);
	return true;
}

static bool
gpu_cols(const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	if (!work_cols(s, col, ev))
		return false;
	ev->gpu.own.api = ev->name;
	ev->gpu.own.none = int_or_unset(col[4]) == -1;
	ev->gpu.own.start = int_or_unset(col[WORK_NEXT]);
	ev->gpu.own.end = int_or_unset(col[WORK_NEXT + 1]);
	ev->gpu.own.tc = EV_UNSET;
	if (ev->gpu.own.start == EV_UNSET) {
		source_bad_row(s);
		return false;
	}
	ev->gpu.dev = int_or_unset(col[WORK_NEXT + 2]);
	ev->gpu.ctx = ev->gpu.stream = ev->gpu.node = EV_UNSET;
	return true;
}

static const char *const call_cols[] = { WORK, NULL };

static bool
call_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	(void)ctx;
	ev->call.ret = EV_UNSET;
	return work_cols(s, col, ev);
}

static const char *const kern_cols[] = { GPU, "long_name_id", "uses_tc",
	"grid_id", "block_id", NULL };

/* The columns after those: the sizes of grid and block. */
#define DIMS ", g.x, g.y, g.z, b.x, b.y, b.z"
#define DIMS_FROM                                                              \
	" LEFT JOIN read_only_grid_block g ON g.id = k.grid_id"                \
	" LEFT JOIN read_only_grid_block b ON b.id = k.block_id"

static bool
kern_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct dldb_in *d = ctx;
	int i, c = GPU_NEXT + 4;

	if (!gpu_cols(s, col, ev))
		return false;
	/* the table has no column for the name of the call */
	ev->gpu.own.api = EV_UNSET;
	if (ev->name != EV_UNSET && ev->name == d->graph) {
		/* dlp-dldb stores the run of a whole graph this way */
		ev->kind = EV_GRAPH;
		ev->gpu.graph.graph = ev->gpu.graph.exec = EV_UNSET;
		return true;
	}
	ev->gpu.kern.short_name = ev->name;
	ev->gpu.kern.mangled = EV_UNSET;
	ev->name = int_or_unset(col[GPU_NEXT]);
	if (ev->name == d->empty)
		ev->name = EV_UNSET;
	ev->gpu.own.tc = int_or_unset(col[GPU_NEXT + 1]);
	for (i = 0; i < 3; i++) {
		ev->gpu.kern.grid[i] =
		    s->tag ? int_or_unset(col[c + i]) : EV_UNSET;
		ev->gpu.kern.block[i] =
		    s->tag ? int_or_unset(col[c + 3 + i]) : EV_UNSET;
	}
	ev->gpu.kern.regs = ev->gpu.kern.smem = EV_UNSET;
	ev->gpu.kern.dynsmem = EV_UNSET;
	return true;
}

static const char *const copy_cols[] = { GPU, "copy_kind", "num_bytes", NULL };

static bool
copy_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t kind;

	(void)ctx;
	if (!gpu_cols(s, col, ev))
		return false;
	kind = int_or_unset(col[GPU_NEXT]);
	ev->gpu.copy.kind = PICK(copy_kinds, kind);
	ev->gpu.copy.bytes = int_or_unset(col[GPU_NEXT + 1]);
	return true;
}

static const char *const set_cols[] = { GPU, "num_bytes", NULL };

static bool
set_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	(void)ctx;
	if (!gpu_cols(s, col, ev))
		return false;
	ev->gpu.set.bytes = int_or_unset(col[GPU_NEXT]);
	ev->gpu.set.value = EV_UNSET;
	return true;
}

static const char *const sync_cols[] = { GPU, "sync_type", "event_id", NULL };

/* A synchronization has no time of its own here: both are 0. */
static bool
sync_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t kind;

	(void)ctx;
	if (!gpu_cols(s, col, ev))
		return false;
	if (ev->gpu.own.start == 0) {
		ev->gpu.own.start = ev->start;
		ev->gpu.own.end = EV_UNSET;
	}
	kind = int_or_unset(col[GPU_NEXT]);
	ev->gpu.sync.kind = PICK(sync_kinds, kind);
	ev->gpu.sync.event = int_or_unset(col[GPU_NEXT + 1]);
	if (ev->gpu.sync.event == UINT32_MAX)
		ev->gpu.sync.event = EV_UNSET;
	return true;
}

static const char *const run_cols[] = { "cpu_start", "cpu_stop", "process_id",
	"thread_id", "read_only_ops_id", "input_names_id", "input_shapes_id",
	"output_shapes_id", NULL };

static bool
run_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t stop = int_or_unset(col[2]);

	(void)ctx;
	ev->start = int_or_unset(col[1]);
	if (ev->start == EV_UNSET) {
		if (s->kind == EV_RUN)
			source_bad_row(s);
		return false;
	}
	if (s->kind == EV_RUN_END) {
		ev->label = NULL;
		ev->corr = stop; /* as the file has it */
		ev->end = ev->start = stop > ev->start ? stop : ev->start;
	}
	ev->pid = id_or_unset(col[3]);
	ev->tid = id_or_unset(col[4]);
	ev->op = int_or_unset(col[5]);
	ev->nth = sqlite3_value_int64(col[0]);
	if (int_or_unset(col[4]) == -1)
		ev->corr = EV_UNSET; /* the CPU side was not recorded */
	ev->run.names = int_or_unset(col[6]);
	ev->run.shapes = int_or_unset(col[7]);
	ev->run.outs = int_or_unset(col[8]);
	return true;
}

static const struct {
	const char *table;
	enum ev_kind kind;
	row_fn *row;
	const char *const *cols;
	const char *start, *end;
} tables[] = {
	{ "read_only_op_instances", EV_RUN, run_row, run_cols, "cpu_start",
	    NULL },
	{ "read_only_op_instances", EV_RUN_END, run_row, run_cols,
	    "max(cpu_start, ifnull(cpu_stop, cpu_start))",
	    "max(cpu_start, ifnull(cpu_stop, cpu_start))" },
	{ "read_only_cuda_calls", EV_CALL, call_row, call_cols, "api_start",
	    "api_stop" },
	{ "read_only_kernels", EV_KERN, kern_row, kern_cols, "api_start",
	    "api_stop" },
	{ "read_only_memcpys", EV_COPY, copy_row, copy_cols, "api_start",
	    "api_stop" },
	{ "read_only_memsets", EV_SET, set_row, set_cols, "api_start",
	    "api_stop" },
	{ "read_only_cuda_syncs", EV_SYNC, sync_row, sync_cols, "api_start",
	    "api_stop" },
};

/* The sizes are read with the kernels, if the database has them. */
static void
join_dims(struct dldb_in *d, struct ev_source *s)
{
	static const char *const dims[] = { "id", "x", "y", "z", NULL };
	struct buf b = { 0 };
	char *cols = dldb_cols(d, "read_only_grid_block", dims);
	bool has = cols != NULL && strstr(cols, "NULL") == NULL &&
		   strstr(s->cols, "grid_id") != NULL &&
		   strstr(s->cols, "block_id") != NULL;

	free(cols);
	if (!has)
		return;
	buf_printf(&b, "%s" DIMS, s->cols);
	buf_putc(&b, '\0');
	free(s->cols);
	s->cols = b.s;
	free(s->from);
	s->from = xstrdup("read_only_kernels k NOT INDEXED" DIMS_FROM);
	s->key = xstrdup("k.rowid");
	s->tag = 1;
}

static void
add_table(struct dldb_in *d, size_t i)
{
	const char *table = tables[i].table;
	char *cols = dldb_cols(d, table, tables[i].cols);
	struct ev_source *s;

	if (cols == NULL ||
	    !source_needs(&d->prof->sources, d->db, tables[i].kind, table,
		tables[i].kind <= EV_RUN || tables[i].kind == EV_RUN_END
		    ? "cpu_start"
		    : "api_start")) {
		free(cols);
		return;
	}
	s = source_add(&d->prof->sources, tables[i].kind, table, tables[i].row);
	s->from = xstrdup(table);
	s->cols = cols;
	s->start = xstrdup(tables[i].start);
	if (tables[i].end != NULL)
		s->end = xstrdup(tables[i].end);
	s->launches = EV_IS_GPU(s->kind);
	if (s->kind == EV_KERN)
		join_dims(d, s);
}

static void
dldb_rows(struct dldb_in *d)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(tables); i++)
		add_table(d, i);
}

/*
 * Ops of DLProf's database, written before their first use, and their runs. The
 * database holds shapes per run; an op gets the shapes of its first run. Each
 * row of work names its op and the run; the work of a run is summed up while
 * the run is open.
 */

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

static void
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

static void
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

static void
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

static bool
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

/* The database, its dictionary and its facts. */

#define LAST(t) t " WHERE aggr_id = (SELECT max(aggr_id) FROM " t ")"
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
	    (strcmp(facts[i].fact, "key_op") == 0 && d->string == NULL))
		return;
	st = db_prepare(
	    d->db, "SELECT %s FROM %s", facts[i].column, facts[i].from);
	if (db_step(st)) {
		s = (const char *)sqlite3_column_text(st, 0);
		if (s != NULL && facts[i].kind == FLAG)
			s = strcmp(s, "0") == 0 ? "false" : "true";
		if (s != NULL && (*s != '\0' || facts[i].kind == KEY))
			fact_info(d->prof, facts[i].fact, "%s", s);
	}
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
	static const char *const cols[] = { "device_id", "gpu_name",
		"compute_capability_major", "compute_capability_minor",
		"sm_count", NULL };
	struct dev_fact f = { 0 };
	sqlite3_stmt *st;
	char *names;

	names = dldb_cols(d, "read_only_gpu_infos", cols);
	if (names == NULL)
		return;
	st = db_prepare(d->db,
	    "SELECT %s FROM read_only_gpu_infos ORDER BY device_id", names);
	while (db_step(st)) {
		f.dev = db_i64(st, 0);
		f.name = (const char *)sqlite3_column_text(st, 1);
		if (f.name != NULL && *f.name == '\0')
			f.name = NULL;
		f.cc_major = or_unset(st, 2);
		f.cc_minor = f.cc_major != EV_UNSET ? db_i64(st, 3) : EV_UNSET;
		f.n_sm = or_unset(st, 4);
		f.clock_hz = f.mem_bytes = f.membw_bytes_s = EV_UNSET;
		dldb_own_dev(d, &f);
		fact_dev(d->prof, &f);
	}
	sqlite3_finalize(st);
	free(names);
}

static void
put_text_column(sqlite3_stmt *st, int i)
{
	const char *s = (const char *)sqlite3_column_text(st, i);

	out_text(s, s != NULL ? strlen(s) : 0);
}

/* The word "stored" distinguishes them from findings of dlp-advise. */
static void
put_findings(struct dldb_in *d)
{
	/* dlp-advise's columns, because its findings may follow these */
	static const char *const names[] = { "id", "judged", "problem",
		"recommendation", "value", "threshold", "threshold_by",
		"missing", "evidence", "unit", "by" };
	struct profile *p = d->prof;
	static const char *const cols[] = { "exp_sys_id", "problem",
		"recommendation", NULL };
	static const char table[] = "expert_systems_feedback";
	sqlite3_stmt *st;
	char *list;

	if (!select_type(&p->run->sel, "finding") ||
	    !db_has_column(d->db, table, "aggr_id"))
		return;
	list = dldb_cols(d, table, cols);
	st = db_prepare(d->db,
	    "SELECT %s FROM " LAST("expert_systems_feedback") " ORDER BY rowid",
	    list);
	while (db_step(st)) {
		dldb_rec(d, &p->run->out.finding_type, "finding", names,
		    (int)ARRAY_LEN(names));
		put_text_column(st, 0);
		emit_word("stored");
		put_text_column(st, 1);
		put_text_column(st, 2);
		out_unsets(6);
		emit_word("dlprof");
		emit_src(p);
		out_end();
	}
	sqlite3_finalize(st);
	free(list);
}

static bool
is_setting(size_t i)
{
	return strcmp(facts[i].table, "read_only_model_config") == 0;
}

/* True if the fact is read from one of DLProf's tables or set by the reader.
 * The tables do not show which facts no marker set. */
static bool
is_theirs(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(facts); i++)
		if (strcmp(facts[i].fact, name) == 0)
			return !is_setting(i);
	return strcmp(name, "dialect") == 0;
}

static void
dldb_facts(void *ctx)
{
	struct dldb_in *d = ctx;
	bool own = dldb_own_facts(d, is_theirs);
	size_t i;

	for (i = 0; i < ARRAY_LEN(facts); i++)
		if (!own || !is_setting(i))
			put_fact(d, i);
	put_devs(d);
	put_findings(d);
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

static int64_t
id_of(struct dldb_in *d, const char *text)
{
	sqlite3_stmt *st;
	int64_t id = EV_UNSET;

	st = db_prepare(d->db, "SELECT id FROM dictionary WHERE string = ?1");
	sqlite3_bind_text(st, 1, text, -1, SQLITE_STATIC);
	if (db_step(st))
		id = db_i64(st, 0);
	sqlite3_finalize(st);
	return id;
}

static void
open_dictionary(struct dldb_in *d)
{
	static const char *const cols[] = { "id", "string", NULL };

	d->empty = d->graph = EV_UNSET;
	free(dldb_cols(d, "dictionary", cols));
	if (!db_has_column(d->db, "dictionary", "id") ||
	    !db_has_column(d->db, "dictionary", "string"))
		return;
	d->string =
	    db_prepare(d->db, "SELECT string FROM dictionary WHERE id = ?1");
	d->empty = id_of(d, "");
	d->graph = id_of(d, GRAPH_NAME);
}

static void
say_missing(const struct dldb_in *d)
{
	struct buf b = { 0 };
	int i;

	if (d->n_missing == 0)
		return;
	for (i = 0; i < d->n_missing; i++) {
		buf_puts(&b, i > 0 ? ", " : "");
		buf_puts(&b, d->missing[i]);
	}
	warn("%s: an older database of DLProf, or an incomplete one: it has no"
	     " %.900s",
	    db_path(), buf_str(&b));
	buf_free(&b);
}

static void *
dldb_open(struct profile *p)
{
	struct dldb_in *d = xcalloc(1, sizeof(*d));

	d->prof = p;
	d->db = p->db;
	open_dictionary(d);
	dldb_ops_open(d);
	dldb_rows(d);
	dldb_own_rows(d);
	say_missing(d);
	return d;
}

static void
dldb_close(void *ctx)
{
	struct dldb_in *d = ctx;
	int i;

	dldb_ops_close(d);
	dldb_own_close(d);
	sqlite3_finalize(d->string);
	for (i = 0; i < d->n_missing; i++)
		free((void *)d->missing[i]);
	free(d);
}

static void
dldb_notes(void *ctx)
{
	struct dldb_in *d = ctx;

	stage_note("missing_columns", (uint64_t)d->n_missing);
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
