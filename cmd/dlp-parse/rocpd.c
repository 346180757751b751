/*
 * The dialect of rocprofv3's databases (AMD's rocpd, schema 3.x). Each process
 * has tables of its own, whose names end in its guid; a merged database has
 * several sets. Views are not read: AMD's view of kernels leaves out those
 * without a region or a thread. Ids refer to rows of the same set, and columns
 * of process and thread are such ids, too, not those of the system.
 *
 * Times are those of one clock for CPU and GPU. The correlation id of a call
 * and of the work that it launched is their events' stack_id; correlation_id is
 * a number that the user can push, and usually 0.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "emit.h"
#include "json_tok.h"
#include "map.h"
#include "mview.h"
#include "kernname.h"
#include "num.h"
#include "profile.h"
#include "schema.h"
#include "sqldb.h"
#include "stage.h"

/* The tables of one process, told by the end of their names. */
struct rocpd_set {
	const char *suffix;
	sqlite3_stmt *string, *symbol; /* texts by id; NULL: no such table */
};

struct rocpd {
	struct profile *prof;
	sqlite3 *db;
	struct rocpd_set *set;
	size_t n, cap;
	struct smap words; /* names of tables, domains, machines */

	struct map pids;    /* key of a process -> its number */
	struct map devs;    /* key of an agent -> number of the device + 1 */
	struct map streams; /* key of a stream -> its number + 1 */
	struct map queues;  /* the same of queues */
	struct map labels;  /* key of a category's name -> libraries' index */
	struct smap gpus;   /* machine and number of an agent; value: device */
	struct map numbers; /* devices that are in use */
	struct json_doc json;
	struct buf *text; /* of a range: one for each source */
	size_t ntext;
	uint64_t markers;  /* calls of roctx that are neither range nor mark */
	uint64_t reserved; /* allocations that take no memory of a GPU */
};

/* The kinds of strings, see string_id(). */
enum { TEXT_STRING, TEXT_KERNEL, TEXT_SHORT, TEXT_MANGLED, TEXT_KINDS };

/* The key of row id in a set. */
static uint64_t
row_key(const struct rocpd *r, int set, int64_t id)
{
	return (uint64_t)id * r->n + (uint64_t)set;
}

/* A number for each text, small as the cache of names expects it. */
static int64_t
string_id(const struct rocpd *r, int set, int64_t id, int kind)
{
	if (id == EV_UNSET || id < 0)
		return EV_UNSET;
	return (int64_t)row_key(r, set, id) * TEXT_KINDS + kind;
}

static const char *
word(struct rocpd *r, const char *s)
{
	return smap_str(
	    &r->words, smap_put(&r->words, s, strlen(s), NULL), NULL);
}

/* A table of the set; the name lives as long as r. */
static const char *
table_of(struct rocpd *r, int set, const char *base)
{
	struct buf b = { 0 };
	const char *s;

	buf_printf(&b, "%s%s", base, r->set[set].suffix);
	s = word(r, buf_str(&b));
	buf_free(&b);
	return s;
}

/*
 * Sources. k is the table of the events, e their rocpd_event, p the process, t
 * the thread, s the kernel's symbol. All joins are to rows by their ids, so the
 * rows come in the order of k.
 */

static void
put_join(struct rocpd *r, struct buf *b, int set, const char *k,
    const char *base, const char *as, const char *by)
{
	const char *table = table_of(r, set, base);

	if (db_has_column(r->db, table, "id") && db_has_column(r->db, k, by))
		buf_printf(b, " LEFT JOIN %s AS %s ON %s.id = k.\"%s\"", table,
		    as, as, by);
	else /* a row of nothing */
		buf_printf(b,
		    " LEFT JOIN (SELECT NULL AS tid, NULL AS stack_id, NULL AS"
		    " extdata, NULL AS category_id, NULL AS group_segment_size,"
		    " NULL AS arch_vgpr_count, NULL AS accum_vgpr_count)"
		    " AS %s",
		    as);
}

