/*
 * The tables of Nsight Systems about GPU work: kernels, copies, sets,
 * synchronizations, whole graph runs.
 */
#include <string.h>

#include "array.h"
#include "nsys.h"
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
}
