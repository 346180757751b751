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
#include "namecache.h"
#include "num.h"
#include "profile.h"
#include "schema.h"
#include "sqldb.h"
#include "stage.h"

/* The tables of one process, told by the end of their names. */
struct rocpd_set {
	const char *suffix;
	sqlite3_stmt *string, *symbol; /* texts by id; NULL: no such table */
	char *calls, *libs, *marks, *ranges; /* SQL: which regions are such */
};

struct rocpd {
	struct profile *prof;
	sqlite3 *db;
	struct rocpd_set *set;
	size_t n, cap;
	struct smap words;  /* names of tables, domains, machines */
	int64_t t0;         /* the earliest start: the origin */
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

/* Appends the table's column, under the alias; NULL if it is missing. */
static void
put_col(struct rocpd *r, struct buf *b, const char *table, const char *as,
    const char *name)
{
	if (b->len > 0)
		buf_puts(b, ", ");
	if (db_has_column(r->db, table, name))
		buf_printf(b, "%s.\"%s\"", as, name);
	else
		buf_puts(b, "NULL");
}

static char *
take_text(struct buf *b)
{
	char *s = xstrdup(buf_str(b));

	buf_free(b);
	return s;
}

/*
 * Sources. k is the table of the events, e their rocpd_event, p the process, t
 * the thread, s the kernel's symbol. All joins are to rows by their ids, so the
 * rows come in the order of k.
 */

#define COMMON_COLS 6 /* start, end, process, thread, correlation id */

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
rocpd_source(struct rocpd *r, int set, enum ev_kind kind, const char *base,
    row_fn *row, const char *const *names)
{
	const char *k = table_of(r, set, base);
	struct buf from = { 0 }, cols = { 0 };
	struct ev_source *s;

	if (!db_has_table(r->db, k) ||
	    !source_needs(&r->prof->sources, r->db, kind, k, "start"))
		return NULL;
	s = source_add(&r->prof->sources, kind, k, row);
	s->tag = set;
	buf_printf(&from,
	    "%s AS k NOT INDEXED LEFT JOIN temp.dlp_rocpd_process AS p"
	    " ON p.id = %s%zu + %d",
	    k, db_has_column(r->db, k, "pid") ? "k.pid * " : "0 * ", r->n, set);
	put_join(r, &from, set, k, "rocpd_event", "e", "event_id");
	put_join(r, &from, set, k, "rocpd_info_thread", "t", "tid");
	if (kind == EV_KERN)
		put_join(r, &from, set, k, "rocpd_info_kernel_symbol", "s",
		    "kernel_id");
	put_col(r, &cols, k, "k", "start");
	put_col(r, &cols, k, "k", "end");
	buf_puts(&cols, ", p.pid, t.tid, e.stack_id");
	for (; *names != NULL; names++)
		if (strchr(*names, '.') != NULL)
			buf_printf(&cols, ", %s", *names);
		else
			put_col(r, &cols, k, "k", *names);
	s->from = take_text(&from);
	s->cols = take_text(&cols);
	s->key = xstrdup("k.rowid");
	s->start = xstrdup("k.start");
	s->end = db_has_column(r->db, k, "end") ? xstrdup("k.\"end\"") : NULL;
	if (kind == EV_CALL || EV_IS_GPU(kind)) {
		s->gid = xstrdup("p.pid");
		s->corr = xstrdup("e.stack_id");
	}
	return s;
}

/* A value as an integer; EV_UNSET if it has another type. */
static int64_t
int_of(sqlite3_value *v)
{
	return sqlite3_value_type(v) == SQLITE_INTEGER ? sqlite3_value_int64(v)
						       : EV_UNSET;
}

static bool
rocpd_times(struct rocpd *r, const struct ev_source *s, sqlite3_value **col,
    struct event *ev)
{
	int64_t start = int_of(col[1]), end = int_of(col[2]);

	if (start == EV_UNSET) {
		source_bad_row(s);
		return false;
	}
	ev->start = num_sub(start, r->t0);
	if (end != EV_UNSET)
		ev->end = num_sub(end, r->t0);
	ev->pid = int_of(col[3]);
	return true;
}

static const char *const call_cols[] = { "name_id", NULL };

static bool
call_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct rocpd *r = ctx;

