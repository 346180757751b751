/*
 * nvprof's tables with events.
 *
 * API calls, overhead and allocations: threads are pthread handles cut to 32
 * bits, shown unsigned, as PyProf does.
 *
 * GPU work: it has neither a process id nor a thread; both come from the call
 * with its correlation id.
 *
 * Markers, NVTX ranges and marks: a range is two rows, its start and its end,
 * with nothing in common but an id.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "nvprof.h"
#include "profile.h"
#include "schema.h"
#include "sqldb.h"

static const char *const overheads[] = { "driver compiler",
	"CUPTI buffer flush", "CUPTI instrumentation", "CUPTI resource" };

static const char *const call_cols[] = { "start", "end", "correlationId",
	"cbid", "processId", "threadId", "returnValue", NULL };

static bool
call_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t cbid = nvprof_num(col[4]), tid = nvprof_num(col[6]);

	if (!nvprof_times(ctx, s, col + 1, ev))
		return false;
	ev->corr = nvprof_num(col[3]);
	if (cbid != EV_UNSET)
		ev->name = nvprof_api_id(s->tag, cbid);
	ev->pid = nvprof_num(col[5]);
	if (tid != EV_UNSET)
		ev->tid = tid & 0xffffffff;
	ev->call.ret = nvprof_num(col[7]);
	/* A correlation id in both tables is the same call, recorded twice. */
	ev->call.twin = s->tag == NVPROF_DRIVER;
	return true;
}

static const char *const over_cols[] = { "start", "end", "overheadKind",
	"objectKind", "objectId", NULL };

static bool
over_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t kind = nvprof_num(col[3]);

	if (!nvprof_times(ctx, s, col + 1, ev))
		return false;
	/* 1, then 1 to 3 in the upper half */
	kind = kind == 1 ? 0 : kind > 0 && kind % 65536 == 0 ? kind >> 16 : -1;
	ev->text = NVPROF_PICK(overheads, kind);
	if (ev->text != NULL)
		ev->text_len = (uint32_t)strlen(ev->text);
	nvprof_object(col[4], col[5], &ev->pid, &ev->tid);
	return true;
}

static const char *const mem_cols[] = { "start", "end", "processId", "deviceId",
	"bytes", "address", "memoryKind", NULL };

static bool
mem_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	bool is_free = s->tag != 0;
	int64_t kind;

	if (!nvprof_times(ctx, s, col + 1, ev))
		return false;
	ev->end = EV_UNSET;
	ev->pid = nvprof_num(col[3]);
	ev->mem.dev = nvprof_num(col[4]);
	ev->mem.bytes = nvprof_num(col[5]);
	ev->mem.addr = nvprof_num(col[6]);
	kind = nvprof_num(col[7]);
	ev->mem.kind = nvprof_mem_kind(kind);
	ev->mem.op = is_free ? "free" : "alloc";
	return true;
}

static void
add_calls(struct nvprof *nv, const char *table, enum nvprof_api api)
{
	struct ev_source *s;

	s = nvprof_source(nv, EV_CALL, table, call_row, call_cols);
	if (s == NULL)
		return;
	s->tag = api;
	s->corr = db_col(nv->db, table, "correlationId");
	s->gid = db_col(nv->db, table, "processId");
	if (api == NVPROF_DRIVER)
		s->twin = xstrdup("1");
	s->twin_is = 1;
}

/* Allocations have the time of their release in the same row. */
static void
add_releases(struct nvprof *nv)
{
	static const char *const cols[] = { "end", "end", "processId",
		"deviceId", "bytes", "address", "memoryKind", NULL };
	static const char table[] = NVPROF_TABLE("MEMORY");
	struct ev_source *s;

	if (!db_has_table(nv->db, table) ||
	    !db_has_column(nv->db, table, "end"))
		return;
	s = source_add(&nv->prof->sources, EV_MEM, table, mem_row);
	s->tag = 1;
	s->from = xstrdup(table);
	s->where = xstrdup("end > 0");
	s->cols = db_cols(nv->db, table, cols);
	s->start = xstrdup("end");
}

