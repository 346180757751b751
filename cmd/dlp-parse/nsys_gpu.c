/*
 * The tables of Nsight Systems about GPU work: kernels, copies, sets,
 * synchronizations, whole graph runs.
 */
#include <string.h>

#include "array.h"
#include "err.h"
#include "nsys.h"
#include "profile.h"
#include "schema.h"

/* The columns that all of them begin with. */
#define COMMON                                                                 \
	"graphNodeId", "start", "end", "globalPid", "correlationId",           \
	    "deviceId", "contextId", "streamId"
enum {
	C_NODE = 1,
	C_START,
	C_END,
	C_PID,
	C_CORR,
	C_DEV,
	C_CTX,
	C_STREAM,
	C_OWN
};

static bool
gpu_work(const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t gid, node;

	if (!nsys_times(s, col, ev))
		return false;
	gid = db_value(col[C_PID]);
	if (gid != EV_UNSET)
		ev->pid = nsys_pid(gid);
	ev->corr = db_value(col[C_CORR]);
	ev->gpu.dev = nsys_num(col[C_DEV]);
	ev->gpu.ctx = nsys_num(col[C_CTX]);
	ev->gpu.stream = nsys_num(col[C_STREAM]);
	node = db_value(col[C_NODE]);
	ev->gpu.node = node != 0 ? node : EV_UNSET;
	return true;
}

static bool
kern_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int i;

	(void)ctx;
	if (!gpu_work(s, col, ev))
		return false;
	ev->name = db_value(col[C_OWN]);
	ev->gpu.kern.short_name = db_value(col[C_OWN + 1]);
	for (i = 0; i < 3; i++) {
		ev->gpu.kern.grid[i] = db_value(col[C_OWN + 2 + i]);
		ev->gpu.kern.block[i] = db_value(col[C_OWN + 5 + i]);
	}
	ev->gpu.kern.regs = db_value(col[C_OWN + 8]);
	ev->gpu.kern.smem = db_value(col[C_OWN + 9]);
	ev->gpu.kern.dynsmem = db_value(col[C_OWN + 10]);
	ev->gpu.kern.mangled = db_value(col[C_OWN + 11]);
	return true;
}

static bool
copy_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	static const char *const kinds[] = { "unknown", "HtoD", "DtoH", "HtoA",
		"AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP",
		"UVM HtoD", "UVM DtoH", "UVM DtoD" };
	int64_t kind;

	(void)ctx;
	if (!gpu_work(s, col, ev))
		return false;
	kind = db_value(col[C_OWN]);
	ev->gpu.copy.kind = kind >= 0 && kind < 14 ? kinds[kind] : NULL;
	ev->gpu.copy.bytes = db_value(col[C_OWN + 1]);
	ev->gpu.copy.src_mem = nsys_mem_kind(db_value(col[C_OWN + 2]));
	ev->gpu.copy.dst_mem = nsys_mem_kind(db_value(col[C_OWN + 3]));
	return true;
}

static bool
set_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	(void)ctx;
	if (!gpu_work(s, col, ev))
		return false;
	ev->gpu.set.bytes = db_value(col[C_OWN]);
	ev->gpu.set.value = db_value(col[C_OWN + 1]);
	ev->gpu.set.mem = nsys_mem_kind(db_value(col[C_OWN + 2]));
	return true;
}

/* The numbers are known for schema 3.24 and later; before, only 4 is. The core
 * prefers the name of the call. */
static const char *
sync_kind(const struct nsys *ns, int64_t type)
{
	static const char *const names[] = { NULL, "event", "stream-wait-event",
		"stream", "context" };

	if (type == 4 || (ns->schema >= 3024 && type >= 1 && type <= 4))
		return names[type];
	return NULL;
}

static bool
sync_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	if (!gpu_work(s, col, ev))
		return false;
	ev->gpu.sync.kind = sync_kind(ctx, db_value(col[C_OWN]));
	ev->gpu.sync.event = nsys_num(col[C_OWN + 1]);
	return true;
}

static bool
graph_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	(void)ctx;
	if (!gpu_work(s, col, ev))
		return false;
	ev->gpu.graph.graph = db_value(col[C_OWN]);
	ev->gpu.graph.exec = db_value(col[C_OWN + 1]);
	return true;
}

