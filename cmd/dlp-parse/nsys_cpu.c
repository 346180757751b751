/*
 * The tables of Nsight Systems about the CPU: NVTX ranges and marks, CUDA
 * calls, library and operating system calls, creations of graph nodes,
 * allocations, and the profiler's own time and messages.
 *
 * A function add_X() names the columns that it needs of a table. X_row() makes
 * an event of a row: col[0] is the row's key and col[i] is names[i - 1]. The
 * start and end are always col[2] and col[3], where nsys_times() reads them.
 */
#include <stdlib.h>
#include <string.h>

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

enum { /* places of the columns that add_nvtx() names */
	C_DOMAIN = 1,
	C_START,
	C_END,
	C_TYPE,
	C_TEXT,
	C_TID,
	C_END_TID,
	C_TEXT_ID
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
	char *cols;
	bool ids;

	if (ns->other == NULL) {
		cols = db_cols(db, "NVTX_EVENTS", names);
		ids = ns->string != NULL &&
		      db_has_column(db, "NVTX_EVENTS", "textId");
		ns->other = db_prepare(db,
		    "SELECT %s, %s FROM NVTX_EVENTS AS n WHERE rowid = ?1",
		    cols,
		    ids ? "(SELECT value FROM StringIds WHERE"
			  " id = CAST(n.textId AS INTEGER))"
			: "NULL");
		free(cols);
	}
	return ns->other;
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
	sqlite3_stmt *st = other_stmt(ns, db);
	int64_t type, gid, domain;

	sqlite3_bind_int64(st, 1, nvtx_row);
	if (db_step(st)) {
		type = db_i64(st, 0);
		gid = db_i64(st, 1);
		domain = db_i64(st, 2);
		if (type == NVTX_DOMAIN && domain != EV_UNSET)
			set_name(ns, &ns->domains,
			    domain_key(nsys_pid(gid), domain), st);
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
name_domain(struct nsys *ns, int64_t pid, int64_t domain)
{
	struct buf b = { 0 };
	uint64_t id;

	ns->unknown_domains++;
	if (!ns->prof->run->out.rows)
		buf_printf(&b, "domain %lld", (long long)domain);
	id = smap_put(&ns->domain_names, buf_str(&b), b.len, NULL);
	*map_put(&ns->domains, domain_key(pid, domain), NULL) = id;
	buf_free(&b);
	return smap_str(&ns->domain_names, (uint32_t)id, NULL);
}

static const char *
domain_of(struct nsys *ns, int64_t pid, int64_t domain)
{
	const uint64_t *id;

	if (domain == EV_UNSET || domain == 0)
		return "";
	id = map_get(&ns->domains, domain_key(pid, domain));
	if (id == NULL)
		return name_domain(ns, pid, domain);
	return smap_str(&ns->domain_names, (uint32_t)*id, NULL);
}

static void
set_text(sqlite3_value **col, struct event *ev)
{
	ev->text = db_text(col[C_TEXT], &ev->text_len);
	if (ev->text == NULL)
		ev->name = db_value(col[C_TEXT_ID]);
}

/* The thread that ended a range, if it is not the one that began it; otherwise
 * EV_UNSET. Old exports write 0 if they do not know it. */
static int64_t
end_tid(sqlite3_value **col, const struct event *ev)
{
	int64_t gid = db_value(col[C_END_TID]);

	if (gid == EV_UNSET || gid == 0 || nsys_tid(gid) == ev->tid)
		return EV_UNSET;
	return nsys_tid(gid);
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
	return type == NVTX_PUSHPOP || type == NVTX_STARTEND ||
	       type == NVTX_MARK || type == NVTX_TXT_PUSHPOP ||
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

/* Called for each row in the first pass, before any event is written. */
void
nsys_nvtx_picked(struct nsys *ns, sqlite3 *db, int64_t type, int64_t row,
    int64_t start, int64_t end)
{
	nvtx_time(ns, type, start);
	nvtx_time(ns, type, end);
	if (!is_nvtx_event(type))
		nvtx_other(ns, db, row);
}

static bool
nvtx_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t type = db_value(col[C_TYPE]);

	if (!is_nvtx_event(type) || !nsys_times(s, col, ev))
		return false;
	if (type == NVTX_MARK)
		ev->kind = EV_MARK;
	nsys_thread(col[C_TID], ev);
	set_text(col, ev);
	ev->range.domain = domain_of(ctx, ev->pid, db_value(col[C_DOMAIN]));
	ev->range.push = is_push(type);
	ev->range.end_tid = EV_UNSET;
	if (!ev->range.push)
		ev->range.end_tid = end_tid(col, ev);
	return true;
}

static void
add_nvtx(struct nsys *ns)
{
	static const char *const names[] = { "domainId", "start", "end",
		"eventType", "text", "globalTid", "endGlobalTid", "textId",
		NULL };
	struct ev_source *s;

	/* without eventType no row can be told to be a range */
	if (db_has_column(ns->db, "NVTX_EVENTS", "start") &&
	    !source_needs(&ns->prof->sources, ns->db, EV_RANGE, "NVTX_EVENTS",
		"eventType"))
		return;
	s = nsys_source(ns, EV_RANGE, "NVTX_EVENTS", nvtx_row, names);
	if (s == NULL)
		return;
	/* The first pass gives eventType to nsys_nvtx_picked(). There is no
	 * WHERE for it: nvtx_row() skips the rows of other types more cheaply,
	 * and the first pass needs them. */
	s->pick = db_col(ns->db, "NVTX_EVENTS", "eventType");
}

enum { /* eventClass */
	CLASS_OS = 27,
	CLASS_TWIN = 67, /* a call's second row, with its backtrace */
};

static bool
call_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	(void)ctx;
	if (!nsys_times(s, col, ev))
		return false;
	ev->call.ret = db_value(col[1]);
	nsys_thread(col[4], ev);
	ev->corr = db_value(col[5]);
	ev->name = db_value(col[6]);
	ev->call.twin = db_value(col[7]) == CLASS_TWIN;
	return true;
}

static void
add_calls(struct nsys *ns)
{
	static const char table[] = "CUPTI_ACTIVITY_KIND_RUNTIME";
	static const char *const names[] = { "returnValue", "start", "end",
		"globalTid", "correlationId", "nameId", "eventClass", NULL };
	struct ev_source *s;

	s = nsys_source(ns, EV_CALL, table, call_row, names);
	if (s == NULL)
		return;
	s->gid = db_col(ns->db, table, "globalTid");
	s->corr = db_col(ns->db, table, "correlationId");
	s->twin = db_col(ns->db, table, "eventClass");
	s->twin_is = CLASS_TWIN;
}

/* A named interval on a thread. The tag of a library's source says which
 * library it is: see add_named(). */
static bool
named_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	(void)ctx;
	if (!nsys_times(s, col, ev))
		return false;
	ev->name = db_value(col[1]);
	nsys_thread(col[4], ev);
	ev->stack = db_value(col[6]);
	if (s->kind == EV_LIB)
		ev->label = s->tag == 0 ? "cudnn" : "cublas";
	return true;
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
	return named_row(ctx, s, col, ev);
}