static void
add_cpu(struct nvprof *nv)
{
	add_calls(nv, NVPROF_TABLE("RUNTIME"), NVPROF_RUNTIME);
	add_calls(nv, NVPROF_TABLE("DRIVER"), NVPROF_DRIVER);
	nvprof_source(
	    nv, EV_OVER, NVPROF_TABLE("OVERHEAD"), over_row, over_cols);
	nvprof_source(nv, EV_MEM, NVPROF_TABLE("MEMORY"), mem_row, mem_cols);
	add_releases(nv);
}

static const char *const copy_kinds[] = { NULL, "HtoD", "DtoH", "HtoA", "AtoH",
	"AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP" };
static const char *const sync_kinds[] = { NULL, "event", "stream-wait-event",
	"stream", "context" };

/* Ids of 32 bits, stored signed; all bits set means none. */
static int64_t
id32(sqlite3_value *v)
{
	int64_t n = nvprof_num(v);

	return n == -1 || n == UINT32_MAX ? EV_UNSET : n;
}

static bool
gpu_work(struct nvprof *nv, const struct ev_source *s, sqlite3_value **col,
    struct event *ev)
{
	if (!nvprof_times(nv, s, col + 1, ev))
		return false;
	ev->corr = nvprof_num(col[3]);
	ev->gpu.dev = nvprof_num(col[4]);
	ev->gpu.ctx = id32(col[5]);
	ev->gpu.stream = id32(col[6]);
	ev->gpu.node = nvprof_num(col[7]);
	if (ev->gpu.node == 0)
		ev->gpu.node = EV_UNSET;
	return true;
}

#define GPU_COLS                                                               \
	"start", "end", "correlationId", "deviceId", "contextId", "streamId",  \
	    "graphNodeId"
#define GPU_NEXT 8 /* the first column after them */

static const char *const kernel_cols[] = { GPU_COLS, "name", "gridX", "gridY",
	"gridZ", "blockX", "blockY", "blockZ", "registersPerThread",
	"staticSharedMemory", "dynamicSharedMemory", NULL };

static bool
kernel_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int i, c = GPU_NEXT;

	if (!gpu_work(ctx, s, col, ev))
		return false;
	ev->name = nvprof_name(col[c++]);
	ev->gpu.kern.short_name = EV_UNSET;
	ev->gpu.kern.mangled = EV_UNSET;
	for (i = 0; i < 3; i++)
		ev->gpu.kern.grid[i] = nvprof_num(col[c++]);
	for (i = 0; i < 3; i++)
		ev->gpu.kern.block[i] = nvprof_num(col[c++]);
	ev->gpu.kern.regs = nvprof_num(col[c++]);
	ev->gpu.kern.smem = nvprof_num(col[c++]);
	ev->gpu.kern.dynsmem = nvprof_num(col[c]);
	return true;
}

static const char *const copy_cols[] = { GPU_COLS, "copyKind", "bytes",
	"srcKind", "dstKind", NULL };

static bool
copy_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t kind, src, dst;

	if (!gpu_work(ctx, s, col, ev))
		return false;
	kind = nvprof_num(col[GPU_NEXT]);
	src = nvprof_num(col[GPU_NEXT + 2]);
	dst = nvprof_num(col[GPU_NEXT + 3]);
	ev->gpu.copy.kind = NVPROF_PICK(copy_kinds, kind);
	ev->gpu.copy.bytes = nvprof_num(col[GPU_NEXT + 1]);
	ev->gpu.copy.src_mem = nvprof_mem_kind(src);
	ev->gpu.copy.dst_mem = nvprof_mem_kind(dst);
	return true;
}

static const char *const set_cols[] = { GPU_COLS, "bytes", "value",
	"memoryKind", NULL };