static struct ev_source *
rocpd_source(struct rocpd *r, int set, const struct ev_table *t)
{
	struct ev_sources *ss = &r->prof->sources;
	const char *k = table_of(r, set, t->name);
	struct buf from = { 0 }, cols = { 0 };
	const struct ev_col *c;
	struct ev_source *s;

	if (!db_has_table(r->db, k) || !source_needs(ss, t->kind, k, "start"))
		return NULL;
	s = source_add(ss, t->kind, k, t->row);
	s->layout = t;
	s->tag = set;
	buf_printf(&from,
	    "%s AS k NOT INDEXED LEFT JOIN temp.dlp_rocpd_process AS p"
	    " ON p.id = %s%zu + %d",
	    k, db_has_column(r->db, k, "pid") ? "k.pid * " : "0 * ", r->n, set);
	put_join(r, &from, set, k, "rocpd_event", "e", "event_id");
	put_join(r, &from, set, k, "rocpd_info_thread", "t", "tid");
	if (t->kind == EV_KERN)
		put_join(r, &from, set, k, "rocpd_info_kernel_symbol", "s",
		    "kernel_id");
	for (c = t->cols; c->name != NULL; c++) {
		buf_puts(&cols, c > t->cols ? ", " : "");
		if (strchr(c->name, '.') != NULL)
			buf_puts(&cols, c->name);
		else if (db_has_column(r->db, k, c->name))
			buf_printf(&cols, "k.\"%s\"", c->name);
		else /* the table does not have it */
			buf_puts(&cols, "NULL");
	}
	s->from = source_sql(ss, "%s", buf_str(&from));
	s->cols = source_sql(ss, "%s", buf_str(&cols));
	s->key = "k.rowid";
	s->start = "k.start";
	s->end = db_has_column(r->db, k, "end") ? "k.\"end\"" : NULL;
	if (t->kind == EV_CALL || EV_IS_GPU(t->kind)) {
		s->gid = "p.pid";
		s->corr = "e.stack_id";
	}
	buf_free(&from);
	buf_free(&cols);
	return s;
}

#define OWN 6 /* the first column after those that all sources have */

static bool
call_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	ev->call.ret = EV_UNSET;
	ev->name = string_id(ctx, s->tag, db_int(col[OWN]), TEXT_STRING);
	return source_row(ctx, s, col, ev);
}

static const struct {
	const char *label, *category;
} libraries[] = { { "rccl", "RCCL_*" }, { "rocdecode", "ROCDECODE_*" },
	{ "rocjpeg", "ROCJPEG_*" }, { "ompt", "OMPT*" } };

static bool
lib_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct rocpd *r = ctx;
	const uint64_t *no;

	if (!call_row(ctx, s, col, ev))
		return false;
	no = map_get(&r->labels, row_key(r, s->tag, db_int(col[OWN + 2])));
	ev->label = no != NULL ? libraries[*no].label : NULL;
	return true;
}

/* The text that the program gave roctx, in the buffer of the source; false if
 * there is none. */
static bool
message(struct rocpd *r, const struct ev_source *s, sqlite3_value *v,
    struct event *ev)
{
	struct buf *b = &r->text[s - r->prof->sources.v];
	uint32_t n;
	const char *text = db_text(v, &n);
	int i;

	if (text == NULL || !json_parse(&r->json, text, n, 4096) ||
	    (i = json_get(&r->json, 0, "message")) <= 0)
		return false;
	buf_clear(b);
	json_unescape(&r->json, i, b);
	ev->text = buf_str(b);
	ev->text_len = (uint32_t)b->len;
	return true;
}

static bool
string_of(struct rocpd *r, int set, int64_t id, struct buf *out)
{
	return db_string(r->set[set].string, id, out);
}

/*
 * A range of roctx has the text in its event, and the region's name is the
 * function. Regions of any other category, of other tools that write rocpd, are
 * ranges under their own name; the category is their domain.
 */
static bool
range_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct rocpd *r = ctx;
	struct buf name = { 0 }, domain = { 0 };
	bool roctx, ok = true;

	if (!call_row(ctx, s, col, ev))
		return false;
	memset(&ev->range, 0, sizeof(ev->range));
	ev->corr = EV_UNSET;
	ev->range.end_tid = EV_UNSET;
	string_of(r, s->tag, db_int(col[OWN]), &name);
	string_of(r, s->tag, db_int(col[OWN + 2]), &domain);
	roctx = text_starts(buf_str(&domain), domain.len, "MARKER_");
	/* a thread can end another's range of these two functions */
	ev->range.push = strncmp(buf_str(&name), "roctxRangeStart", 15) != 0 &&
			 strncmp(name.s, "roctxProcessRange", 17) != 0;
	ev->range.domain = roctx ? "" : word(r, buf_str(&domain));
	if (!message(r, s, col[OWN + 1], ev) && roctx) {
		r->markers++;
		ok = false;
	}
	buf_free(&name);
	buf_free(&domain);
	return ok;
}

/* GPU work. */

/* The number in a map of rows; EV_UNSET if there is none. */
static int64_t
of_row(const struct rocpd *r, const struct map *m, int set, int64_t id)
{
	const uint64_t *v = NULL;

	if (id != EV_UNSET)
		v = map_get(m, row_key(r, set, id));
	return v != NULL && *v > 0 ? (int64_t)*v - 1 : EV_UNSET;
}