	if (!rocpd_times(r, s, col, ev))
		return false;
	ev->tid = int_of(col[4]);
	ev->corr = int_of(col[5]);
	ev->name = string_id(r, s->tag, int_of(col[COMMON_COLS]), TEXT_STRING);
	ev->call.ret = EV_UNSET;
	return true;
}

static const char *const libraries[] = { "rccl", "rocdecode", "rocjpeg",
	"ompt" };

static const char *const region_cols[] = { "name_id", "e.extdata",
	"e.category_id", NULL };

static bool
lib_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct rocpd *r = ctx;
	int64_t category = int_of(col[COMMON_COLS + 2]);
	const uint64_t *no;

	if (!call_row(ctx, s, col, ev))
		return false;
	no = map_get(&r->labels, row_key(r, s->tag, category));
	ev->label = no != NULL ? libraries[*no] : NULL;
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
	sqlite3_stmt *st = r->set[set].string;
	bool has;

	if (st == NULL)
		return false;
	sqlite3_bind_int64(st, 1, id);
	has = db_step(st) && sqlite3_column_type(st, 0) != SQLITE_NULL;
	if (has)
		buf_put(out, (const char *)sqlite3_column_text(st, 0),
		    (size_t)sqlite3_column_bytes(st, 0));
	sqlite3_reset(st);
	return has;
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
	int64_t id = int_of(col[COMMON_COLS]);
	bool roctx, ok = true;

	if (!call_row(ctx, s, col, ev))
		return false;
	ev->corr = EV_UNSET;
	ev->range.end_tid = EV_UNSET;
	string_of(r, s->tag, id, &name);
	string_of(r, s->tag, int_of(col[COMMON_COLS + 2]), &domain);
	roctx = text_starts(buf_str(&domain), domain.len, "MARKER_");
	/* a thread can end another's range of these two functions */
	ev->range.push = strncmp(buf_str(&name), "roctxRangeStart", 15) != 0 &&
			 strncmp(name.s, "roctxProcessRange", 17) != 0;
	ev->range.domain = roctx ? "" : word(r, buf_str(&domain));
	if (!message(r, s, col[COMMON_COLS + 1], ev) && roctx) {
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

/* stream, queue: NULL: unset. Work outside of HIP has no stream, only a
 * queue. */
static bool
gpu_work(struct rocpd *r, const struct ev_source *s, sqlite3_value **col,
    sqlite3_value **where, struct event *ev)
{
	int64_t stream = int_of(where[0]), queue = int_of(where[1]);

	if (!rocpd_times(r, s, col, ev))
		return false;
	ev->corr = int_of(col[5]);
	ev->gpu.ctx = EV_UNSET;
	ev->gpu.stream = of_row(r, &r->streams, s->tag, stream);
	if (ev->gpu.stream == EV_UNSET)
		ev->gpu.stream = of_row(r, &r->queues, s->tag, queue);
	ev->gpu.node = EV_UNSET;
	return true;
}

static const char *const kern_cols[] = { "stream_id", "queue_id", "agent_id",
	"kernel_id", "workgroup_size_x", "workgroup_size_y", "workgroup_size_z",
	"grid_size_x", "grid_size_y", "grid_size_z", "group_segment_size",
	"s.group_segment_size",
	"s.arch_vgpr_count + ifnull(s.accum_vgpr_count, 0)", "graph_node_id",
	NULL };

/* AMD counts a grid in work items: 1000 of 256 are 4 blocks. */
static void
put_sizes(struct event *ev, sqlite3_value **col)
{
	int64_t block, items;
	int i;

	for (i = 0; i < 3; i++) {
		block = int_of(col[i]);
		items = int_of(col[3 + i]);
		ev->gpu.kern.block[i] = block;
		ev->gpu.kern.grid[i] = EV_UNSET;
		if (block > 0 && items > 0)
			ev->gpu.kern.grid[i] = (items - 1) / block + 1;
	}
}

static bool
kern_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct rocpd *r = ctx;
	sqlite3_value **own = col + COMMON_COLS;
	int64_t id = int_of(own[3]), lds = int_of(own[10]), node;

	if (!gpu_work(r, s, col, own, ev))
		return false;
	ev->gpu.dev = of_row(r, &r->devs, s->tag, int_of(own[2]));
	ev->name = string_id(r, s->tag, id, TEXT_KERNEL);
	ev->gpu.kern.short_name = string_id(r, s->tag, id, TEXT_SHORT);
	ev->gpu.kern.mangled = string_id(r, s->tag, id, TEXT_MANGLED);
	put_sizes(ev, own + 4);
	ev->gpu.kern.regs = int_of(own[12]);
	/* the dispatch has the sum of both */
	ev->gpu.kern.smem = int_of(own[11]);
	ev->gpu.kern.dynsmem = EV_UNSET;
	if (ev->gpu.kern.smem == EV_UNSET || lds < ev->gpu.kern.smem)
		ev->gpu.kern.smem = lds;
	else
		ev->gpu.kern.dynsmem = lds - ev->gpu.kern.smem;
	node = int_of(own[13]);
	if (node > 0)
		ev->gpu.node = node;
	return true;
}

