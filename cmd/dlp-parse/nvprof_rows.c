/*
 * nvprof's tables and what their rows mean. GPU work has no process id and
 * no thread: both come from the call with its correlation id. Threads are
 * given as pthread handles cut to 32 bits, shown unsigned, as PyProf does.
 * A value of the wrong type reads as unset.
 */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"
#include "nvprof.h"

/* CUPTI's numbers; those of Nsight's exports are one lower for memory. */
static const char *const copy_kinds[] = { NULL, "HtoD", "DtoH", "HtoA", "AtoH",
	"AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP" };
static const char *const mem_kinds[] = { NULL, "pageable", "pinned", "device",
	"array", "managed", "device-static", "managed-static" };
static const char *const sync_kinds[] = { NULL, "event", "stream-wait-event",
	"stream", "context" };
static const char *const overheads[] = { "driver compiler",
	"CUPTI buffer flush", "CUPTI instrumentation", "CUPTI resource" };

#define PICK(table, i)                                                         \
	((i) >= 0 && (i) < (int64_t)(sizeof(table) / sizeof((table)[0]))       \
		? (table)[i]                                                   \
		: NULL)

int64_t
nvprof_num(sqlite3_stmt *st, int i)
{
	if (sqlite3_column_type(st, i) != SQLITE_INTEGER)
		return EV_UNSET;
	return sqlite3_column_int64(st, i);
}

/* A string's id; negative ones are not the file's: see nvprof_api_id(). */
int64_t
nvprof_name(sqlite3_stmt *st, int i)
{
	int64_t v = nvprof_num(st, i);

	return v < 0 ? EV_UNSET : v;
}

/* Ids of 32 bits, of which all ones means none; stored signed. */
static int64_t
id32(sqlite3_stmt *st, int i)
{
	int64_t v = nvprof_num(st, i);

	return v == -1 || v == UINT32_MAX ? EV_UNSET : v;
}

bool
nvprof_times(struct nvprof *nv, sqlite3_stmt *st, int i, struct event *ev)
{
	int64_t start = nvprof_num(st, i), end = nvprof_num(st, i + 1);

	if (start == EV_UNSET) {
		dialect_bad_row();
		return false;
	}
	/* CUPTI's word for a time that it could not record */
	if (start == 0) {
		nv->untimed++;
		ev->start = 0;
		ev->end = end == 0 ? 0 : EV_UNSET;
		return true;
	}
	ev->start = num_sub(start, nv->t0);
	if (end != EV_UNSET)
		ev->end = num_sub(end, nv->t0);
	return true;
}

static int64_t
le32(const unsigned char *s)
{
	return (int64_t)s[0] | (int64_t)s[1] << 8 | (int64_t)s[2] << 16 |
	       (int64_t)s[3] << 24;
}

void
nvprof_object(sqlite3_stmt *st, int kind, int id, int64_t *pid, int64_t *tid)
{
	const unsigned char *s;
	int64_t k = nvprof_num(st, kind);

	if (sqlite3_column_type(st, id) != SQLITE_BLOB ||
	    sqlite3_column_bytes(st, id) < 8 ||
	    (k != OBJECT_PROCESS && k != OBJECT_THREAD))
		return;
	s = sqlite3_column_blob(st, id);
	*pid = le32(s);
	if (k == OBJECT_THREAD)
		*tid = le32(s + 4);
}

static bool
gpu(struct nvprof *nv, sqlite3_stmt *st, struct event *ev)
{
	if (!nvprof_times(nv, st, 1, ev))
		return false;
	ev->corr = nvprof_num(st, 3);
	ev->gpu.dev = nvprof_num(st, 4);
	ev->gpu.ctx = id32(st, 5);
	ev->gpu.stream = id32(st, 6);
	ev->gpu.node = nvprof_num(st, 7);
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
    void *ctx, const struct source *s, sqlite3_stmt *st, struct event *ev)
{
	int i, c = GPU_NEXT;

	(void)s;
	if (!gpu(ctx, st, ev))
		return false;
	ev->name = nvprof_name(st, c++);
	ev->gpu.kern.short_name = EV_UNSET;
	for (i = 0; i < 3; i++)
		ev->gpu.kern.grid[i] = nvprof_num(st, c++);
	for (i = 0; i < 3; i++)
		ev->gpu.kern.block[i] = nvprof_num(st, c++);
	ev->gpu.kern.regs = nvprof_num(st, c++);
	ev->gpu.kern.smem = nvprof_num(st, c++);
	ev->gpu.kern.dynsmem = nvprof_num(st, c);
	return true;
}

static const char *const copy_cols[] = { GPU_COLS, "copyKind", "bytes",
	"srcKind", "dstKind", NULL };

