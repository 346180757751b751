/*
 * The dialect of nvprof and the Visual Profiler (*.nvvp, *.nvprof), database
 * versions 8 to 18. Names are mangled and API functions are numbers. Times
 * are absolute; the origin is PyProf's: the earliest start of any call,
 * kernel or marker. A value of the wrong type reads as unset.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "demangle.h"
#include "emit.h"
#include "map.h"
#include "profile.h"
#include "schema.h"
#include "shipped.h"
#include "sqldb.h"
#include "stage.h"

#define NVPROF_TABLE(name) "CUPTI_ACTIVITY_KIND_" name

struct nvprof {
	struct profile *prof;
	sqlite3 *db;
	sqlite3_stmt *string; /* StringTable by id */
	struct map context;   /* contextId -> deviceId */
	struct smap domains;  /* id of its name -> text of an NVTX domain */
	bool has_timeline;    /* the kernels of a second run are left out */
};

/* API functions have string ids, too: negative ones, which the file's own table
 * never has. They are -1 - (api << 32 | cbid). */
enum nvprof_api { NVPROF_RUNTIME, NVPROF_DRIVER };

/* A string of the file, or the name of an API function; see dialect.string. */
static bool
nvprof_string(void *ctx, int64_t id, struct buf *out)
{
	struct nvprof *nv = ctx;
	int64_t v, cbid;
	const char *api, *s;
	struct buf key = { 0 };

	if (id >= 0)
		return db_string(nv->string, id, out);
	/* Appends the function's name in cuda_api.tab, or runtime_cbid_N if the
	 * number is unknown. */
	v = -1 - id;
	cbid = v & 0xffffffff;
	api = v >> 32 == NVPROF_DRIVER ? "driver" : "runtime";
	buf_printf(&key, "\n%s %lld ", api, (long long)cbid);
	s = strstr(shipped_text("cuda_api.tab"), buf_str(&key));
	if (s != NULL)
		buf_put(out, s + key.len, strcspn(s + key.len, "\n"));
	else
		buf_printf(out, "%s_cbid_%lld", api, (long long)cbid);
	buf_free(&key);
	return true;
}

static bool
nvprof_kernel(void *ctx, int64_t id, struct buf *out)
{
	struct nvprof *nv = ctx;
	struct buf b = { 0 };
	bool has = nvprof_string(ctx, id, &b);

	/* A text with a NUL inside is not a mangled name. */
	if (has && strlen(buf_str(&b)) == b.len)
		(nv->prof->run->old_names ? demangle_old : demangle)(b.s, out);
	else
		buf_put(out, b.s, b.len);
	buf_free(&b);
	return has;
}

/* The text of an NVTX domain, "" for the default domain; lives as long as
 * nv. */
static const char *
domain_of(struct nvprof *nv, int64_t name_id)
{
	struct buf b = { 0 };
	uint32_t no, text;
	bool is_new;

	if (name_id <= 0)
		return "";
	no = smap_put_pair(&nv->domains, name_id, 0, &is_new);
	if (is_new) {
		if (!nvprof_string(nv, name_id, &b))
			buf_i64(&b, name_id);
		text = smap_put(&nv->domains, buf_str(&b), b.len, NULL);
		nv->domains.val[no] = text;
		buf_free(&b);
	}
	return smap_str(&nv->domains, (uint32_t)nv->domains.val[no], NULL);
}

/* A string's id. Negative ids are not the file's: see enum nvprof_api. */
static int64_t
name_of(sqlite3_value *v)
{
	int64_t n = db_int(v);

	return n < 0 ? EV_UNSET : n;
}

/* The kind of object that a marker or an overhead belongs to. */
enum { OBJECT_PROCESS = 1, OBJECT_THREAD = 2 };

static int64_t
le32(const unsigned char *s)
{
	return (int64_t)s[0] | (int64_t)s[1] << 8 | (int64_t)s[2] << 16 |
	       (int64_t)s[3] << 24;
}

/* The process and thread of the object of this kind and id. A member that the
 * object does not name keeps its value. */
static void
read_object(sqlite3_value *kind, sqlite3_value *id, int64_t *pid, int64_t *tid)
{
	const unsigned char *s;
	int64_t k = db_int(kind);

	if (sqlite3_value_type(id) != SQLITE_BLOB ||
	    sqlite3_value_bytes(id) < 8 ||
	    (k != OBJECT_PROCESS && k != OBJECT_THREAD))
		return;
	s = sqlite3_value_blob(id);
	*pid = le32(s);
	if (k == OBJECT_THREAD)
		*tid = le32(s + 4);
}