static const char *const copy_cols[] = { "stream_id", "queue_id", "name_id",
	"size", "src_agent_id", "dst_agent_id", NULL };

static const char *
copy_kind(const char *s)
{
	static const char *const kinds[][2] = {
		{ "MEMORY_COPY_HOST_TO_DEVICE", "HtoD" },
		{ "MEMORY_COPY_DEVICE_TO_HOST", "DtoH" },
		{ "MEMORY_COPY_DEVICE_TO_DEVICE", "DtoD" },
		{ "MEMORY_COPY_HOST_TO_HOST", "HtoH" },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(s, kinds[i][0]) == 0)
			return kinds[i][1];
	return NULL;
}

static bool
copy_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct rocpd *r = ctx;
	sqlite3_value **own = col + COMMON_COLS;
	struct buf name = { 0 };
	int64_t src, dst;

	if (!gpu_work(r, s, col, own, ev))
		return false;
	string_of(r, s->tag, int_of(own[2]), &name);
	ev->gpu.copy.kind = copy_kind(buf_str(&name));
	buf_free(&name);
	ev->gpu.copy.bytes = int_of(own[3]);
	src = of_row(r, &r->devs, s->tag, int_of(own[4]));
	dst = of_row(r, &r->devs, s->tag, int_of(own[5]));
	ev->gpu.dev = dst != EV_UNSET ? dst : src;
	ev->gpu.copy.src_mem = src != EV_UNSET ? "device" : NULL;
	ev->gpu.copy.dst_mem = dst != EV_UNSET ? "device" : NULL;
	return true;
}

static const char *const mem_cols[] = { "agent_id", "type", "level", "address",
	"size", NULL };

/* Reserved addresses and a kernel's scratch are no allocations. */
static bool
mem_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct rocpd *r = ctx;
	sqlite3_value **own = col + COMMON_COLS;
	uint32_t ntype, nlevel;
	const char *type = db_text(own[1], &ntype);
	const char *level = db_text(own[2], &nlevel);
	int64_t bytes = int_of(own[4]);
	bool frees = text_is(type, ntype, "FREE");

	if (!rocpd_times(r, s, col, ev))
		return false;
	if ((!frees && !text_is(type, ntype, "ALLOC")) ||
	    !text_is(level, nlevel, "REAL")) {
		r->reserved++;
		return false;
	}
	ev->tid = int_of(col[4]);
	ev->mem.dev = of_row(r, &r->devs, s->tag, int_of(own[0]));
	ev->mem.kind = ev->mem.dev != EV_UNSET ? "device" : NULL;
	ev->mem.op = frees ? "free" : "alloc";
	ev->mem.bytes = frees && bytes == 0 ? EV_UNSET : bytes;
	ev->mem.addr = int_of(own[3]);
	ev->mem.corr = ev->mem.pool = ev->mem.pool_bytes = EV_UNSET;
	return true;
}

/* Which regions are what: by the ids of the names of categories. */

static char *
ids_like(struct rocpd *r, const char *strings, const char *where)
{
	struct buf b = { 0 };
	sqlite3_stmt *st =
	    db_prepare(r->db, "SELECT id FROM %s WHERE %s", strings, where);

	while (db_step(st))
		buf_printf(
		    &b, "%s%" PRId64, b.len > 0 ? ", " : "", db_i64(st, 0));
	sqlite3_finalize(st);
	return b.len > 0 ? take_text(&b) : NULL;
}

static char *
sql_in(const char *what, const char *ids)
{
	struct buf b = { 0 };

	if (ids == NULL)
		return NULL;
	/* ifnull() keeps SQLite from turning the join around */
	buf_printf(&b, "ifnull(%s, -1) IN (%s)", what, ids);
	return take_text(&b);
}

