/*
 * The five tables of work, and that of runs, which is read twice: by starts
 * and by ends. DLProf writes them op by op, so they are sorted; databases
 * of dlp-dldb are in order.
 */
#include "dldb_rows.h"

#include <stdlib.h>
#include <string.h>

#include "dldb_db.h"
#include "err.h"
#include "num.h"
#include "schema.h"
#include "source.h"

static const char *const copy_kinds[] = { "unknown", "HtoD", "DtoH", "HtoA",
	"AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP", "UVM-HtoD",
	"UVM-DtoH", "UVM-DtoD" };
/* As Nsight Systems numbered them in DLProf's days. */
static const char *const sync_kinds[] = { NULL, "context", "event", "stream" };

#define PICK(table, i)                                                         \
	((i) >= 0 && (i) < (int64_t)(sizeof(table) / sizeof((table)[0]))       \
		? (table)[i]                                                   \
		: NULL)

static int64_t
num(sqlite3_value *v)
{
	if (sqlite3_value_type(v) != SQLITE_INTEGER)
		return EV_UNSET;
	return sqlite3_value_int64(v);
}

/* A process or thread: dlp-dldb writes -1 for what it does not know. */
static int64_t
who(sqlite3_value *v)
{
	int64_t n = num(v);

	return n == -1 ? EV_UNSET : n;
}

#define WORK                                                                   \
	"api_start", "api_stop", "process_id", "thread_id",                    \
	    "read_only_ops_id", "op_instance", "name_id"
#define GPU WORK, "gpu_start", "gpu_stop", "device_id"
#define WORK_NEXT 8
#define GPU_NEXT 11

static bool
work(sqlite3_value **col, struct event *ev)
{
	ev->start = num(col[1]);
	if (ev->start == EV_UNSET) {
		source_bad_row();
		return false;
	}
	ev->end = num(col[2]);
	ev->pid = who(col[3]);
	ev->tid = who(col[4]);
	ev->op = num(col[5]);
	ev->nth = num(col[6]);
	ev->name = num(col[7]);
	return true;
}

static bool
gpu(sqlite3_value **col, struct event *ev)
{
	if (!work(col, ev))
		return false;
	ev->gpu.own.api = ev->name;
	ev->gpu.own.none = num(col[4]) == -1;
	ev->gpu.own.start = num(col[WORK_NEXT]);
	ev->gpu.own.end = num(col[WORK_NEXT + 1]);
	ev->gpu.own.tc = EV_UNSET;
	if (ev->gpu.own.start == EV_UNSET) {
		source_bad_row();
		return false;
	}
	ev->gpu.dev = num(col[WORK_NEXT + 2]);
	ev->gpu.ctx = ev->gpu.stream = ev->gpu.node = EV_UNSET;
	return true;
}

static const char *const call_cols[] = { WORK, NULL };

static bool
call_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	(void)ctx;
	(void)s;
	ev->call.ret = EV_UNSET;
	return work(col, ev);
}

static const char *const kern_cols[] = { GPU, "long_name_id", "uses_tc",
	"grid_id", "block_id", NULL };

/* The columns behind those: the sizes of grid and block. */
#define DIMS ", g.x, g.y, g.z, b.x, b.y, b.z"
#define DIMS_FROM                                                              \
	" LEFT JOIN read_only_grid_block g ON g.id = k.grid_id"                \
	" LEFT JOIN read_only_grid_block b ON b.id = k.block_id"