static bool
copy_row(void *ctx, const struct source *s, sqlite3_stmt *st, struct event *ev)
{
	int64_t kind, src, dst;

	(void)s;
	if (!gpu(ctx, st, ev))
		return false;
	kind = nvprof_num(st, GPU_NEXT);
	src = nvprof_num(st, GPU_NEXT + 2);
	dst = nvprof_num(st, GPU_NEXT + 3);
	ev->gpu.copy.kind = PICK(copy_kinds, kind);
	ev->gpu.copy.bytes = nvprof_num(st, GPU_NEXT + 1);
	ev->gpu.copy.src_mem = PICK(mem_kinds, src);
	ev->gpu.copy.dst_mem = PICK(mem_kinds, dst);
	return true;
}

static const char *const set_cols[] = { GPU_COLS, "bytes", "value",
	"memoryKind", NULL };

static bool
set_row(void *ctx, const struct source *s, sqlite3_stmt *st, struct event *ev)
{
	int64_t kind;

	(void)s;
	if (!gpu(ctx, st, ev))
		return false;
	kind = nvprof_num(st, GPU_NEXT + 2);
	ev->gpu.set.bytes = nvprof_num(st, GPU_NEXT);
	ev->gpu.set.value = nvprof_num(st, GPU_NEXT + 1);
	ev->gpu.set.mem = PICK(mem_kinds, kind);
	return true;
}

static const char *const sync_cols[] = { GPU_COLS, "type", "cudaEventId",
	NULL };

static bool
sync_row(void *ctx, const struct source *s, sqlite3_stmt *st, struct event *ev)
{
	const struct nvprof *nv = ctx;
	const uint64_t *dev;
	int64_t kind;

	(void)s;
	if (!gpu(ctx, st, ev))
		return false;
	/* Only the context tells the device. */
	dev = map_get(&nv->context, (uint64_t)ev->gpu.ctx);
	ev->gpu.dev = dev != NULL ? (int64_t)*dev : EV_UNSET;
	kind = nvprof_num(st, GPU_NEXT);
	ev->gpu.sync.kind = PICK(sync_kinds, kind);
	ev->gpu.sync.event = id32(st, GPU_NEXT + 1);
	return true;
}

static const char *const graph_cols[] = { GPU_COLS, "graphId", NULL };

static bool
graph_row(void *ctx, const struct source *s, sqlite3_stmt *st, struct event *ev)
{
	(void)s;
	if (!gpu(ctx, st, ev))
		return false;
	ev->gpu.graph.graph = nvprof_num(st, GPU_NEXT);
	ev->gpu.graph.exec = EV_UNSET;
	return true;
}

static const char *const call_cols[] = { "start", "end", "correlationId",
	"cbid", "processId", "threadId", "returnValue", NULL };

static bool
call_row(void *ctx, const struct source *s, sqlite3_stmt *st, struct event *ev)
{
	int64_t cbid = nvprof_num(st, 4), tid = nvprof_num(st, 6);

	if (!nvprof_times(ctx, st, 1, ev))
		return false;
	ev->corr = nvprof_num(st, 3);
	if (cbid != EV_UNSET)
		ev->name = nvprof_api_id(s->tag, cbid);
	ev->pid = nvprof_num(st, 5);
	if (tid != EV_UNSET)
		ev->tid = tid & 0xffffffff;
	ev->call.ret = nvprof_num(st, 7);
	/* A number in both tables is the same call, told twice. */
	ev->call.twin = s->tag == NVPROF_DRIVER;
	return true;
}

static const char *const over_cols[] = { "start", "end", "overheadKind",
	"objectKind", "objectId", NULL };

static bool
over_row(void *ctx, const struct source *s, sqlite3_stmt *st, struct event *ev)
{
	int64_t kind = nvprof_num(st, 3);

	(void)s;
	if (!nvprof_times(ctx, st, 1, ev))
		return false;
	/* 1, then 1 to 3 in the upper half */
	kind = kind == 1 ? 0 : kind > 0 && kind % 65536 == 0 ? kind >> 16 : -1;
	ev->text = PICK(overheads, kind);
	if (ev->text != NULL)
		ev->text_len = (uint32_t)strlen(ev->text);
	nvprof_object(st, 4, 5, &ev->pid, &ev->tid);
	return true;
}

static const char *const mem_cols[] = { "start", "end", "processId", "deviceId",
	"bytes", "address", "memoryKind", NULL };