static void
find_labels(struct rocpd *r, int set, const char *strings)
{
	static const char *const like[] = { "RCCL_*", "ROCDECODE_*",
		"ROCJPEG_*", "OMPT*" };
	sqlite3_stmt *st;
	size_t i;

	for (i = 0; i < ARRAY_LEN(like); i++) {
		st = db_prepare(r->db,
		    "SELECT id FROM %s WHERE string GLOB '%s'", strings,
		    like[i]);
		while (db_step(st))
			*map_put(&r->labels, row_key(r, set, db_i64(st, 0)),
			    NULL) = i;
		sqlite3_finalize(st);
	}
}

static void
find_categories(struct rocpd *r, int set)
{
	const char *strings = table_of(r, set, "rocpd_string");
	struct rocpd_set *x = &r->set[set];
	struct buf b = { 0 };
	char *ids[4];
	size_t i;

	if (x->string == NULL) {
		x->ranges = xstrdup("1");
		return;
	}
	ids[0] = ids_like(
	    r, strings, "string GLOB 'HIP_*_API*' OR string GLOB 'HSA_*_API*'");
	ids[1] = ids_like(r, strings,
	    "string GLOB 'RCCL_*' OR string GLOB 'ROCDECODE_*' OR"
	    " string GLOB 'ROCJPEG_*' OR string GLOB 'OMPT*'");
	ids[2] = ids_like(r, strings, "string GLOB 'roctxMark*'");
	find_labels(r, set, strings);
	x->calls = sql_in("e.category_id", ids[0]);
	x->libs = sql_in("e.category_id", ids[1]);
	x->marks = sql_in("k.name_id", ids[2]);
	buf_puts(&b, "1");
	if (x->calls != NULL)
		buf_printf(&b, " AND NOT %s", x->calls);
	if (x->libs != NULL)
		buf_printf(&b, " AND NOT %s", x->libs);
	if (x->marks != NULL)
		buf_printf(&b, " AND NOT %s", x->marks);
	x->ranges = take_text(&b);
	for (i = 0; i < 3; i++)
		free(ids[i]);
}

static void
add_regions(struct rocpd *r, int set, enum ev_kind kind, row_fn *row,
    const char *const *cols, const char *where)
{
	struct ev_source *s;

	if (where == NULL ||
	    (s = rocpd_source(r, set, kind, "rocpd_region", row, cols)) == NULL)
		return;
	s->where = xstrdup(where);
	s->unordered = true; /* a region is written when it ends */
}

static void
add_tables(struct rocpd *r, int set)
{
	const struct rocpd_set *x = &r->set[set];

	find_categories(r, set);
	add_regions(r, set, EV_CALL, call_row, call_cols, x->calls);
	add_regions(r, set, EV_RANGE, range_row, region_cols, x->ranges);
	add_regions(r, set, EV_MARK, range_row, region_cols, x->marks);
	add_regions(r, set, EV_LIB, lib_row, region_cols, x->libs);
	rocpd_source(
	    r, set, EV_KERN, "rocpd_kernel_dispatch", kern_row, kern_cols);
	rocpd_source(r, set, EV_COPY, "rocpd_memory_copy", copy_row, copy_cols);
	rocpd_source(
	    r, set, EV_MEM, "rocpd_memory_allocate", mem_row, mem_cols);
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
	struct map used = { 0 };
	sqlite3_stmt *st, *put;
	const char *table;
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
		table = table_of(r, (int)i, "rocpd_info_process");
		if (!db_has_column(r->db, table, "pid"))
			continue;
		st = db_prepare(r->db, "SELECT id, pid FROM %s", table);
		while (db_step(st)) {
			if (db_i64(st, 0) < 0 || db_i64(st, 1) < 0)
				continue;
			pid = own_pid(&used, db_i64(st, 1));
			sqlite3_bind_int64(
			    put, 1, (int64_t)row_key(r, (int)i, db_i64(st, 0)));
			sqlite3_bind_int64(put, 2, pid);
			*map_put(&r->pids, row_key(r, (int)i, db_i64(st, 0)),
			    NULL) = (uint64_t)pid;
			db_step(put);
			sqlite3_reset(put);
		}
		sqlite3_finalize(st);
	}
	sqlite3_finalize(put);
	map_free(&used);
}