/*
 * API calls, overhead and allocations: threads are pthread handles cut to 32
 * bits, shown unsigned, as PyProf does.
 */

static bool
call_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t cbid = db_int(col[4]);

	if (!source_row(ctx, s, col, ev))
		return false;
	if (cbid != EV_UNSET)
		ev->name = -1 - ((int64_t)s->tag << 32 | (cbid & 0xffffffff));
	if (ev->tid != EV_UNSET)
		ev->tid &= 0xffffffff;
	/* A correlation id in both tables is the same call, recorded twice. */
	ev->call.twin = s->tag == NVPROF_DRIVER;
	return true;
}

static bool
over_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	static const char *const overheads[] = { NULL, "driver compiler",
		"CUPTI buffer flush", "CUPTI instrumentation",
		"CUPTI resource" };
	int64_t kind = db_int(col[3]);

	if (!source_row(ctx, s, col, ev))
		return false;
	/* 1, then 1 to 3 in the upper half */
	kind = kind == 1                       ? 1
	       : kind > 0 && kind % 65536 == 0 ? (kind >> 16) + 1
					       : 0;
	ev->text =
	    kind < (int64_t)ARRAY_LEN(overheads) ? overheads[kind] : NULL;
	if (ev->text != NULL)
		ev->text_len = (uint32_t)strlen(ev->text);
	read_object(col[4], col[5], &ev->pid, &ev->tid);
	return true;
}

static bool
mem_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	ev->mem.op = s->tag != 0 ? "free" : "alloc";
	return source_row(ctx, s, col, ev);
}

/* GPU work: it has neither a process id nor a thread; both come from the call
 * with its correlation id. */

static bool
kernel_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	ev->gpu.kern.short_name = ev->gpu.kern.mangled = EV_UNSET;
	if (!source_row(ctx, s, col, ev))
		return false;
	if (ev->name < 0)
		ev->name = EV_UNSET;
	return true;
}

/* Only the context identifies the device. */
static bool
sync_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	const struct nvprof *nv = ctx;
	const uint64_t *dev;

	if (!source_row(ctx, s, col, ev))
		return false;
	dev = map_get(&nv->context, (uint64_t)ev->gpu.ctx);
	ev->gpu.dev = dev != NULL ? (int64_t)*dev : EV_UNSET;
	return true;
}

static bool
graph_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	ev->gpu.graph.exec = EV_UNSET;
	return source_row(ctx, s, col, ev);
}

static const struct ev_words copy_kinds = { 1, 11,
	{ "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD",
	    "HtoH", "PtoP" } };
/* Nsight's exports have numbers lower by one. */
static const struct ev_words mem_kinds = { 1, 8,
	{ "pageable", "pinned", "device", "array", "managed", "device-static",
	    "managed-static" } };
static const struct ev_words sync_kinds = { 1, 5,
	{ "event", "stream-wait-event", "stream", "context" } };

#define CALL                                                                   \
	C_SPAN, C_NUM("correlationId", corr), C_NONE("cbid"),                  \
	    C_NUM("processId", pid), C_NUM("threadId", tid),                   \
	    C_NUM("returnValue", call.ret)
#define MEM                                                                    \
	C_NUM("processId", pid), C_NUM("deviceId", mem.dev),                   \
	    C_NUM("bytes", mem.bytes), C_NUM("address", mem.addr),             \
	    C_WORD("memoryKind", mem.kind, mem_kinds)
#define GPU                                                                    \
	C_SPAN, C_NUM("correlationId", corr), C_NUM("deviceId", gpu.dev),      \
	    C_TO("contextId", AS_ID32, gpu.ctx),                               \
	    C_TO("streamId", AS_ID32, gpu.stream),                             \
	    C_TO("graphNodeId", AS_NONZERO, gpu.node)
#define KERNEL                                                                 \
	GPU, C_NUM("name", name), C_NUM("gridX", gpu.kern.grid[0]),            \
	    C_NUM("gridY", gpu.kern.grid[1]),                                  \
	    C_NUM("gridZ", gpu.kern.grid[2]),                                  \
	    C_NUM("blockX", gpu.kern.block[0]),                                \
	    C_NUM("blockY", gpu.kern.block[1]),                                \
	    C_NUM("blockZ", gpu.kern.block[2]),                                \
	    C_NUM("registersPerThread", gpu.kern.regs),                        \
	    C_NUM("staticSharedMemory", gpu.kern.smem),                        \
	    C_NUM("dynamicSharedMemory", gpu.kern.dynsmem)
