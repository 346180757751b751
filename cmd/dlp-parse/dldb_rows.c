/*
 * The tables with events of DLProf's database: the five tables of work, and the
 * table of runs, which is read twice, by starts and by ends. DLProf writes its
 * tables op by op, so the rows must be sorted; databases of dlp-dldb are
 * already in order. The tables dlp_* exist only in databases of dlp-dldb.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "dldb_reader.h"
#include "emit.h"
#include "profile.h"
#include "schema.h"

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

void
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

void
dldb_own_close(struct dldb_in *d)
{
	sqlite3_finalize(d->marker);
	map_free(&d->kept_at);
	smap_free(&d->kept);
}

bool
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

void
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

const char *
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

void
dldb_rows(struct dldb_in *d)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(tables); i++)
		add_table(d, i);
}