/* Work outside of HIP has no stream, only a queue. */
static bool
gpu_work(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct rocpd *r = ctx;

	if (!source_row(ctx, s, col, ev))
		return false;
	ev->gpu.ctx = ev->gpu.node = EV_UNSET;
	ev->gpu.stream = of_row(r, &r->streams, s->tag, db_int(col[OWN]));
	if (ev->gpu.stream == EV_UNSET)
		ev->gpu.stream =
		    of_row(r, &r->queues, s->tag, db_int(col[OWN + 1]));
	return true;
}

static bool
kern_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct rocpd *r = ctx;
	sqlite3_value **own = col + OWN;
	int64_t id = db_int(own[3]), lds = db_int(own[10]), block, items, node;
	int i;

	if (!gpu_work(ctx, s, col, ev))
		return false;
	ev->gpu.dev = of_row(r, &r->devs, s->tag, db_int(own[2]));
	ev->name = string_id(r, s->tag, id, TEXT_KERNEL);
	ev->gpu.kern.short_name = string_id(r, s->tag, id, TEXT_SHORT);
	ev->gpu.kern.mangled = string_id(r, s->tag, id, TEXT_MANGLED);
	/* AMD counts a grid in work items: 1000 of 256 are 4 blocks */
	for (i = 0; i < 3; i++) {
		block = ev->gpu.kern.block[i];
		items = ev->gpu.kern.grid[i];
		ev->gpu.kern.grid[i] =
		    block > 0 && items > 0 ? (items - 1) / block + 1 : EV_UNSET;
	}
	/* the dispatch has the sum of both */
	ev->gpu.kern.dynsmem = EV_UNSET;
	if (ev->gpu.kern.smem == EV_UNSET || lds < ev->gpu.kern.smem)
		ev->gpu.kern.smem = lds;
	else
		ev->gpu.kern.dynsmem = lds - ev->gpu.kern.smem;
	node = db_int(own[13]);
	if (node > 0)
		ev->gpu.node = node;
	return true;
}

static bool
copy_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	static const char *const kinds[][2] = {
		{ "MEMORY_COPY_HOST_TO_DEVICE", "HtoD" },
		{ "MEMORY_COPY_DEVICE_TO_HOST", "DtoH" },
		{ "MEMORY_COPY_DEVICE_TO_DEVICE", "DtoD" },
		{ "MEMORY_COPY_HOST_TO_HOST", "HtoH" },
	};
	struct rocpd *r = ctx;
	struct buf name = { 0 };
	int64_t src, dst;
	size_t i;

	if (!gpu_work(ctx, s, col, ev))
		return false;
	string_of(r, s->tag, db_int(col[OWN + 2]), &name);
	for (i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(buf_str(&name), kinds[i][0]) == 0)
			ev->gpu.copy.kind = kinds[i][1];
	buf_free(&name);
	src = of_row(r, &r->devs, s->tag, db_int(col[OWN + 4]));
	dst = of_row(r, &r->devs, s->tag, db_int(col[OWN + 5]));
	ev->gpu.dev = dst != EV_UNSET ? dst : src;
	ev->gpu.copy.src_mem = src != EV_UNSET ? "device" : NULL;
	ev->gpu.copy.dst_mem = dst != EV_UNSET ? "device" : NULL;
	return true;
}

/* Reserved addresses and a kernel's scratch are no allocations. */
static bool
mem_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct rocpd *r = ctx;
	sqlite3_value **own = col + OWN;
	uint32_t ntype, nlevel;
	const char *type = db_text(own[1], &ntype);
	const char *level = db_text(own[2], &nlevel);
	bool frees = text_is(type, ntype, "FREE");

	if (!source_row(ctx, s, col, ev))
		return false;
	if ((!frees && !text_is(type, ntype, "ALLOC")) ||
	    !text_is(level, nlevel, "REAL")) {
		r->reserved++;
		return false;
	}
	ev->mem.dev = of_row(r, &r->devs, s->tag, db_int(own[0]));
	ev->mem.kind = ev->mem.dev != EV_UNSET ? "device" : NULL;
	ev->mem.op = frees ? "free" : "alloc";
	if (frees && ev->mem.bytes == 0)
		ev->mem.bytes = EV_UNSET;
	ev->mem.corr = ev->mem.pool = ev->mem.pool_bytes = EV_UNSET;
	return true;
}

#define COMMON C_START("start"), C_END("end"), C_NUM("p.pid", pid)
#define REGION                                                                 \
	COMMON, C_NUM("t.tid", tid), C_NUM("e.stack_id", corr),                \
	    C_NONE("name_id"), C_NONE("e.extdata"), C_NONE("e.category_id")