#define COPY                                                                   \
	GPU, C_WORD("copyKind", gpu.copy.kind, copy_kinds),                    \
	    C_NUM("bytes", gpu.copy.bytes),                                    \
	    C_WORD("srcKind", gpu.copy.src_mem, mem_kinds),                    \
	    C_WORD("dstKind", gpu.copy.dst_mem, mem_kinds)

static const struct ev_table tables[] = {
	{ EV_CALL, NVPROF_TABLE("RUNTIME"), call_row, NULL, { CALL } },
	{ EV_CALL, NVPROF_TABLE("DRIVER"), call_row, NULL, { CALL } },
	{ EV_OVER, NVPROF_TABLE("OVERHEAD"), over_row, NULL,
	    { C_SPAN, C_NONE("overheadKind"), C_NONE("objectKind"),
		C_NONE("objectId") } },
	{ EV_MEM, NVPROF_TABLE("MEMORY"), mem_row, NULL, { C_SPAN, MEM } },
	/* allocations have the time of their release in the same row */
	{ EV_MEM, NVPROF_TABLE("MEMORY"), mem_row, NULL,
	    { C_START("end"), MEM } },
	{ EV_KERN, NVPROF_TABLE("CONCURRENT_KERNEL"), kernel_row, NULL,
	    { KERNEL } },
	/* kernels one by one: nvprof --metrics, --analysis-metrics */
	{ EV_KERN, NVPROF_TABLE("KERNEL"), kernel_row, NULL, { KERNEL } },
	{ EV_COPY, NVPROF_TABLE("MEMCPY"), source_row, NULL, { COPY } },
	{ EV_COPY, NVPROF_TABLE("MEMCPY2"), source_row, NULL, { COPY } },
	{ EV_SET, NVPROF_TABLE("MEMSET"), source_row, NULL,
	    { GPU, C_NUM("bytes", gpu.set.bytes), C_NUM("value", gpu.set.value),
		C_WORD("memoryKind", gpu.set.mem, mem_kinds) } },
	{ EV_SYNC, NVPROF_TABLE("SYNCHRONIZATION"), sync_row, NULL,
	    { GPU, C_WORD("type", gpu.sync.kind, sync_kinds),
		C_TO("cudaEventId", AS_ID32, gpu.sync.event) } },
	{ EV_GRAPH, NVPROF_TABLE("GRAPH_TRACE"), graph_row, NULL,
	    { GPU, C_NUM("graphId", gpu.graph.graph) } },
};

/* Markers, NVTX ranges and marks: a range is two rows, its start and its end,
 * with nothing in common but an id. */

enum { MARK_INSTANT = 1, MARK_START = 2, MARK_END = 4 }; /* flags */

static bool
range_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t pid = EV_UNSET, tid = EV_UNSET;

	if (!source_row(ctx, s, col, ev))
		return false;
	read_object(col[3], col[4], &ev->pid, &ev->tid);
	read_object(col[5], col[6], &pid, &tid);
	ev->range.end_tid = tid != ev->tid ? tid : EV_UNSET;
	ev->range.push = db_int(col[3]) == OBJECT_THREAD;
	ev->name = name_of(col[7]);
	ev->range.domain = domain_of(ctx, db_int(col[8]));
	return true;
}

/* The other columns: kind and id of the object, the end's kind and id, name,
 * domain. */
static const struct ev_table markers = { EV_RANGE, NVPROF_TABLE("MARKER"),
	range_row, NULL, { C_SPAN } };

/*
 * The end of a range comes later in the table than its start. The ends go into
 * a temporary table (SQLite's own, on disk if large), so that a range is
 * complete when it starts. If an id is used again, a range ends at the next end
 * after its start. The columns' types matter: without them the join would not
 * use the key.
 */