static bool
mem_row(void *ctx, const struct source *s, sqlite3_stmt *st, struct event *ev)
{
	bool is_free = s->tag != 0;
	int64_t kind;

	if (!nvprof_times(ctx, st, 1, ev))
		return false;
	ev->end = EV_UNSET;
	ev->pid = nvprof_num(st, 3);
	ev->mem.dev = nvprof_num(st, 4);
	ev->mem.bytes = nvprof_num(st, 5);
	ev->mem.addr = nvprof_num(st, 6);
	kind = nvprof_num(st, 7);
	ev->mem.kind = PICK(mem_kinds, kind);
	ev->mem.op = is_free ? "free" : "alloc";
	return true;
}

/* The tables with their rows. */
static const struct table {
	const char *table;
	row_fn *row;
	const char *const *cols;
	enum ev_kind kind;
	int tag;
} tables[] = {
	{ NVPROF_TABLE("RUNTIME"), call_row, call_cols, EV_CALL,
	    NVPROF_RUNTIME },
	{ NVPROF_TABLE("DRIVER"), call_row, call_cols, EV_CALL, NVPROF_DRIVER },
	{ NVPROF_TABLE("CONCURRENT_KERNEL"), kernel_row, kernel_cols, EV_KERN,
	    0 },
	/* Kernels one by one: nvprof --metrics, --analysis-metrics */
	{ NVPROF_TABLE("KERNEL"), kernel_row, kernel_cols, EV_KERN, 0 },
	{ NVPROF_TABLE("MEMCPY"), copy_row, copy_cols, EV_COPY, 0 },
	{ NVPROF_TABLE("MEMCPY2"), copy_row, copy_cols, EV_COPY, 0 },
	{ NVPROF_TABLE("MEMSET"), set_row, set_cols, EV_SET, 0 },
	{ NVPROF_TABLE("SYNCHRONIZATION"), sync_row, sync_cols, EV_SYNC, 0 },
	{ NVPROF_TABLE("GRAPH_TRACE"), graph_row, graph_cols, EV_GRAPH, 0 },
	{ NVPROF_TABLE("OVERHEAD"), over_row, over_cols, EV_OVER, 0 },
	{ NVPROF_TABLE("MEMORY"), mem_row, mem_cols, EV_MEM, 0 },
};

/*
 * Kernels stand in one of two tables, after the way in which they were
 * recorded. A session of the Visual Profiler can hold both, a timeline and
 * the same run again for metrics: then the timeline counts.
 */
static bool
is_second_run(struct nvprof *nv, const struct table *t)
{
	sqlite3_stmt *st;
	bool has;

	if (strcmp(t->table, NVPROF_TABLE("KERNEL")) != 0 ||
	    !db_has_table(nv->db, NVPROF_TABLE("CONCURRENT_KERNEL")))
		return false;
	st = db_prepare(nv->db, "SELECT 1 FROM %s LIMIT 1",
	    NVPROF_TABLE("CONCURRENT_KERNEL"));
	has = db_step(st);
	sqlite3_finalize(st);
	nv->has_timeline = has;
	return has;
}

static void
add_table(struct nvprof *nv, struct sources *ss, const struct table *t)
{
	struct source *s;

	if (!db_has_table(nv->db, t->table) ||
	    !db_has_column(nv->db, t->table, "start") || is_second_run(nv, t))
		return;
	s = source_add(ss, t->kind, t->table, t->row);
	s->tag = t->tag;
	s->from = xstrdup(t->table);
	s->cols = db_cols(nv->db, t->table, t->cols);
	s->start = xstrdup("start");
	s->end = db_col(nv->db, t->table, "end");
	if (t->kind == EV_CALL || EV_IS_GPU(t->kind))
		s->corr = db_col(nv->db, t->table, "correlationId");
	if (t->kind == EV_CALL)
		s->gid = db_col(nv->db, t->table, "processId");
	if (t->tag == NVPROF_DRIVER && t->kind == EV_CALL)
		s->twin = xstrdup("1");
}

/* Allocations have the time of their release in the same row. */
static void
add_releases(struct nvprof *nv, struct sources *ss)
{
	static const char *const cols[] = { "end", "end", "processId",
		"deviceId", "bytes", "address", "memoryKind", NULL };
	static const char table[] = NVPROF_TABLE("MEMORY");
	struct source *s;

	if (!db_has_table(nv->db, table) ||
	    !db_has_column(nv->db, table, "end"))
		return;
	s = source_add(ss, EV_MEM, table, mem_row);
	s->tag = 1;
	s->from = xstrdup(table);
	s->where = xstrdup("end > 0");
	s->cols = db_cols(nv->db, table, cols);
	s->start = xstrdup("end");
}

void
nvprof_sources(struct nvprof *nv, struct sources *ss)
{
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		add_table(nv, ss, &tables[i]);
	add_releases(nv, ss);
	nvprof_markers(nv, ss);
}