#define GPU                                                                    \
	COMMON, C_NONE("t.tid"), C_NUM("e.stack_id", corr),                    \
	    C_NONE("stream_id"), C_NONE("queue_id")

static const struct ev_table regions[] = {
	{ EV_CALL, "rocpd_region", call_row, NULL, { REGION } },
	{ EV_RANGE, "rocpd_region", range_row, NULL, { REGION } },
	{ EV_MARK, "rocpd_region", range_row, NULL, { REGION } },
	{ EV_LIB, "rocpd_region", lib_row, NULL, { REGION } },
};
static const struct ev_table others[] = {
	{ EV_KERN, "rocpd_kernel_dispatch", kern_row, NULL,
	    { GPU, C_NONE("agent_id"), C_NONE("kernel_id"),
		C_NUM("workgroup_size_x", gpu.kern.block[0]),
		C_NUM("workgroup_size_y", gpu.kern.block[1]),
		C_NUM("workgroup_size_z", gpu.kern.block[2]),
		C_NUM("grid_size_x", gpu.kern.grid[0]),
		C_NUM("grid_size_y", gpu.kern.grid[1]),
		C_NUM("grid_size_z", gpu.kern.grid[2]),
		C_NONE("group_segment_size"),
		C_NUM("s.group_segment_size", gpu.kern.smem),
		C_NUM("s.arch_vgpr_count + ifnull(s.accum_vgpr_count, 0)",
		    gpu.kern.regs),
		C_NONE("graph_node_id") } },
	{ EV_COPY, "rocpd_memory_copy", copy_row, NULL,
	    { GPU, C_NONE("name_id"), C_NUM("size", gpu.copy.bytes),
		C_NONE("src_agent_id"), C_NONE("dst_agent_id") } },
	{ EV_MEM, "rocpd_memory_allocate", mem_row, NULL,
	    { COMMON, C_NUM("t.tid", tid), C_NUM("e.stack_id", corr),
		C_NONE("agent_id"), C_NONE("type"), C_NONE("level"),
		C_NUM("address", mem.addr), C_NUM("size", mem.bytes) } },
};

/* Which regions are what: by the ids of the names of categories. */

/* SQL by which a row has one of the names that the query finds; NULL if there
 * is none. */
static const char *
sql_in(
    struct rocpd *r, const char *what, const char *strings, const char *where)
{
	const char *sql = NULL;
	struct buf b = { 0 };
	sqlite3_stmt *st =
	    db_prepare(r->db, "SELECT id FROM %s WHERE %s", strings, where);

	while (db_next(&st))
		buf_printf(
		    &b, "%s%" PRId64, b.len > 0 ? ", " : "", db_i64(st, 0));
	/* ifnull() keeps SQLite from turning the join around */
	if (b.len > 0)
		sql = source_sql(&r->prof->sources, "ifnull(%s, -1) IN (%s)",
		    what, buf_str(&b));
	buf_free(&b);
	return sql;
}

/* Which regions are what is told by the ids of the names of categories; all
 * that are nothing else are ranges. A region is written when it ends. */
static void
add_tables(struct rocpd *r, int set)
{
	const char *strings = table_of(r, set, "rocpd_string");
	struct ev_sources *ss = &r->prof->sources;
	const char *where[ARRAY_LEN(regions)] = { NULL, "1", NULL, NULL };
	struct ev_source *s;
	size_t i;
	sqlite3_stmt *st;

	if (r->set[set].string != NULL) {
		where[0] = sql_in(r, "e.category_id", strings,
		    "string GLOB 'HIP_*_API*' OR string GLOB 'HSA_*_API*'");
		where[3] = sql_in(r, "e.category_id", strings,
		    "string GLOB 'RCCL_*' OR string GLOB 'ROCDECODE_*' OR"
		    " string GLOB 'ROCJPEG_*' OR string GLOB 'OMPT*'");
		where[2] =
		    sql_in(r, "k.name_id", strings, "string GLOB 'roctxMark*'");
		for (i = 0; i < ARRAY_LEN(libraries); i++) {
			st = db_prepare(r->db,
			    "SELECT id FROM %s WHERE string GLOB '%s'", strings,
			    libraries[i].category);
			while (db_next(&st))
				*map_put(&r->labels,
				    row_key(r, set, db_i64(st, 0)), NULL) = i;
		}
		for (i = 0; i < ARRAY_LEN(regions); i++)
			if (i != 1 && where[i] != NULL)
				where[1] = source_sql(
				    ss, "%s AND NOT %s", where[1], where[i]);
	}
	for (i = 0; i < ARRAY_LEN(regions); i++) {
		s = where[i] != NULL ? rocpd_source(r, set, &regions[i]) : NULL;
		if (s != NULL) {
			s->where = where[i];
			s->unordered = true;
		}
	}
	for (i = 0; i < ARRAY_LEN(others); i++)
		rocpd_source(r, set, &others[i]);
}

