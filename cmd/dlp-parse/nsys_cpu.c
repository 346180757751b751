/*
 * What Nsight Systems records on the CPU beside NVTX: CUDA calls, library
 * and operating system calls, creations of graph nodes, allocations, and
 * the profiler's own time and messages.
 */
#include <string.h>

#include "err.h"
#include "nsys_cpu.h"
#include "nsys_row.h"
#include "schema.h"

enum { /* eventClass */
	CLASS_OS = 27,
	CLASS_TWIN = 67, /* the copy of a call that has a backtrace */
};

static bool
call_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	(void)ctx;
	(void)s;
	if (!nsys_times(col, ev))
		return false;
	ev->call.ret = db_value(col[1]);
	nsys_thread(col[4], ev);
	ev->corr = db_value(col[5]);
	ev->name = db_value(col[6]);
	ev->call.twin = db_value(col[7]) == CLASS_TWIN;
	return true;
}

static void
add_calls(struct nsys *ns, struct sources *ss)
{
	static const char table[] = "CUPTI_ACTIVITY_KIND_RUNTIME";
	static const char *const names[] = { "returnValue", "start", "end",
		"globalTid", "correlationId", "nameId", "eventClass", NULL };
	struct source *s;

	s = nsys_source(ns, ss, EV_CALL, table, call_row, names);
	if (s == NULL)
		return;
	s->gid = db_col(ns->db, table, "globalTid");
	s->corr = db_col(ns->db, table, "correlationId");
	s->twin = db_col(ns->db, table, "eventClass");
	s->twin_is = CLASS_TWIN;
}

/* A named interval on a thread; the source's tag is the library's name. */
static bool
named_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	(void)ctx;
	if (!nsys_times(col, ev))
		return false;
	ev->name = db_value(col[1]);
	nsys_thread(col[4], ev);
	if (s->kind == EV_LIB)
		ev->label = s->tag == 0 ? "cudnn" : "cublas";
	return true;
}

/* Other rows tell when the recording of calls began and ended. */
static bool
os_row(void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	int64_t class = db_value(col[5]);
	struct nsys *ns = ctx;

	if (class != EV_UNSET && class != CLASS_OS) {
		ns->os_other++;
		return false;
	}
	return named_row(ctx, s, col, ev);
}

static void
add_named(struct nsys *ns, struct sources *ss)
{
	static const char *const names[] = { "nameId", "start", "end",
		"globalTid", "eventClass", NULL };
	static const struct {
		enum ev_kind kind;
		const char *table;
		int tag;
	} tables[] = {
		{ EV_LIB, "CUDNN_EVENTS", 0 },
		{ EV_LIB, "CUBLAS_EVENTS", 1 },
		{ EV_OS, "OSRT_API", 0 },
		{ EV_OVER, "PROFILER_OVERHEAD", 0 },
		{ EV_OVER, "CUPTI_ACTIVITY_KIND_OVERHEAD", 0 },
	};
	struct source *s;
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		s = nsys_source(ns, ss, tables[i].kind, tables[i].table,
		    tables[i].kind == EV_OS ? os_row : named_row, names);
		if (s != NULL)
			s->tag = tables[i].tag;
	}
}

static bool
node_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	(void)ctx;
	(void)s;
	if (!nsys_times(col, ev))
		return false;
	ev->node.orig = db_value(col[1]);
	nsys_thread(col[4], ev);
	ev->node.node = db_value(col[5]);
	if (ev->node.orig == 0)
		ev->node.orig = EV_UNSET;
	return true;
}

/* Until 2022 the table of nodes has the name that graphs have later. */
static void
add_nodes(struct nsys *ns, struct sources *ss)
{
	static const char *const tables[] = { "CUDA_GRAPH_NODE_EVENTS",
		"CUDA_GRAPH_EVENTS" };
	static const char *const names[] = { "originalGraphNodeId", "start",
		"end", "globalTid", "graphNodeId", NULL };
	size_t i;

	for (i = 0; i < 2; i++)
		if (db_has_column(ns->db, tables[i], "graphNodeId"))
			nsys_source(
			    ns, ss, EV_NODE, tables[i], node_row, names);
}

static bool
mem_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	int64_t gid, op;

	(void)ctx;
	(void)s;
	if (!nsys_times(col, ev))
		return false;
	gid = db_value(col[4]);
	if (gid != EV_UNSET)
		ev->pid = nsys_pid(gid);
	op = db_value(col[5]);
	ev->mem.op = op == 0 ? "alloc" : op == 1 ? "free" : NULL;
	ev->mem.dev = nsys_num(col[6]);
	ev->mem.bytes = db_value(col[7]);
	ev->mem.addr = db_value(col[8]);
	ev->mem.kind = nsys_mem_kind(db_value(col[9]));
	ev->mem.corr = nsys_num(col[10]);
	ev->mem.pool = db_value(col[11]);
	ev->mem.pool_bytes = db_value(col[1]);
	if (ev->mem.corr == 0) /* those before the capture have no call */
		ev->mem.corr = EV_UNSET;
	return true;
}

static bool
diag_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	static const char *const names[] = { "unknown", "info", "warning",
		"error", "verbose" };
	int64_t severity;

	(void)ctx;
	(void)s;
	if (!nsys_times(col, ev))
		return false;
	severity = db_value(col[4]);
	ev->label = severity >= 0 && severity < 5 ? names[severity] : NULL;
	ev->text = db_text(col[1], &ev->text_len);
	return true;
}

void
nsys_add_cpu(struct nsys *ns, struct sources *ss)
{
	static const char *const mem[] = { "localMemoryPoolSize", "start",
		"end", "globalPid", "memoryOperationType", "deviceId", "bytes",
		"address", "memKind", "correlationId", "localMemoryPoolAddress",
		NULL };
	static const char *const diag[] = { "text", "timestamp", "end",
		"severity", NULL };

	add_calls(ns, ss);
	add_named(ns, ss);
	add_nodes(ns, ss);
	nsys_source(
	    ns, ss, EV_MEM, "CUDA_GPU_MEMORY_USAGE_EVENTS", mem_row, mem);
	nsys_source(ns, ss, EV_DIAG, "DIAGNOSTIC_EVENT", diag_row, diag);
}
