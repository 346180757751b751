/*
 * The tables of Nsight Systems and their rows: GPU work, NVTX ranges and marks,
 * CUDA calls, library and operating system calls, creations of graph nodes,
 * allocations, and the profiler's own time and messages.
 *
 * The first column named is the last one in the table: SQLite walks along a row
 * only once if it is asked for the last column first.
 */
#include <stdlib.h>

#include "array.h"
#include "nsys.h"
#include "profile.h"
#include "schema.h"

/* NVTX_EVENTS: push/pop and start/end ranges, marks, and the rows that name
 * domains and threads. */

enum { /* eventType */
	NVTX_MARK = 34,
	NVTX_PUSHPOP = 59,
	NVTX_STARTEND = 60,
	NVTX_TXT_PUSHPOP = 70, /* from nvtxt files */
	NVTX_TXT_STARTEND = 71,
	NVTX_THREAD = 39, /* names a thread: nvtx_other() */
	NVTX_DOMAIN = 75, /* names a domain: nvtx_other() */
};

/* Domain ids count from 1 in each process, so the key includes the process. */
static uint64_t
domain_key(int64_t pid, int64_t domain)
{
	if (domain >= 0 && domain < (int64_t)1 << 32)
		return (uint64_t)pid << 32 | (uint64_t)domain;
	return (uint64_t)pid << 40 ^ (uint64_t)domain; /* of 24 and 32 bits */
}

/* The query for one row of nvtx_other(). The first pass may read this table in
 * a second thread, whose connection is db. So the query looks up the text of an
 * id itself: the statement ns->string belongs to the other connection. */
static sqlite3_stmt *
other_stmt(struct nsys *ns, sqlite3 *db)
{
	static const char *const names[] = { "eventType", "globalTid",
		"domainId", "text", NULL };
	char *cols = db_cols(db, "NVTX_EVENTS", names);
	bool ids =
	    ns->string != NULL && db_has_column(db, "NVTX_EVENTS", "textId");
	sqlite3_stmt *st = db_prepare(db,
	    "SELECT %s, %s FROM NVTX_EVENTS AS n WHERE rowid = ?1", cols,
	    ids ? "(SELECT value FROM StringIds WHERE"
		  " id = CAST(n.textId AS INTEGER))"
		: "NULL");

	free(cols);
	return st;
}

/* Stores the name in a row of other_stmt(): its text, or the text of its id. */
static void
set_name(struct nsys *ns, struct map *m, uint64_t key, sqlite3_stmt *st)
{
	uint32_t n;
	const char *s = db_text(sqlite3_column_value(st, 3), &n);

	if (s == NULL)
		s = db_text(sqlite3_column_value(st, 4), &n);
	if (n > 0)
		*map_put(m, key, NULL) =
		    smap_put(&ns->domain_names, s, n, NULL);
}

/* A row that creates a domain or names a thread. These are read before any
 * range is written. Rows of other types hold nothing that the records need. */
static void
nvtx_other(struct nsys *ns, sqlite3 *db, int64_t nvtx_row)
{
	int64_t type, gid, domain;
	sqlite3_stmt *st;

	if (ns->other == NULL)
		ns->other = other_stmt(ns, db);
	st = ns->other;
	sqlite3_bind_int64(st, 1, nvtx_row);
	if (db_step(st)) {
		type = db_i64(st, 0);
		gid = db_i64(st, 1);
		domain = db_i64(st, 2);
		if (type == NVTX_DOMAIN && domain != EV_UNSET)
			set_name(ns, &ns->domains,
			    domain_key(gid_pid(gid), domain), st);
		else if (type == NVTX_THREAD && gid != EV_UNSET)
			set_name(ns, &ns->threads, (uint64_t)gid, st);
		else
			ns->nvtx_other++;
	}
	sqlite3_reset(st);
}

/* A domain without a name gets its number as its name, except with --rows:
 * dlp-stats uses that option to print what nsys stats prints, which is no name.
 */
static const char *
domain_of(struct nsys *ns, int64_t pid, int64_t domain)
{
	struct buf b = { 0 };
	uint64_t *id;
	bool is_new;

	if (domain == EV_UNSET || domain == 0)
		return "";
	id = map_put(&ns->domains, domain_key(pid, domain), &is_new);
	if (is_new) {
		ns->unknown_domains++;
		if (!ns->prof->run->out.rows)
			buf_printf(&b, "domain %lld", (long long)domain);
		*id = smap_put(&ns->domain_names, buf_str(&b), b.len, NULL);
		buf_free(&b);
	}
	return smap_str(&ns->domain_names, (uint32_t)*id, NULL);
}

static bool
is_push(int64_t type)
{
	return type == NVTX_PUSHPOP || type == NVTX_TXT_PUSHPOP;
}