/* Processes, devices, streams. */

/* Processes of several machines or containers can have the same number. */
static int64_t
own_pid(struct map *used, int64_t pid)
{
	bool is_new;
	int64_t n = pid;

	for (;;) {
		map_put(used, (uint64_t)n, &is_new);
		if (is_new)
			break;
		n = num_add(n, INT64_C(1) << 32);
	}
	if (n != pid)
		warn("%s: two processes have the number %" PRId64
		     ": the second is called %" PRId64,
		    db_path(), pid, n);
	return n;
}

static void
read_processes(struct rocpd *r)
{
	static const char *const names[] = { "id", "pid", NULL };
	struct map used = { 0 };
	sqlite3_stmt *st, *put;
	uint64_t key;
	int64_t pid;
	size_t i;

	if (sqlite3_exec(r->db,
		"CREATE TEMP TABLE dlp_rocpd_process"
		" (id INTEGER PRIMARY KEY, pid INT)",
		NULL, NULL, NULL) != SQLITE_OK)
		die("%s: %s", db_path(), sqldb_error(r->db));
	put = db_prepare(r->db,
	    "INSERT OR IGNORE INTO temp.dlp_rocpd_process VALUES (?1, ?2)");
	for (i = 0; i < r->n; i++) {
		st = db_rows(r->db, table_of(r, (int)i, "rocpd_info_process"),
		    "pid", names, "");
		while (db_next(&st)) {
			if (db_i64(st, 0) < 0 || db_i64(st, 1) < 0)
				continue;
			pid = own_pid(&used, db_i64(st, 1));
			key = row_key(r, (int)i, db_i64(st, 0));
			sqlite3_bind_int64(put, 1, (int64_t)key);
			sqlite3_bind_int64(put, 2, pid);
			*map_put(&r->pids, key, NULL) = (uint64_t)pid;
			db_step(put);
			sqlite3_reset(put);
		}
	}
	sqlite3_finalize(put);
	map_free(&used);
}

/* The rows of a table of a set, with these columns (NULL at the end), by the
 * first one; NULL if it does not have the column that is needed. */
static sqlite3_stmt *
rows_of(struct rocpd *r, int set, const char *base, const char *need,
    const char *const *names)
{
	return db_rows(
	    r->db, table_of(r, set, base), need, names, "ORDER BY 1");
}

/* The number at the end of "Stream 4"; the row's own if there is none. */
static void
read_numbers(struct rocpd *r, int set, const char *base, struct map *m)
{
	static const char *const names[] = { "id", "name", NULL };
	sqlite3_stmt *st = rows_of(r, set, base, "id", names);
	const char *s, *e;
	int64_t n;

	while (db_next(&st)) {
		s = db_str(st, 1);
		e = s != NULL ? s + strlen(s) : NULL;
		while (e > s && isdigit((unsigned char)e[-1]))
			e--;
		if (s == NULL || !num_i64(e, strlen(e), &n))
			n = db_i64(st, 0);
		if (db_i64(st, 0) >= 0 && n >= 0)
			*map_put(m, row_key(r, set, db_i64(st, 0)), NULL) =
			    (uint64_t)n + 1;
	}
}

/* Agents: an agent is a GPU, or the CPU. */

static const char *const agent_cols[] = { "id", "type", "type_index",
	"absolute_index", "name", "product_name", "model_name", "extdata",
	"nid", NULL };
enum {
	AGENT_ID,
	AGENT_TYPE,
	AGENT_INDEX,
	AGENT_ABSOLUTE,
	AGENT_NAME,
	AGENT_PRODUCT,
	AGENT_MODEL,
	AGENT_EXTDATA,
	AGENT_NID,
};

/* The number of a GPU is that among the visible GPUs, as HIP counts. Where two
 * processes see different GPUs under one number, the second one gets the next
 * number that is free. */