/* The rows of a table of a set, with these columns (NULL at the end), by the
 * first one; NULL if it does not have the column that is needed. The caller
 * finalizes it. */
static sqlite3_stmt *
rows_of(struct rocpd *r, int set, const char *base, const char *need,
    const char *const *names)
{
	const char *table = table_of(r, set, base);
	sqlite3_stmt *st;
	char *cols;

	if (!db_has_column(r->db, table, need))
		return NULL;
	cols = db_cols(r->db, table, names);
	st = db_prepare(r->db, "SELECT %s FROM %s ORDER BY 1", cols, table);
	free(cols);
	return st;
}

/* The number at the end of "Stream 4"; the row's own if there is none. */
static void
read_numbers(struct rocpd *r, int set, const char *base, struct map *m)
{
	static const char *const names[] = { "id", "name", NULL };
	sqlite3_stmt *st = rows_of(r, set, base, "id", names);
	const char *s, *e;
	int64_t n;

	while (st != NULL && db_step(st)) {
		s = (const char *)sqlite3_column_text(st, 1);
		e = s != NULL ? s + strlen(s) : NULL;
		while (e > s && isdigit((unsigned char)e[-1]))
			e--;
		if (s == NULL || !num_i64(e, strlen(e), &n))
			n = db_i64(st, 0);
		if (db_i64(st, 0) >= 0 && n >= 0)
			*map_put(m, row_key(r, set, db_i64(st, 0)), NULL) =
			    (uint64_t)n + 1;
	}
	sqlite3_finalize(st);
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

/* The text by which a machine differs from others. */
static void
put_machine(struct rocpd *r, int set, int64_t nid, struct buf *out)
{
	const char *table = table_of(r, set, "rocpd_info_node");
	sqlite3_stmt *st;

	if (!db_has_column(r->db, table, "machine_id") || nid == EV_UNSET)
		return;
	st = db_prepare(r->db, "SELECT machine_id FROM %s WHERE id = %lld",
	    table, (long long)nid);
	if (db_step(st) && sqlite3_column_type(st, 0) != SQLITE_NULL)
		buf_puts(out, (const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
}

/* The number of a GPU is that among the visible GPUs, as HIP counts. Where two
 * processes see different GPUs under one number, the second one gets the next
 * number that is free. */
static int64_t
device_number(struct rocpd *r, int set, sqlite3_stmt *st, bool *is_new)
{
	int64_t n = db_i64(st, AGENT_INDEX);
	struct buf key = { 0 };
	bool is_free;
	uint32_t no;

	if (n == EV_UNSET || n < 0)
		n = 0;
	put_machine(r, set, db_i64(st, AGENT_NID), &key);
	buf_printf(&key, "\n%" PRId64, db_i64(st, AGENT_ABSOLUTE));
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

	while (st != NULL && db_step(st)) {
		type = (const char *)sqlite3_column_text(st, AGENT_TYPE);
		if (type == NULL || strcmp(type, "GPU") != 0 ||
		    db_i64(st, AGENT_ID) < 0)
			continue;
		dev = device_number(r, set, st, &is_new);
		*map_put(&r->devs, row_key(r, set, db_i64(st, AGENT_ID)),
		    NULL) = (uint64_t)dev + 1;
		if (put != NULL && is_new)
			put(r, dev, st);
	}
	sqlite3_finalize(st);
}

static int
hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0'
	       : c >= 'a' && c <= 'f'    ? c - 'a' + 10
					 : -1;
}

/* gfx942 is 9.4, gfx90a 9.0, gfx1100 11.0: the last digit is the stepping. */
static void
put_arch(struct dev_fact *f, const char *name)
{
	size_t n = name != NULL ? strlen(name) : 0;

	f->cc_major = f->cc_minor = EV_UNSET;
	if (n < 6 || strncmp(name, "gfx", 3) != 0 ||
	    hex_digit(name[n - 2]) < 0 ||
	    !num_i64(name + 3, n - 5, &f->cc_major))
		return;
	f->cc_minor = hex_digit(name[n - 2]);
}

static void
put_device(struct rocpd *r, int64_t dev, sqlite3_stmt *st)
{
	const char *product =
	    (const char *)sqlite3_column_text(st, AGENT_PRODUCT);
	const char *model = (const char *)sqlite3_column_text(st, AGENT_MODEL);
	const char *arch = (const char *)sqlite3_column_text(st, AGENT_NAME);
	const char *more = (const char *)sqlite3_column_text(st, AGENT_EXTDATA);
	struct dev_fact f = { .dev = dev, .n_sm = EV_UNSET };
	int64_t mhz;

	f.clock_hz = f.mem_bytes = f.membw_bytes_s = EV_UNSET;
	f.name = product != NULL && product[0] != '\0' ? product
		 : model != NULL && model[0] != '\0'   ? model
						       : arch;
	put_arch(&f, arch);
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

static bool
plain_name(const char *s)
{
	return s[strspn(s, "abcdefghijklmnopqrstuvwxyz"
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
}

static void
add_set(struct rocpd *r, const char *suffix)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (strcmp(r->set[i].suffix, suffix) == 0)
			return;
	ARRAY_GROW(r->set, r->n, r->cap);
	memset(&r->set[r->n], 0, sizeof(r->set[0]));
	r->set[r->n++].suffix = word(r, suffix);
}

static void
find_sets(struct rocpd *r)
{
	sqlite3_stmt *st;
	const char *s;
	size_t i, n;

	for (i = 0; i < ARRAY_LEN(event_tables); i++) {
		n = strlen(event_tables[i]);
		st = db_prepare(r->db,
		    "SELECT name FROM sqlite_master WHERE type = 'table' AND"
		    " name GLOB '%s*' ORDER BY rowid",
		    event_tables[i]);
		while (db_step(st)) {
			s = (const char *)sqlite3_column_text(st, 0);
			if (plain_name(s) && (s[n] == '\0' || s[n] == '_'))
				add_set(r, s + n);
		}
		sqlite3_finalize(st);
	}
}

/* The value of a tag in a set's metadata. The caller frees it. */
static char *
metadata(struct rocpd *r, int set, const char *tag)
{
	const char *table = table_of(r, set, "rocpd_metadata");
	sqlite3_stmt *st;
	char *text = NULL;

	if (!db_has_column(r->db, table, "tag") ||
	    !db_has_column(r->db, table, "value"))
		return NULL;
	st = db_prepare(
	    r->db, "SELECT value FROM %s WHERE tag = '%s'", table, tag);
	if (db_step(st) && sqlite3_column_type(st, 0) != SQLITE_NULL)
		text = xstrdup((const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	return text;
}

static void
check_version(struct rocpd *r, int set)
{
	char *version = metadata(r, set, "schema_version");
	char *packed = metadata(r, set, "compression");

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
}

static void
find_origin(struct rocpd *r)
{
	const char *table;
	sqlite3_stmt *st;
	size_t i, k;

	r->t0 = EV_UNSET;
	for (i = 0; i < r->n; i++)
		for (k = 0; k < ARRAY_LEN(event_tables); k++) {
			table = table_of(r, (int)i, event_tables[k]);
			if (!db_has_column(r->db, table, "start"))
				continue;
			st = db_prepare(r->db,
			    "SELECT min(start) FROM %s WHERE typeof(start) ="
			    " 'integer'",
			    table);
			if (db_step(st) && db_i64(st, 0) != EV_UNSET &&
			    (r->t0 == EV_UNSET || db_i64(st, 0) < r->t0))
				r->t0 = db_i64(st, 0);
			sqlite3_finalize(st);
		}
	if (r->t0 == EV_UNSET)
		r->t0 = 0;
}

/* The dialect. */

/* rocmProfileTools' rpd databases have some of the names. */
static int
rocpd_probe(sqlite3 *db)
{
	sqlite3_stmt *st = db_prepare(db,
	    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND"
	    " name GLOB 'rocpd_*'");
	int n = db_step(st) ? (int)db_i64(st, 0) : 0;

	sqlite3_finalize(st);
	return n;
}

static void
refuse_rpd(struct rocpd *r)
{
	if (db_has_table(r->db, "rocpd_op") && db_has_table(r->db, "rocpd_api"))
		die("%s: a trace of rocmProfileTools (rpd): record it with"
		    " rocprofv3 --output-format rocpd, or with torch.profiler",
		    db_path());
	if (r->n == 0)
		die("%s: a rocpd database without tables of events", db_path());
}

static void
open_set(struct rocpd *r, int set)
{
	struct rocpd_set *x = &r->set[set];
	const char *strings = table_of(r, set, "rocpd_string");
	const char *symbols = table_of(r, set, "rocpd_info_kernel_symbol");
	static const char *const names[] = { "display_name", "kernel_name",
		NULL };
	char *cols;

	check_version(r, set);
	if (db_has_column(r->db, strings, "id") &&
	    db_has_column(r->db, strings, "string"))
		x->string = db_prepare(
		    r->db, "SELECT string FROM %s WHERE id = ?1", strings);
	else
		warn("%s: no table %s: names and texts are unknown", db_path(),
		    strings);
	if (db_has_column(r->db, symbols, "id")) {
		cols = db_cols(r->db, symbols, names);
		x->symbol = db_prepare(
		    r->db, "SELECT %s FROM %s WHERE id = ?1", cols, symbols);
		free(cols);
	}
	read_agents(r, set, NULL);
	read_numbers(r, set, "rocpd_info_stream", &r->streams);
	read_numbers(r, set, "rocpd_info_queue", &r->queues);
}

static void *
rocpd_open(struct profile *p)
{
	struct rocpd *r = xcalloc(1, sizeof(*r));
	size_t i;

	r->prof = p;
	r->db = p->db;
	find_sets(r);
	refuse_rpd(r);
	for (i = 0; i < r->n; i++)
		open_set(r, (int)i);
	read_processes(r);
	find_origin(r);
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
		free(x->calls);
		free(x->libs);
		free(x->marks);
		free(x->ranges);
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

/* The symbol's name as people read it, or, of an old file that has no other,
 * its own. */
static bool
symbol_of(struct rocpd *r, int set, int64_t id, int kind, struct buf *out)
{
	sqlite3_stmt *st = r->set[set].symbol;
	int i = kind == TEXT_MANGLED ? 1 : 0;
	struct mview v = { NULL, 0 };

	if (st == NULL)
		return false;
	sqlite3_bind_int64(st, 1, id);
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

static bool
rocpd_string(void *ctx, int64_t id, struct buf *out)
{
	struct rocpd *r = ctx;
	uint64_t key = (uint64_t)id / TEXT_KINDS;
	int kind = (int)((uint64_t)id % TEXT_KINDS), set = (int)(key % r->n);

	if (id < 0)
		return false;
	if (kind == TEXT_STRING)
		return string_of(r, set, (int64_t)(key / r->n), out);
	return symbol_of(r, set, (int64_t)(key / r->n), kind, out);
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

	while (st != NULL && db_step(st)) {
		pid = map_get(&r->pids, row_key(r, set, db_i64(st, 0)));
		name = (const char *)sqlite3_column_text(st, 1);
		if (pid != NULL && name != NULL)
			fact_proc(r->prof, (int64_t)*pid, name);
	}
	sqlite3_finalize(st);
}

static void
put_threads(struct rocpd *r, int set)
{
	static const char *const names[] = { "pid", "tid", "name", NULL };
	sqlite3_stmt *st = rows_of(r, set, "rocpd_info_thread", "pid", names);
	const uint64_t *pid;
	const char *name;

	while (st != NULL && db_step(st)) {
		pid = map_get(&r->pids, row_key(r, set, db_i64(st, 0)));
		name = (const char *)sqlite3_column_text(st, 2);
		if (pid != NULL && name != NULL && name[0] != '\0' &&
		    db_i64(st, 1) != EV_UNSET)
			fact_thread(r->prof, (int64_t)*pid, db_i64(st, 1), name,
			    EV_UNSET);
	}
	sqlite3_finalize(st);
}

static void
rocpd_facts(void *ctx)
{
	struct rocpd *r = ctx;
	char *version = metadata(r, 0, "schema_version");
	size_t i;

	if (version != NULL)
		fact_info(r->prof, "schema", "%s", version);
	fact_info(r->prof, "t0_ns", "%lld", (long long)r->t0);
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
	switch (kind) {
	case EV_KERN:
		return "--kernel-trace";
	case EV_RANGE:
	case EV_MARK:
		return "--marker-trace";
	case EV_CALL:
		return "--hip-trace";
	case EV_COPY:
		return "--memory-copy-trace";
	case EV_MEM:
		return "--memory-allocation-trace";
	case EV_LIB:
		return "--rccl-trace";
	default:
		return NULL;
	}
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