static bool
set_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t kind;

	if (!gpu_work(ctx, s, col, ev))
		return false;
	kind = nvprof_num(col[GPU_NEXT + 2]);
	ev->gpu.set.bytes = nvprof_num(col[GPU_NEXT]);
	ev->gpu.set.value = nvprof_num(col[GPU_NEXT + 1]);
	ev->gpu.set.mem = nvprof_mem_kind(kind);
	return true;
}

static const char *const sync_cols[] = { GPU_COLS, "type", "cudaEventId",
	NULL };

static bool
sync_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	const struct nvprof *nv = ctx;
	const uint64_t *dev;
	int64_t kind;

	if (!gpu_work(ctx, s, col, ev))
		return false;
	/* Only the context identifies the device. */
	dev = map_get(&nv->context, (uint64_t)ev->gpu.ctx);
	ev->gpu.dev = dev != NULL ? (int64_t)*dev : EV_UNSET;
	kind = nvprof_num(col[GPU_NEXT]);
	ev->gpu.sync.kind = NVPROF_PICK(sync_kinds, kind);
	ev->gpu.sync.event = id32(col[GPU_NEXT + 1]);
	return true;
}

static const char *const graph_cols[] = { GPU_COLS, "graphId", NULL };

static bool
graph_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	if (!gpu_work(ctx, s, col, ev))
		return false;
	ev->gpu.graph.graph = nvprof_num(col[GPU_NEXT]);
	ev->gpu.graph.exec = EV_UNSET;
	return true;
}

/*
 * Kernels are in one of two tables, which depends on how they were recorded. A
 * session of the Visual Profiler can have both: a timeline, and the same run
 * again for metrics. Then only the timeline is read.
 */
static bool
is_second_run(struct nvprof *nv, const char *table)
{
	sqlite3_stmt *st;
	bool has;

	if (strcmp(table, NVPROF_TABLE("KERNEL")) != 0 ||
	    !db_has_table(nv->db, NVPROF_TABLE("CONCURRENT_KERNEL")))
		return false;
	st = db_prepare(nv->db, "SELECT 1 FROM %s LIMIT 1",
	    NVPROF_TABLE("CONCURRENT_KERNEL"));
	has = db_step(st);
	sqlite3_finalize(st);
	nv->has_timeline = has;
	return has;
}

static const struct {
	const char *table;
	row_fn *row;
	const char *const *cols;
	enum ev_kind kind;
} tables[] = {
	{ NVPROF_TABLE("CONCURRENT_KERNEL"), kernel_row, kernel_cols, EV_KERN },
	/* Kernels one by one: nvprof --metrics, --analysis-metrics */
	{ NVPROF_TABLE("KERNEL"), kernel_row, kernel_cols, EV_KERN },
	{ NVPROF_TABLE("MEMCPY"), copy_row, copy_cols, EV_COPY },
	{ NVPROF_TABLE("MEMCPY2"), copy_row, copy_cols, EV_COPY },
	{ NVPROF_TABLE("MEMSET"), set_row, set_cols, EV_SET },
	{ NVPROF_TABLE("SYNCHRONIZATION"), sync_row, sync_cols, EV_SYNC },
	{ NVPROF_TABLE("GRAPH_TRACE"), graph_row, graph_cols, EV_GRAPH },
};

static void
add_gpu(struct nvprof *nv)
{
	struct ev_source *s;
	size_t i;

	for (i = 0; i < ARRAY_LEN(tables); i++) {
		if (db_has_column(nv->db, tables[i].table, "start") &&
		    is_second_run(nv, tables[i].table))
			continue;
		s = nvprof_source(nv, tables[i].kind, tables[i].table,
		    tables[i].row, tables[i].cols);
		if (s != NULL)
			s->corr =
			    db_col(nv->db, tables[i].table, "correlationId");
	}
}

/* A marker's flags. */
enum { MARK_INSTANT = 1, MARK_START = 2, MARK_END = 4 };

/* Start and end times, kind and id of the object, the end's kind and id,
 * name, domain. */