static int64_t
device_number(struct rocpd *r, int set, sqlite3_stmt *agent, bool *is_new)
{
	static const char *const names[] = { "machine_id", NULL };
	int64_t n = db_i64(agent, AGENT_INDEX), nid = db_i64(agent, AGENT_NID);
	sqlite3_stmt *st =
	    nid == EV_UNSET
		? NULL
		: db_rows(r->db, table_of(r, set, "rocpd_info_node"),
		      "machine_id", names, "WHERE id = ?1");
	struct buf key = { 0 };
	bool is_free;
	uint32_t no;

	if (n == EV_UNSET || n < 0)
		n = 0;
	db_string(st, nid, &key); /* machines differ */
	sqlite3_finalize(st);
	buf_printf(&key, "\n%" PRId64, db_i64(agent, AGENT_ABSOLUTE));
	no = smap_put(&r->gpus, key.s, key.len, is_new);
	buf_free(&key);
	if (!*is_new)
		return (int64_t)r->gpus.val[no];
	for (map_put(&r->numbers, (uint64_t)n, &is_free); !is_free; n++)
		map_put(&r->numbers, (uint64_t)n + 1, &is_free);
	r->gpus.val[no] = (uint64_t)n;
	return n;
}

/* The GPUs of a set; with facts, those that are new are written. */
static void
read_agents(struct rocpd *r, int set,
    void (*put)(struct rocpd *r, int64_t dev, sqlite3_stmt *st))
{
	sqlite3_stmt *st =
	    rows_of(r, set, "rocpd_info_agent", "type", agent_cols);
	const char *type;
	bool is_new;
	int64_t dev;

	while (db_next(&st)) {
		type = db_str(st, AGENT_TYPE);
		if (type == NULL || strcmp(type, "GPU") != 0 ||
		    db_i64(st, AGENT_ID) < 0)
			continue;
		dev = device_number(r, set, st, &is_new);
		*map_put(&r->devs, row_key(r, set, db_i64(st, AGENT_ID)),
		    NULL) = (uint64_t)dev + 1;
		if (put != NULL && is_new)
			put(r, dev, st);
	}
}

static void
put_device(struct rocpd *r, int64_t dev, sqlite3_stmt *st)
{
	static const char digits[] = "0123456789abcdef";
	const char *product = db_str(st, AGENT_PRODUCT);
	const char *model = db_str(st, AGENT_MODEL);
	const char *arch = db_str(st, AGENT_NAME), *minor;
	const char *more = db_str(st, AGENT_EXTDATA);
	size_t n = arch != NULL ? strlen(arch) : 0;
	struct dev_fact f = { .dev = dev,
		.cc_major = EV_UNSET,
		.cc_minor = EV_UNSET,
		.n_sm = EV_UNSET,
		.clock_hz = EV_UNSET,
		.mem_bytes = EV_UNSET,
		.membw_bytes_s = EV_UNSET };
	int64_t mhz;

	f.name = product != NULL && product[0] != '\0' ? product
		 : model != NULL && model[0] != '\0'   ? model
						       : arch;
	/* gfx942 is 9.4, gfx90a 9.0, gfx1100 11.0: the last digit is the
	 * stepping */
	if (n >= 6 && strncmp(arch, "gfx", 3) == 0 &&
	    (minor = strchr(digits, arch[n - 2])) != NULL &&
	    num_i64(arch + 3, n - 5, &f.cc_major))
		f.cc_minor = minor - digits;
	if (more != NULL && json_parse(&r->json, more, strlen(more), 65536)) {
		f.n_sm = fact_member(&r->json, "cu_count");
		mhz = fact_member(&r->json, "max_engine_clk_fcompute");
		if (mhz > 0 && mhz < 100000)
			f.clock_hz = mhz * 1000000;
	}
	fact_dev(r->prof, &f);
}

/* Finding the sets. */

static const char *const event_tables[] = { "rocpd_kernel_dispatch",
	"rocpd_region", "rocpd_memory_copy", "rocpd_memory_allocate" };

static void
find_sets(struct rocpd *r)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	sqlite3_stmt *st;
	const char *s;
	size_t i, k, n;

	for (i = 0; i < ARRAY_LEN(event_tables); i++) {
		n = strlen(event_tables[i]);
		st = db_prepare(r->db,
		    "SELECT name FROM sqlite_master WHERE type = 'table' AND"
		    " name GLOB '%s*' ORDER BY rowid",
		    event_tables[i]);
		while (db_next(&st)) {
			s = db_str(st, 0);
			if (s[strspn(s, plain)] != '\0' ||
			    (s[n] != '\0' && s[n] != '_'))
				continue;
			s += n;
			for (k = 0; k < r->n; k++)
				if (strcmp(r->set[k].suffix, s) == 0)
					break;
			if (k < r->n)
				continue;
			ARRAY_GROW(r->set, r->n, r->cap);
			r->set[r->n++] =
			    (struct rocpd_set){ .suffix = word(r, s) };
		}
	}
}

