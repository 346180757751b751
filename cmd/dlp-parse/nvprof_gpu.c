/*
 * nvprof's GPU work. It has no process id and no thread: both come from the
 * call with its correlation id.
 */
#include <stdlib.h>
#include <string.h>

#include "nvprof_gpu.h"
#include "nvprof_row.h"
#include "schema.h"

static const char *const copy_kinds[] = { NULL, "HtoD", "DtoH", "HtoA", "AtoH",
	"AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP" };
static const char *const sync_kinds[] = { NULL, "event", "stream-wait-event",
	"stream", "context" };

/* Ids of 32 bits, of which all ones means none; stored signed. */
static int64_t
id32(sqlite3_value *v)
{
	int64_t n = nvprof_num(v);

	return n == -1 || n == UINT32_MAX ? EV_UNSET : n;
}

static bool
gpu(struct nvprof *nv, sqlite3_value **col, struct event *ev)
{
	if (!nvprof_times(nv, col + 1, ev))
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
#define GPU_NEXT 8 /* the column behind them */

static const char *const kernel_cols[] = { GPU_COLS, "name", "gridX", "gridY",
	"gridZ", "blockX", "blockY", "blockZ", "registersPerThread",
	"staticSharedMemory", "dynamicSharedMemory", NULL };

static bool
kernel_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	int i, c = GPU_NEXT;

	(void)s;
	if (!gpu(ctx, col, ev))
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
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	int64_t kind, src, dst;

	(void)s;
	if (!gpu(ctx, col, ev))
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
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	int64_t kind;

	(void)s;
	if (!gpu(ctx, col, ev))
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
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	const struct nvprof *nv = ctx;
	const uint64_t *dev;
	int64_t kind;

	(void)s;
	if (!gpu(ctx, col, ev))
		return false;
	/* Only the context tells the device. */
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
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	(void)s;
	if (!gpu(ctx, col, ev))
		return false;
	ev->gpu.graph.graph = nvprof_num(col[GPU_NEXT]);
	ev->gpu.graph.exec = EV_UNSET;
	return true;
}

/*
 * Kernels stand in one of two tables, after the way in which they were
 * recorded. A session of the Visual Profiler can hold both, a timeline and
 * the same run again for metrics: then the timeline counts.
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

void
nvprof_add_gpu(struct nvprof *nv, struct sources *ss)
{
	struct source *s;
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (db_has_column(nv->db, tables[i].table, "start") &&
		    is_second_run(nv, tables[i].table))
			continue;
		s = nvprof_source(nv, ss, tables[i].kind, tables[i].table,
		    tables[i].row, tables[i].cols);
		if (s != NULL)
			s->corr =
			    db_col(nv->db, tables[i].table, "correlationId");
	}
}