/* True if rows of this eventType are ranges or marks. */
static bool
is_nvtx_event(int64_t type)
{
	return is_push(type) || type == NVTX_STARTEND || type == NVTX_MARK ||
	       type == NVTX_TXT_STARTEND;
}

/* Keeps the last times of NVTX, for the facts of the profile. t can be
 * EV_UNSET, which is less than any time. */
static void
nvtx_time(struct nsys *ns, int64_t type, int64_t t)
{
	if (t > ns->nvtx_end)
		ns->nvtx_end = t;
	if (t > ns->range_end && type != NVTX_MARK && is_nvtx_event(type))
		ns->range_end = t;
	if (t > ns->push_end && is_push(type))
		ns->push_end = t;
}

void
nsys_picked(void *ctx, sqlite3 *db, const struct ev_source *s, int64_t v,
    int64_t row, int64_t start, int64_t end)
{
	struct nsys *ns = ctx;

	if (s->kind == EV_KERN && v != EV_UNSET)
		map_put(&ns->devs, (uint64_t)v, NULL);
	if (s->kind != EV_RANGE)
		return;
	nvtx_time(ns, v, start);
	nvtx_time(ns, v, end);
	if (!is_nvtx_event(v))
		nvtx_other(ns, db, row);
}

enum { C_DOMAIN = 1, C_TYPE = 4, C_END_TID = 7, C_TEXT_ID };

static bool
nvtx_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t type = db_value(col[C_TYPE]), gid;

	if (!is_nvtx_event(type) || !source_row(ctx, s, col, ev))
		return false;
	if (type == NVTX_MARK)
		ev->kind = EV_MARK;
	if (ev->text == NULL)
		ev->name = db_value(col[C_TEXT_ID]);
	ev->range.domain = domain_of(ctx, ev->pid, db_value(col[C_DOMAIN]));
	ev->range.push = is_push(type);
	/* the thread that ended a range, if it is not the one that began it;
	 * old exports write 0 if they do not know it */
	ev->range.end_tid = EV_UNSET;
	gid = db_value(col[C_END_TID]);
	if (!ev->range.push && gid != EV_UNSET && gid != 0 &&
	    gid_tid(gid) != ev->tid)
		ev->range.end_tid = gid_tid(gid);
	return true;
}

enum { /* eventClass */
	CLASS_OS = 27,
	CLASS_TWIN = 67, /* a call's second row, with its backtrace */
};

static bool
call_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	ev->call.twin = db_value(col[7]) == CLASS_TWIN;
	return source_row(ctx, s, col, ev);
}

/* A call of the operating system. Rows of another class are not calls: they
 * record when the tracing of calls began and ended. */
static bool
os_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t class = db_value(col[5]);
	struct nsys *ns = ctx;

	if (class != EV_UNSET && class != CLASS_OS) {
		ns->os_other++;
		return false;
	}
	return source_row(ctx, s, col, ev);
}

static bool
mem_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	if (!source_row(ctx, s, col, ev))
		return false;
	if (ev->mem.corr == 0) /* allocated before the recording */
		ev->mem.corr = EV_UNSET;
	return true;
}

/* The unit is one of these, because the label is static. */
static bool
series_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	uint32_t n;
	const char *unit;

	if (!source_row(ctx, s, col, ev))
		return false;
	unit = db_text(col[6], &n);
	ev->label = text_is(unit, n, "mJ") ? "mJ" : NULL;
	return true;
}

/* The numbers are known for schema 3.24 and later; before, only 4 is. The core
 * prefers the name of the call. */
static bool
sync_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	const struct nsys *ns = ctx;

	if (!source_row(ctx, s, col, ev))
		return false;
	if (ns->schema < 3024 && db_value(col[9]) != 4)
		ev->gpu.sync.kind = NULL;
	return true;
}

static const struct ev_words copy_kinds = { 0, 14,
	{ "unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA",
	    "DtoD", "HtoH", "PtoP", "UVM HtoD", "UVM DtoH", "UVM DtoD" } };
static const struct ev_words mem_kinds = { 0, 8,
	{ "pageable", "pinned", "device", "array", "managed", "device-static",
	    "managed-static", "unknown" } };
static const struct ev_words sync_kinds = { 1, 5,
	{ "event", "stream-wait-event", "stream", "context" } };
static const struct ev_words mem_ops = { 0, 2, { "alloc", "free" } };
static const struct ev_words severities = { 0, 5,
	{ "unknown", "info", "warning", "error", "verbose" } };