static bool
kern_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	struct dldb *d = ctx;
	int i, c = GPU_NEXT + 4;

	if (!gpu(col, ev))
		return false;
	/* the table has no name of the call */
	ev->gpu.own.api = EV_UNSET;
	if (ev->name != EV_UNSET && ev->name == d->graph) {
		/* dlp-dldb's way to keep the run of a whole graph */
		ev->kind = EV_GRAPH;
		ev->gpu.graph.graph = ev->gpu.graph.exec = EV_UNSET;
		return true;
	}
	ev->gpu.kern.short_name = ev->name;
	ev->gpu.kern.mangled = EV_UNSET;
	ev->name = num(col[GPU_NEXT]);
	if (ev->name == d->empty)
		ev->name = EV_UNSET;
	ev->gpu.own.tc = num(col[GPU_NEXT + 1]);
	for (i = 0; i < 3; i++) {
		ev->gpu.kern.grid[i] = s->tag ? num(col[c + i]) : EV_UNSET;
		ev->gpu.kern.block[i] = s->tag ? num(col[c + 3 + i]) : EV_UNSET;
	}
	ev->gpu.kern.regs = ev->gpu.kern.smem = EV_UNSET;
	ev->gpu.kern.dynsmem = EV_UNSET;
	return true;
}

static const char *const copy_cols[] = { GPU, "copy_kind", "num_bytes", NULL };

static bool
copy_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	int64_t kind;

	(void)ctx;
	(void)s;
	if (!gpu(col, ev))
		return false;
	kind = num(col[GPU_NEXT]);
	ev->gpu.copy.kind = PICK(copy_kinds, kind);
	ev->gpu.copy.bytes = num(col[GPU_NEXT + 1]);
	return true;
}

static const char *const set_cols[] = { GPU, "num_bytes", NULL };

static bool
set_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	(void)ctx;
	(void)s;
	if (!gpu(col, ev))
		return false;
	ev->gpu.set.bytes = num(col[GPU_NEXT]);
	ev->gpu.set.value = EV_UNSET;
	return true;
}

static const char *const sync_cols[] = { GPU, "sync_type", "event_id", NULL };

/* A synchronization has no time of its own here: both are 0. */
static bool
sync_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	int64_t kind;

	(void)ctx;
	(void)s;
	if (!gpu(col, ev))
		return false;
	if (ev->gpu.own.start == 0) {
		ev->gpu.own.start = ev->start;
		ev->gpu.own.end = EV_UNSET;
	}
	kind = num(col[GPU_NEXT]);
	ev->gpu.sync.kind = PICK(sync_kinds, kind);
	ev->gpu.sync.event = num(col[GPU_NEXT + 1]);
	if (ev->gpu.sync.event == UINT32_MAX)
		ev->gpu.sync.event = EV_UNSET;
	return true;
}

static const char *const run_cols[] = { "cpu_start", "cpu_stop", "process_id",
	"thread_id", "read_only_ops_id", "input_names_id", "input_shapes_id",
	"output_shapes_id", NULL };

static bool
run_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	int64_t stop = num(col[2]);

	(void)ctx;
	ev->start = num(col[1]);
	if (ev->start == EV_UNSET) {
		if (s->kind == EV_RUN)
			source_bad_row();
		return false;
	}
	if (s->kind == EV_RUN_END) {
		ev->label = NULL;
		ev->corr = stop; /* as it stands */
		ev->end = ev->start = stop > ev->start ? stop : ev->start;
	}
	ev->pid = who(col[3]);
	ev->tid = who(col[4]);
	ev->op = num(col[5]);
	ev->nth = sqlite3_value_int64(col[0]);
	if (num(col[4]) == -1)
		ev->corr = EV_UNSET; /* nothing of it was seen on the CPU */
	ev->run.names = num(col[6]);
	ev->run.shapes = num(col[7]);
	ev->run.outs = num(col[8]);
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

/* The sizes come with the kernels, if they can be had. */
static void
join_dims(struct dldb *d, struct source *s)
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
add(struct dldb *d, struct sources *ss, size_t i)
{
	const char *table = tables[i].table;
	char *cols = dldb_cols(d, table, tables[i].cols);
	struct source *s;

	if (cols == NULL ||
	    !db_has_column(d->db, table,
		tables[i].kind <= EV_RUN || tables[i].kind == EV_RUN_END
		    ? "cpu_start"
		    : "api_start")) {
		free(cols);
		return;
	}
	s = source_add(ss, tables[i].kind, table, tables[i].row);
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
dldb_rows(struct dldb *d, struct sources *ss)
{
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		add(d, ss, i);
}