static const struct {
	enum ev_kind kind;
	const char *table;
	row_fn *row;
	const char *cols[24];
} tables[] = {
	{ EV_KERN, "CUPTI_ACTIVITY_KIND_KERNEL", kern_row,
	    { COMMON, "demangledName", "shortName", "gridX", "gridY", "gridZ",
		"blockX", "blockY", "blockZ", "registersPerThread",
		"staticSharedMemory", "dynamicSharedMemory", "mangledName" } },
	{ EV_COPY, "CUPTI_ACTIVITY_KIND_MEMCPY", copy_row,
	    { COMMON, "copyKind", "bytes", "srcKind", "dstKind" } },
	{ EV_SET, "CUPTI_ACTIVITY_KIND_MEMSET", set_row,
	    { COMMON, "bytes", "value", "memKind" } },
	{ EV_SYNC, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", sync_row,
	    { COMMON, "syncType", "eventId" } },
	{ EV_GRAPH, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", graph_row,
	    { COMMON, "graphId", "graphExecId" } },
};

/* A row of a recorded CUDA event has no time: that is its call's. The index
 * which SQLite makes for the join is of the events, because they are fewer. */
#define EVENTS "CUPTI_ACTIVITY_KIND_CUDA_EVENT"
#define CALLS "CUPTI_ACTIVITY_KIND_RUNTIME"
#define EVENT_CALLS                                                            \
	CALLS " AS r CROSS JOIN " EVENTS                                       \
	      " AS e ON e.correlationId = r.correlationId"                     \
	      " AND e.globalPid >> 24 = r.globalTid >> 24"

static bool
event_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	(void)ctx;
	if (!nsys_times(s, col, ev))
		return false;
	ev->end = EV_UNSET;
	nsys_thread(col[4], ev);
	ev->corr = db_value(col[5]);
	ev->event.dev = nsys_num(col[6]);
	ev->event.ctx = nsys_num(col[7]);
	ev->event.stream = nsys_num(col[8]);
	ev->event.event = nsys_num(col[1]);
	return true;
}

static bool
has_events(const struct nsys *ns)
{
	static const char *const need[][2] = { { EVENTS, "correlationId" },
		{ EVENTS, "globalPid" }, { EVENTS, "deviceId" },
		{ EVENTS, "contextId" }, { EVENTS, "streamId" },
		{ EVENTS, "eventId" }, { CALLS, "start" },
		{ CALLS, "correlationId" }, { CALLS, "globalTid" } };
	size_t i;

	for (i = 0; i < ARRAY_LEN(need); i++)
		if (!db_has_table(ns->db, need[i][0]) ||
		    !db_has_column(ns->db, need[i][0], need[i][1]))
			return false;
	return true;
}

static void
add_events(struct nsys *ns)
{
	struct ev_source *s;

	if (!has_events(ns))
		return;
	s = source_add(&ns->prof->sources, EV_EVENT, EVENTS, event_row);
	s->keyless = s->apart = s->unordered = true;
	s->from = xstrdup(EVENT_CALLS);
	s->key = xstrdup("r.rowid");
	s->cols = xstrdup("e.eventId, r.start, NULL, r.globalTid,"
			  " r.correlationId, e.deviceId, e.contextId,"
			  " e.streamId");
	s->start = xstrdup("r.start");
}

uint64_t
nsys_events_lost(struct nsys *ns)
{
	const char *sql = has_events(ns)
			      ? "SELECT (SELECT count(*) FROM " EVENTS
				") - (SELECT count(*) FROM " EVENT_CALLS ")"
			      : "SELECT count(*) FROM " EVENTS;
	sqlite3_stmt *st;
	int64_t n = 0;

	if (!db_has_table(ns->db, EVENTS))
		return 0;
	if (sqlite3_prepare_v2(ns->db, sql, -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return n > 0 ? (uint64_t)n : 0;
}

void
nsys_add_gpu(struct nsys *ns)
{
	struct ev_source *s;
	size_t i;

	for (i = 0; i < ARRAY_LEN(tables); i++) {
		s = nsys_source(ns, tables[i].kind, tables[i].table,
		    tables[i].row, tables[i].cols);
		if (s == NULL)
			continue;
		s->gid = db_col(ns->db, tables[i].table, "globalPid");
		s->corr = db_col(ns->db, tables[i].table, "correlationId");
		if (tables[i].kind == EV_KERN && !nsys_lists_devs(ns))
			s->pick = db_col(ns->db, tables[i].table, "deviceId");
	}
	add_events(ns);
}