/* The value of a tag in a set's metadata. The caller frees it. */
static char *
metadata(struct rocpd *r, int set, const char *tag)
{
	static const char *const names[] = { "value", NULL };
	const char *table = table_of(r, set, "rocpd_metadata");
	sqlite3_stmt *st;
	char *text = NULL;

	if (!db_has_column(r->db, table, "tag"))
		return NULL;
	st = db_rows(r->db, table, "value", names, "WHERE tag = ?1");
	if (st != NULL) {
		sqlite3_bind_text(st, 1, tag, -1, SQLITE_STATIC);
		if (db_step(st) && db_str(st, 0) != NULL)
			text = xstrdup(db_str(st, 0));
	}
	sqlite3_finalize(st);
	return text;
}

/* The dialect. */

/* rocmProfileTools' rpd databases have some of the names. */
static int
rocpd_probe(sqlite3 *db)
{
	return (int)db_number(db, "SELECT count(*) FROM sqlite_master WHERE"
				  " type = 'table' AND name GLOB 'rocpd_*'");
}

static void
open_set(struct rocpd *r, int set)
{
	static const char *const names[] = { "display_name", "kernel_name",
		NULL };
	static const char *const need[] = { "id", "string", NULL };
	struct rocpd_set *x = &r->set[set];
	const char *strings = table_of(r, set, "rocpd_string");
	char *version, *packed;

	version = metadata(r, set, "schema_version");
	packed = metadata(r, set, "compression");
	if (version != NULL && strtol(version, NULL, 10) > 3)
		die("%s: a rocpd database of schema version %s: versions up to"
		    " 3 are read",
		    db_path(), version);
	if (packed != NULL)
		die("%s: a rocpd database with compressed texts (%s), which"
		    " are not read",
		    db_path(), packed);
	free(version);
	free(packed);
	if (db_has_columns(r->db, strings, need))
		x->string = db_prepare(
		    r->db, "SELECT string FROM %s WHERE id = ?1", strings);
	else
		warn("%s: no table %s: names and texts are unknown", db_path(),
		    strings);
	x->symbol = db_rows(r->db, table_of(r, set, "rocpd_info_kernel_symbol"),
	    "id", names, "WHERE id = ?1");
	read_agents(r, set, NULL);
	read_numbers(r, set, "rocpd_info_stream", &r->streams);
	read_numbers(r, set, "rocpd_info_queue", &r->queues);
}

static void *
rocpd_open(struct profile *p)
{
	struct rocpd *r = xcalloc(1, sizeof(*r));
	size_t i, k;
	int64_t t0, t;
	const char *table;

	r->prof = p;
	r->db = p->db;
	find_sets(r);
	if (db_has_table(r->db, "rocpd_op") && db_has_table(r->db, "rocpd_api"))
		die("%s: a trace of rocmProfileTools (rpd): record it with"
		    " rocprofv3 --output-format rocpd, or with torch.profiler",
		    db_path());
	if (r->n == 0)
		die("%s: a rocpd database without tables of events", db_path());
	for (i = 0; i < r->n; i++)
		open_set(r, (int)i);
	read_processes(r);
	p->sources.only_int = INT_ALL;
	/* The earliest start. */
	t0 = EV_UNSET;
	for (i = 0; i < r->n; i++)
		for (k = 0; k < ARRAY_LEN(event_tables); k++) {
			table = table_of(r, (int)i, event_tables[k]);
			if (!db_has_column(r->db, table, "start"))
				continue;
			t = db_number(r->db,
			    "SELECT min(start) FROM %s WHERE typeof(start) ="
			    " 'integer'",
			    table);
			if (t != EV_UNSET && (t0 == EV_UNSET || t < t0))
				t0 = t;
		}
	p->sources.t0 = t0 != EV_UNSET ? t0 : 0;
	for (i = 0; i < r->n; i++)
		add_tables(r, (int)i);
	r->ntext = (size_t)p->sources.n;
	r->text = xcalloc(r->ntext + 1, sizeof(*r->text));
	return r;
}

static void
rocpd_close(void *ctx)
{
	struct rocpd *r = ctx;
	struct rocpd_set *x;
	size_t i;

	for (x = r->set; x < r->set + r->n; x++) {
		sqlite3_finalize(x->string);
		sqlite3_finalize(x->symbol);
	}
	for (i = 0; i < r->ntext; i++)
		buf_free(&r->text[i]);
	free(r->text);
	free(r->set);
	smap_free(&r->words);
	smap_free(&r->gpus);
	map_free(&r->pids);
	map_free(&r->devs);
	map_free(&r->streams);
	map_free(&r->queues);
	map_free(&r->labels);
	map_free(&r->numbers);
	json_free(&r->json);
	free(r);
}