static void
add_named(struct nsys *ns)
{
	static const char *const names[] = { "nameId", "start", "end",
		"globalTid", "eventClass", "callchainId", NULL };
	static const struct {
		enum ev_kind kind;
		const char *table;
		int tag; /* EV_LIB: 0 cuDNN, 1 cuBLAS */
	} tables[] = {
		{ EV_LIB, "CUDNN_EVENTS", 0 },
		{ EV_LIB, "CUBLAS_EVENTS", 1 },
		{ EV_OS, "OSRT_API", 0 },
		{ EV_OVER, "PROFILER_OVERHEAD", 0 },
		{ EV_OVER, "CUPTI_ACTIVITY_KIND_OVERHEAD", 0 },
	};
	struct ev_source *s;
	size_t i;

	for (i = 0; i < ARRAY_LEN(tables); i++) {
		s = nsys_source(ns, tables[i].kind, tables[i].table,
		    tables[i].kind == EV_OS ? os_row : named_row, names);
		if (s != NULL)
			s->tag = tables[i].tag;
	}
}

static bool
node_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	(void)ctx;
	if (!nsys_times(s, col, ev))
		return false;
	ev->node.orig = db_value(col[1]);
	nsys_thread(col[4], ev);
	ev->node.node = db_value(col[5]);
	if (ev->node.orig == 0)
		ev->node.orig = EV_UNSET;
	return true;
}

/* Until 2022 the table of nodes had the name that the table of graphs has now.
 */
static void
add_nodes(struct nsys *ns)
{
	static const char *const tables[] = { "CUDA_GRAPH_NODE_EVENTS",
		"CUDA_GRAPH_EVENTS" };
	static const char *const names[] = { "originalGraphNodeId", "start",
		"end", "globalTid", "graphNodeId", NULL };
	size_t i;

	for (i = 0; i < 2; i++)
		if (db_has_column(ns->db, tables[i], "graphNodeId"))
			nsys_source(ns, EV_NODE, tables[i], node_row, names);
}

static bool
mem_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t gid, op;

	(void)ctx;
	if (!nsys_times(s, col, ev))
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
	if (ev->mem.corr == 0) /* allocated before the recording */
		ev->mem.corr = EV_UNSET;
	return true;
}

static bool
diag_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	static const char *const names[] = { "unknown", "info", "warning",
		"error", "verbose" };
	int64_t severity;

	(void)ctx;
	if (!nsys_times(s, col, ev))
		return false;
	severity = db_value(col[4]);
	ev->label = severity >= 0 && severity < 5 ? names[severity] : NULL;
	ev->text = db_text(col[1], &ev->text_len);
	return true;
}

/* The unit is one of these, because the label is static. */
static bool
series_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	uint32_t n;
	const char *unit;

	(void)ctx;
	if (!nsys_times(s, col, ev))
		return false;
	ev->text = db_text(col[1], &ev->text_len);
	ev->series.dev = nsys_num(col[4]);
	ev->series.value = db_value(col[5]);
	unit = db_text(col[6], &n);
	ev->label =
	    unit != NULL && n == 2 && memcmp(unit, "mJ", 2) == 0 ? "mJ" : NULL;
	return true;
}

void
nsys_add_cpu(struct nsys *ns)
{
	static const char *const mem[] = { "localMemoryPoolSize", "start",
		"end", "globalPid", "memoryOperationType", "deviceId", "bytes",
		"address", "memKind", "correlationId", "localMemoryPoolAddress",
		NULL };
	static const char *const diag[] = { "text", "timestamp", "end",
		"severity", NULL };
	static const char *const series[] = { "name", "start", "end",
		"deviceId", "value", "unit", NULL };

	add_nvtx(ns);
	add_calls(ns);
	add_named(ns);
	add_nodes(ns);
	nsys_source(ns, EV_MEM, "CUDA_GPU_MEMORY_USAGE_EVENTS", mem_row, mem);
	nsys_source(ns, EV_DIAG, "DIAGNOSTIC_EVENT", diag_row, diag);
	nsys_source(ns, EV_SERIES, "DLP_SERIES", series_row, series);
}