static bool
range_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct nvprof *nv = ctx;
	int64_t pid = EV_UNSET, tid = EV_UNSET;

	if (!nvprof_times(nv, s, col + 1, ev))
		return false;
	nvprof_object(col[3], col[4], &ev->pid, &ev->tid);
	nvprof_object(col[5], col[6], &pid, &tid);
	ev->range.end_tid = tid != ev->tid ? tid : EV_UNSET;
	ev->range.push = nvprof_num(col[3]) == OBJECT_THREAD;
	ev->name = nvprof_name(col[7]);
	ev->range.domain = nvprof_domain(nv, nvprof_num(col[8]));
	return true;
}

static bool
mark_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	if (!range_row(ctx, s, col, ev))
		return false;
	ev->end = EV_UNSET;
	ev->range.end_tid = EV_UNSET;
	return true;
}

/*
 * The end of a range comes later in the table than its start. The ends go into
 * a temporary table (SQLite's own, on disk if large), so that a range is
 * complete when it starts. If an id is used again, a range ends at the next end
 * after its start. The columns' types matter: without them the join would not
 * use the key.
 */
static void
make_ends(struct nvprof *nv, const char *table)
{
	char *s;

	s = sqlite3_mprintf(
	    "CREATE TEMP TABLE dlp_ends (id INT, timestamp INT, kind, object,"
	    " PRIMARY KEY (id, timestamp)) WITHOUT ROWID;"
	    "INSERT OR IGNORE INTO dlp_ends"
	    " SELECT id, timestamp, objectKind, objectId FROM %s"
	    " WHERE flags & %d AND id IS NOT NULL AND timestamp IS NOT NULL",
	    table, MARK_END);
	if (s == NULL)
		die("out of memory");
	if (sqlite3_exec(nv->db, s, NULL, NULL, NULL) != SQLITE_OK)
		die("%s: %s", db_path(), sqldb_error(nv->db));
	sqlite3_free(s);
}

/* A piece of SQL. The caller frees it. */
static char *sql(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static char *
sql(const char *fmt, ...)
{
	char s[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s, sizeof(s), fmt, ap);
	va_end(ap);
	return xstrdup(s);
}

static void
add_markers(struct nvprof *nv)
{
	static const char *const need[] = { "flags", "timestamp", "id",
		"objectKind", "objectId", "name" };
	static const char table[] = NVPROF_TABLE("MARKER");
	const char *domain = "NULL";
	struct ev_source *s;
	size_t i;

	for (i = 0; i < ARRAY_LEN(need); i++)
		if (!db_has_table(nv->db, table) ||
		    !db_has_column(nv->db, table, need[i]))
			return;
	if (db_has_column(nv->db, table, "domain"))
		domain = "a.domain";
	make_ends(nv, table);
	s = source_add(&nv->prof->sources, EV_RANGE, table, range_row);
	s->from = sql("%s AS a NOT INDEXED LEFT JOIN temp.dlp_ends AS b ON "
		      "b.id = a.id AND"
		      " b.timestamp = (SELECT min(timestamp) FROM temp.dlp_ends"
		      " WHERE id = a.id AND timestamp >= a.timestamp)",
	    table);
	s->cols =
	    sql("a.timestamp, b.timestamp, a.objectKind, a.objectId, b.kind,"
		" b.object, a.name, %s",
		domain);
	s->key = xstrdup("a.rowid");
	s->where = sql("a.flags & %d", MARK_START);
	s->start = xstrdup("a.timestamp");
	s->end = xstrdup("b.timestamp");
	s = source_add(&nv->prof->sources, EV_MARK, table, mark_row);
	s->from = xstrdup(table);
	s->cols =
	    sql("timestamp, NULL, objectKind, objectId, NULL, NULL, name, %s",
		domain[0] == 'a' ? "domain" : domain);
	s->where = sql("flags & %d", MARK_INSTANT);
	s->start = xstrdup("timestamp");
}

void
nvprof_add_rows(struct nvprof *nv)
{
	add_cpu(nv);
	add_gpu(nv);
	add_markers(nv);
}