static void
make_ends(struct nvprof *nv)
{
	const char *sql = source_sql(&nv->prof->sources,
	    "CREATE TEMP TABLE dlp_ends (id INT, timestamp INT, kind, object,"
	    " PRIMARY KEY (id, timestamp)) WITHOUT ROWID;"
	    "INSERT OR IGNORE INTO dlp_ends"
	    " SELECT id, timestamp, objectKind, objectId FROM %s"
	    " WHERE flags & %d AND id IS NOT NULL AND timestamp IS NOT NULL",
	    markers.name, MARK_END);

	if (sqlite3_exec(nv->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		die("%s: %s", db_path(), sqldb_error(nv->db));
}

static void
add_markers(struct nvprof *nv)
{
	static const char *const need[] = { "flags", "timestamp", "id",
		"objectKind", "objectId", "name" };
	struct ev_sources *ss = &nv->prof->sources;
	struct ev_source *s;
	bool domain;
	size_t i;

	if (!db_has_table(nv->db, markers.name))
		return;
	for (i = 0; i < ARRAY_LEN(need); i++)
		if (!source_needs(ss, EV_RANGE, markers.name, need[i]))
			return;
	domain = db_has_column(nv->db, markers.name, "domain");
	make_ends(nv);
	s = source_add(ss, EV_RANGE, markers.name, range_row);
	s->layout = &markers;
	s->from = source_sql(ss,
	    "%s AS a NOT INDEXED LEFT JOIN temp.dlp_ends AS b ON b.id = a.id"
	    " AND b.timestamp = (SELECT min(timestamp) FROM temp.dlp_ends"
	    " WHERE id = a.id AND timestamp >= a.timestamp)",
	    markers.name);
	s->cols = source_sql(ss,
	    "a.timestamp, b.timestamp, a.objectKind, a.objectId, b.kind,"
	    " b.object, a.name, %s",
	    domain ? "a.domain" : "NULL");
	s->key = "a.rowid";
	s->where = source_sql(ss, "a.flags & %d", MARK_START);
	s->start = "a.timestamp";
	s->end = "b.timestamp";
	s = source_add(ss, EV_MARK, markers.name, range_row);
	s->layout = &markers;
	s->from = markers.name;
	s->cols = source_sql(ss,
	    "timestamp, NULL, objectKind, objectId, NULL, NULL, name, %s",
	    domain ? "domain" : "NULL");
	s->where = source_sql(ss, "flags & %d", MARK_INSTANT);
	s->start = "timestamp";
}

/*
 * Kernels are in one of two tables, which depends on how they were recorded. A
 * session of the Visual Profiler can have both: a timeline, and the same run
 * again for metrics. Then only the timeline is read.
 */
static bool
is_second_run(struct nvprof *nv, const char *table)
{
	static const char timeline[] = NVPROF_TABLE("CONCURRENT_KERNEL");

	if (strcmp(table, NVPROF_TABLE("KERNEL")) != 0 ||
	    !db_has_column(nv->db, table, "start") ||
	    !db_has_table(nv->db, timeline))
		return false;
	nv->has_timeline =
	    db_number(nv->db, "SELECT 1 FROM %s LIMIT 1", timeline) == 1;
	return nv->has_timeline;
}

/* Makes sources of the tables. */
static void
add_tables(struct nvprof *nv)
{
	struct ev_sources *ss = &nv->prof->sources;
	const struct ev_table *t;
	struct ev_source *s;
	bool release;

	for (t = tables; t < tables + ARRAY_LEN(tables); t++) {
		release = strcmp(t->cols[0].name, "end") == 0;
		if (is_second_run(nv, t->name) ||
		    (release && !db_has_column(nv->db, t->name, "end")) ||
		    (s = source_table(nv->prof, t)) == NULL)
			continue;
		if (t->kind == EV_CALL || EV_IS_GPU(t->kind))
			s->corr = source_col(ss, t->name, "correlationId");
		if (release) {
			s->tag = 1;
			s->where = "end > 0";
		}
		if (t->kind != EV_CALL)
			continue;
		s->tag = strcmp(t->name, NVPROF_TABLE("DRIVER")) == 0
			     ? NVPROF_DRIVER
			     : NVPROF_RUNTIME;
		s->gid = source_col(ss, t->name, "processId");
		s->twin = s->tag == NVPROF_DRIVER ? "1" : NULL;
		s->twin_is = 1;
	}
	add_markers(nv);
}

/* Facts. */

/* Column i as an integer; EV_UNSET if it has another type. */
static int64_t
int_col(sqlite3_stmt *st, int i)
{
	return db_int(sqlite3_column_value(st, i));
}

static int64_t
times_1000(int64_t v)
{
	int64_t r;

	return v == EV_UNSET || __builtin_mul_overflow(v, 1000, &r) ? EV_UNSET
								    : r;
}

/* 16 bytes in groups of 4-2-2-2-6, as nvidia-smi writes them. */
static const char *
uuid(sqlite3_stmt *st, int i, struct buf *b)
{
	const unsigned char *s = sqlite3_column_blob(st, i);
	int k;

	if (sqlite3_column_type(st, i) != SQLITE_BLOB ||
	    sqlite3_column_bytes(st, i) != 16)
		return NULL;
	buf_clear(b);
	for (k = 0; k < 16; k++)
		buf_printf(b,
		    k == 4 || k == 6 || k == 8 || k == 10 ? "-%02x" : "%02x",
		    s[k]);
	return buf_str(b);
}

/* The text of the string id in column i, in b; NULL if there is none. */
static const char *
string_col(struct nvprof *nv, sqlite3_stmt *st, int i, struct buf *b)
{
	int64_t id = name_of(sqlite3_column_value(st, i));

	buf_clear(b);
	return id != EV_UNSET && nvprof_string(nv, id, b) ? buf_str(b) : NULL;
}

static void
put_devices(struct nvprof *nv)
{
	static const char table[] = NVPROF_TABLE("DEVICE");
	static const char *const names[] = { "id", "name",
		"computeCapabilityMajor", "computeCapabilityMinor",
		"numMultiprocessors", "coreClockRate", "globalMemorySize",
		"globalMemoryBandwidth", "uuid", NULL };
	struct buf name = { 0 }, id = { 0 };
	struct dev_fact d;
	sqlite3_stmt *st;
	char *cols;

	if (!db_has_table(nv->db, table))
		return;
	cols = db_cols(nv->db, table, names);
	st = db_prepare(nv->db, "SELECT %s FROM %s ORDER BY 1", cols, table);
	while (db_next(&st)) {
		d = (struct dev_fact){ .dev = int_col(st, 0),
			.name = string_col(nv, st, 1, &name),
			.cc_major = int_col(st, 2),
			.cc_minor = int_col(st, 3),
			.n_sm = int_col(st, 4),
			.clock_hz = times_1000(int_col(st, 5)), /* from kHz */
			.mem_bytes = int_col(st, 6),
			.membw_bytes_s = times_1000(int_col(st, 7)), /* kB/s */
			.uuid = uuid(st, 8, &id) };
		fact_dev(nv->prof, &d);
	}
	free(cols);
	buf_free(&name);
	buf_free(&id);
}

/* Names of processes and threads; the id is as in a marker. */
static void
put_given_names(struct nvprof *nv)
{
	static const char *const names[] = { "objectKind", "objectId", "name",
		NULL };
	sqlite3_stmt *st =
	    db_rows(nv->db, NVPROF_TABLE("NAME"), "objectId", names, "");
	struct buf b = { 0 };
	int64_t pid, tid;

	while (db_next(&st)) {
		if (string_col(nv, st, 2, &b) == NULL)
			continue;
		pid = tid = EV_UNSET;
		read_object(sqlite3_column_value(st, 0),
		    sqlite3_column_value(st, 1), &pid, &tid);
		if (tid != EV_UNSET)
			fact_thread(nv->prof, pid, tid, buf_str(&b), EV_UNSET);
		else if (pid != EV_UNSET)
			fact_proc(nv->prof, pid, buf_str(&b));
	}
	buf_free(&b);
}

static void
nvprof_facts(void *ctx)
{
	struct nvprof *nv = ctx;
	static const char *const names[] = { "version", NULL };
	sqlite3_stmt *st = db_rows(nv->db, "Version", "version", names, "");
	int64_t version = st != NULL && db_step(st) ? int_col(st, 0) : EV_UNSET;

	sqlite3_finalize(st);
	if (version != EV_UNSET)
		fact_info(nv->prof, "schema", "%lld", (long long)version);
	fact_info(nv->prof, "t0_ns", "%lld", (long long)nv->prof->sources.t0);
	put_devices(nv);
	put_given_names(nv);
}

static int
nvprof_probe(sqlite3 *db)
{
	static const char *const own[] = { "StringTable",
		NVPROF_TABLE("CONCURRENT_KERNEL"), NVPROF_TABLE("MARKER") };
	int n = 0;
	size_t i;

	for (i = 0; i < ARRAY_LEN(own); i++)
		n += db_has_table(db, own[i]);
	n += db_has_column(db, NVPROF_TABLE("RUNTIME"), "processId");
	n += db_has_column(db, NVPROF_TABLE("DRIVER"), "processId");
	n += n > 0 && db_has_table(db, "Version");
	return n;
}

static int64_t
find_origin(sqlite3 *db)
{
	static const char *const all[][2] = {
		{ NVPROF_TABLE("DRIVER"), "start" },
		{ NVPROF_TABLE("RUNTIME"), "start" },
		{ NVPROF_TABLE("CONCURRENT_KERNEL"), "start" },
		{ NVPROF_TABLE("KERNEL"), "start" },
		{ NVPROF_TABLE("MARKER"), "timestamp" },
	};
	int64_t t0 = EV_UNSET, t;
	size_t i;

	for (i = 0; i < ARRAY_LEN(all); i++) {
		if (!db_has_column(db, all[i][0], all[i][1]))
			continue;
		t = db_number(db,
		    "SELECT min(%s) FROM %s WHERE %s > 0 AND typeof(%s) ="
		    " 'integer'",
		    all[i][1], all[i][0], all[i][1], all[i][1]);
		if (t != EV_UNSET && (t0 == EV_UNSET || t < t0))
			t0 = t;
	}
	return t0 == EV_UNSET ? 0 : t0;
}

static void *
nvprof_open(struct profile *p)
{
	static const char *const need[] = { "_id_", "value", NULL };
	struct nvprof *nv = xcalloc(1, sizeof(*nv));
	static const char *const names[] = { "contextId", "deviceId", NULL };
	sqlite3_stmt *st;
	uint64_t *dev, is;
	bool fresh;

	nv->prof = p;
	nv->db = p->db;
	if (db_has_columns(p->db, "StringTable", need))
		nv->string = db_prepare(
		    p->db, "SELECT value FROM StringTable WHERE _id_ = ?1");
	p->sources.only_int = INT_ALL;
	p->sources.zero_untimed = true; /* CUPTI writes 0 */
	p->sources.t0 = find_origin(p->db);
	/* The table does not say of which process a context is. If processes
	 * use its number for different devices, its device is not known. */
	st = db_rows(nv->db, NVPROF_TABLE("CONTEXT"), "contextId", names, "");
	while (db_next(&st)) {
		if (int_col(st, 0) == EV_UNSET || int_col(st, 1) == EV_UNSET)
			continue;
		is = (uint64_t)int_col(st, 1);
		dev = map_put(&nv->context, (uint64_t)int_col(st, 0), &fresh);
		*dev = fresh || *dev == is ? is : (uint64_t)EV_UNSET;
	}
	add_tables(nv);
	return nv;
}

static void
nvprof_close(void *ctx)
{
	struct nvprof *nv = ctx;

	smap_free(&nv->domains);
	map_free(&nv->context);
	sqlite3_finalize(nv->string);
	free(nv);
}

static void
nvprof_notes(void *ctx)
{
	/* Tables whose rows are left out, and the note that counts them; the
	 * first table is left out only if there is a timeline. */
	static const struct left_out left_out[] = {
		{ NVPROF_TABLE("KERNEL"), "metrics_run_kernels" },
		{ NVPROF_TABLE("CDP_KERNEL"), "device_launched_kernels" },
		{ NVPROF_TABLE("UNIFIED_MEMORY_COUNTER"),
		    "unified_memory_events" },
		{ NVPROF_TABLE("METRIC"), "metric_values" },
		{ NVPROF_TABLE("EVENT"), "counter_values" },
		{ NVPROF_TABLE("OPENACC_DATA"), "openacc_events" },
		{ NVPROF_TABLE("OPENACC_LAUNCH"), "openacc_events" },
		{ NVPROF_TABLE("OPENACC_OTHER"), "openacc_events" },
		{ NVPROF_TABLE("OPENMP"), "openmp_events" },
	};
	struct nvprof *nv = ctx;
	size_t from = nv->has_timeline ? 0 : 1;

	stage_note("untimed_rows", nv->prof->sources.untimed);
	db_note_rows(nv->db, left_out + from, ARRAY_LEN(left_out) - from);
}

const struct dialect dialect_nvprof = {
	.name = "nvprof",
	.probe = nvprof_probe,
	.strings = "StringTable",
	.open = nvprof_open,
	.close = nvprof_close,
	.facts = nvprof_facts,
	.string = nvprof_string,
	.kernel = nvprof_kernel,
	.notes = nvprof_notes,
};