#define GPU                                                                    \
	C_TO("graphNodeId", AS_NONZERO, gpu.node), C_SPAN,                     \
	    C_AS("globalPid", AS_PROCESS), C_NUM("correlationId", corr),       \
	    C_TO("deviceId", AS_U32, gpu.dev),                                 \
	    C_TO("contextId", AS_U32, gpu.ctx),                                \
	    C_TO("streamId", AS_U32, gpu.stream)
#define CALLS "CUPTI_ACTIVITY_KIND_RUNTIME"
#define NAMED                                                                  \
	C_NUM("nameId", name), C_SPAN, C_AS("globalTid", AS_THREAD),           \
	    C_NONE("eventClass"), C_NUM("callchainId", stack)

static const struct ev_table tables[] = {
	{ EV_RANGE, "NVTX_EVENTS", nvtx_row, NULL,
	    { C_NONE("domainId"), C_SPAN, C_NONE("eventType"),
		C_AS("text", AS_TEXT), C_AS("globalTid", AS_THREAD),
		C_NONE("endGlobalTid"), C_NONE("textId") } },
	{ EV_CALL, CALLS, call_row, NULL,
	    { C_NUM("returnValue", call.ret), C_SPAN,
		C_AS("globalTid", AS_THREAD), C_NUM("correlationId", corr),
		C_NUM("nameId", name), C_NONE("eventClass") } },
	{ EV_LIB, "CUDNN_EVENTS", source_row, "cudnn", { NAMED } },
	{ EV_LIB, "CUBLAS_EVENTS", source_row, "cublas", { NAMED } },
	{ EV_OS, "OSRT_API", os_row, NULL, { NAMED } },
	{ EV_OVER, "PROFILER_OVERHEAD", source_row, NULL, { NAMED } },
	{ EV_OVER, "CUPTI_ACTIVITY_KIND_OVERHEAD", source_row, NULL,
	    { NAMED } },
	/* until 2022 nodes had the table's name that graphs have now */
	{ EV_NODE, "CUDA_GRAPH_NODE_EVENTS", source_row, NULL,
	    { C_TO("originalGraphNodeId", AS_NONZERO, node.orig), C_SPAN,
		C_AS("globalTid", AS_THREAD),
		C_NUM("graphNodeId", node.node) } },
	{ EV_NODE, "CUDA_GRAPH_EVENTS", source_row, NULL,
	    { C_TO("originalGraphNodeId", AS_NONZERO, node.orig), C_SPAN,
		C_AS("globalTid", AS_THREAD),
		C_NUM("graphNodeId", node.node) } },
	{ EV_MEM, "CUDA_GPU_MEMORY_USAGE_EVENTS", mem_row, NULL,
	    { C_NUM("localMemoryPoolSize", mem.pool_bytes), C_SPAN,
		C_AS("globalPid", AS_PROCESS),
		C_WORD("memoryOperationType", mem.op, mem_ops),
		C_TO("deviceId", AS_U32, mem.dev), C_NUM("bytes", mem.bytes),
		C_NUM("address", mem.addr),
		C_WORD("memKind", mem.kind, mem_kinds),
		C_TO("correlationId", AS_U32, mem.corr),
		C_NUM("localMemoryPoolAddress", mem.pool) } },
	{ EV_DIAG, "DIAGNOSTIC_EVENT", source_row, NULL,
	    { C_AS("text", AS_TEXT), C_START("timestamp"), C_END("end"),
		C_WORD("severity", label, severities) } },
	{ EV_SERIES, "DLP_SERIES", series_row, NULL,
	    { C_AS("name", AS_TEXT), C_SPAN,
		C_TO("deviceId", AS_U32, series.dev),
		C_NUM("value", series.value), C_NONE("unit") } },
	{ EV_KERN, "CUPTI_ACTIVITY_KIND_KERNEL", source_row, NULL,
	    { GPU, C_NUM("demangledName", name),
		C_NUM("shortName", gpu.kern.short_name),
		C_NUM("gridX", gpu.kern.grid[0]),
		C_NUM("gridY", gpu.kern.grid[1]),
		C_NUM("gridZ", gpu.kern.grid[2]),
		C_NUM("blockX", gpu.kern.block[0]),
		C_NUM("blockY", gpu.kern.block[1]),
		C_NUM("blockZ", gpu.kern.block[2]),
		C_NUM("registersPerThread", gpu.kern.regs),
		C_NUM("staticSharedMemory", gpu.kern.smem),
		C_NUM("dynamicSharedMemory", gpu.kern.dynsmem),
		C_NUM("mangledName", gpu.kern.mangled) } },
	{ EV_COPY, "CUPTI_ACTIVITY_KIND_MEMCPY", source_row, NULL,
	    { GPU, C_WORD("copyKind", gpu.copy.kind, copy_kinds),
		C_NUM("bytes", gpu.copy.bytes),
		C_WORD("srcKind", gpu.copy.src_mem, mem_kinds),
		C_WORD("dstKind", gpu.copy.dst_mem, mem_kinds) } },
	{ EV_SET, "CUPTI_ACTIVITY_KIND_MEMSET", source_row, NULL,
	    { GPU, C_NUM("bytes", gpu.set.bytes), C_NUM("value", gpu.set.value),
		C_WORD("memKind", gpu.set.mem, mem_kinds) } },
	{ EV_SYNC, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", sync_row, NULL,
	    { GPU, C_WORD("syncType", gpu.sync.kind, sync_kinds),
		C_TO("eventId", AS_U32, gpu.sync.event) } },
	{ EV_GRAPH, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", source_row, NULL,
	    { GPU, C_NUM("graphId", gpu.graph.graph),
		C_NUM("graphExecId", gpu.graph.exec) } },
};