static bool
rocpd_string(void *ctx, int64_t id, struct buf *out)
{
	struct rocpd *r = ctx;
	uint64_t key = (uint64_t)id / TEXT_KINDS;
	int kind = (int)((uint64_t)id % TEXT_KINDS), set = (int)(key % r->n);
	sqlite3_stmt *st;
	int i;
	struct mview v = { NULL, 0 };

	if (id < 0)
		return false;
	if (kind == TEXT_STRING)
		return string_of(r, set, (int64_t)(key / r->n), out);
	/* The symbol's name as people read it, or, of an old file that has no
	 * other, its own. */
	st = r->set[set].symbol;
	i = kind == TEXT_MANGLED ? 1 : 0;
	if (st == NULL)
		return false;
	sqlite3_bind_int64(st, 1, (int64_t)(key / r->n));
	if (db_step(st)) {
		if (sqlite3_column_type(st, i) == SQLITE_NULL)
			i = 1;
		v.s = (const char *)sqlite3_column_text(st, i);
		v.n = v.s != NULL ? (size_t)sqlite3_column_bytes(st, i) : 0;
		if (mv_ends(v, ".kd")) /* the descriptor's name */
			v.n -= 3;
		if (kind == TEXT_SHORT)
			v = kernname_function(v);
		buf_put(out, v.s, v.n);
	}
	sqlite3_reset(st);
	return v.n > 0;
}

static int64_t
rocpd_pid(int64_t gid)
{
	return gid;
}

static void
put_processes(struct rocpd *r, int set)
{
	static const char *const names[] = { "id", "command", NULL };
	sqlite3_stmt *st = rows_of(r, set, "rocpd_info_process", "id", names);
	const uint64_t *pid;
	const char *name;

	while (db_next(&st)) {
		pid = map_get(&r->pids, row_key(r, set, db_i64(st, 0)));
		name = db_str(st, 1);
		if (pid != NULL && name != NULL)
			fact_proc(r->prof, (int64_t)*pid, name);
	}
}

static void
put_threads(struct rocpd *r, int set)
{
	static const char *const names[] = { "pid", "tid", "name", NULL };
	sqlite3_stmt *st = rows_of(r, set, "rocpd_info_thread", "pid", names);
	const uint64_t *pid;
	const char *name;

	while (db_next(&st)) {
		pid = map_get(&r->pids, row_key(r, set, db_i64(st, 0)));
		name = db_str(st, 2);
		if (pid != NULL && name != NULL && name[0] != '\0' &&
		    db_i64(st, 1) != EV_UNSET)
			fact_thread(r->prof, (int64_t)*pid, db_i64(st, 1), name,
			    EV_UNSET);
	}
}

static void
rocpd_facts(void *ctx)
{
	struct rocpd *r = ctx;
	char *version = metadata(r, 0, "schema_version");
	size_t i;

	if (version != NULL)
		fact_info(r->prof, "schema", "%s", version);
	fact_info(r->prof, "t0_ns", "%lld", (long long)r->prof->sources.t0);
	fact_info(r->prof, "vendor", "amd");
	free(version);
	/* a GPU of several processes is one device */
	smap_clear(&r->gpus);
	map_clear(&r->numbers);
	for (i = 0; i < r->n; i++)
		read_agents(r, (int)i, put_device);
	for (i = 0; i < r->n; i++)
		put_processes(r, (int)i);
	for (i = 0; i < r->n; i++)
		put_threads(r, (int)i);
}

static void
rocpd_notes(void *ctx)
{
	struct rocpd *r = ctx;
	struct left_out left[2];
	size_t i;

	stage_note("roctx_other_calls", r->markers);
	stage_note("other_allocations", r->reserved);
	for (i = 0; i < r->n; i++) {
		left[0].table = table_of(r, (int)i, "rocpd_pmc_event");
		left[0].note = "counter_values";
		left[1].table = table_of(r, (int)i, "rocpd_sample");
		left[1].note = "samples";
		db_note_rows(r->db, left, ARRAY_LEN(left));
	}
}

static const char *
rocpd_option(enum ev_kind kind)
{
	static const char *const options[EV_KINDS] = {
		[EV_KERN] = "--kernel-trace",
		[EV_RANGE] = "--marker-trace",
		[EV_MARK] = "--marker-trace",
		[EV_CALL] = "--hip-trace",
		[EV_COPY] = "--memory-copy-trace",
		[EV_MEM] = "--memory-allocation-trace",
		[EV_LIB] = "--rccl-trace",
	};

	return options[kind];
}

const struct dialect dialect_rocpd = {
	.name = "rocpd",
	.probe = rocpd_probe,
	.open = rocpd_open,
	.close = rocpd_close,
	.facts = rocpd_facts,
	.string = rocpd_string,
	.pid = rocpd_pid,
	.notes = rocpd_notes,
	.option = rocpd_option,
};