/* A row of a recorded CUDA event has no time: that is its call's. The index
 * which SQLite makes for the join is of the events, because they are fewer. */
#define EVENTS "CUPTI_ACTIVITY_KIND_CUDA_EVENT"
#define EVENT_CALLS                                                            \
	CALLS " AS r CROSS JOIN " EVENTS                                       \
	      " AS e ON e.correlationId = r.correlationId"                     \
	      " AND e.globalPid >> 24 = r.globalTid >> 24"

static const struct ev_table events = { EV_EVENT, EVENTS, source_row, NULL,
	{ C_TO("eventId", AS_U32, event.event), C_START("start"),
	    C_AS("globalTid", AS_THREAD), C_NUM("correlationId", corr),
	    C_TO("deviceId", AS_U32, event.dev),
	    C_TO("contextId", AS_U32, event.ctx),
	    C_TO("streamId", AS_U32, event.stream) } };

static bool
has_events(const struct nsys *ns)
{
	static const char *const of_event[] = { "correlationId", "globalPid",
		"deviceId", "contextId", "streamId", "eventId", NULL };
	static const char *const of_call[] = { "start", "correlationId",
		"globalTid", NULL };

	return db_has_columns(ns->db, EVENTS, of_event) &&
	       db_has_columns(ns->db, CALLS, of_call);
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

struct ev_source *
nsys_source(struct nsys *ns, const struct ev_table *t)
{
	struct ev_source *s;

	/* only tables are read, because a view can run any SQL */
	if (!db_has_table(ns->db, t->name) && db_names(ns->db, t->name)) {
		ns->views++;
		warn("%s: %s is not a table: not read", db_path(), t->name);
	}
	s = source_table(ns->prof, t);
	if (s != NULL) {
		s->keyless = !EV_IS_GPU(t->kind);
		s->apart = s->keyless && t->kind != EV_CALL;
	}
	return s;
}

void
nsys_add_rows(struct nsys *ns)
{
	struct ev_sources *ss = &ns->prof->sources;
	const struct ev_table *t;
	struct ev_source *s;

	for (t = tables; t < tables + ARRAY_LEN(tables); t++) {
		if (t->kind == EV_NODE &&
		    !db_has_column(ns->db, t->name, "graphNodeId"))
			continue;
		/* without eventType no row can be told to be a range */
		if (t->kind == EV_RANGE &&
		    db_has_column(ns->db, t->name, "start") &&
		    !source_needs(ss, EV_RANGE, t->name, "eventType"))
			continue;
		s = nsys_source(ns, t);
		if (s == NULL)
			continue;
		if (t->kind == EV_CALL || EV_IS_GPU(t->kind)) {
			s->gid = source_col(ss, t->name,
			    t->kind == EV_CALL ? "globalTid" : "globalPid");
			s->corr = source_col(ss, t->name, "correlationId");
		}
		if (t->kind == EV_CALL) {
			s->twin = source_col(ss, t->name, "eventClass");
			s->twin_is = CLASS_TWIN;
		} else if (t->kind == EV_RANGE) {
			/* There is no WHERE for it: nvtx_row() skips the rows
			 * of other types more cheaply, and the first pass needs
			 * them. */
			s->pick = source_col(ss, t->name, "eventType");
		} else if (t->kind == EV_KERN && !nsys_lists_devs(ns)) {
			s->pick = source_col(ss, t->name, "deviceId");
		}
	}
	if (!has_events(ns))
		return;
	s = source_add(ss, EV_EVENT, EVENTS, source_row);
	s->layout = &events;
	s->keyless = s->apart = s->unordered = true;
	s->from = EVENT_CALLS;
	s->key = "r.rowid";
	s->cols = "e.eventId, r.start, r.globalTid, r.correlationId,"
		  " e.deviceId, e.contextId, e.streamId";
	s->start = "r.start";
}
