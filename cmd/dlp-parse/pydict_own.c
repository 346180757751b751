/*
 * Lines of a .dict with the profile's own times go to a temporary database of
 * ranges (r), nodes of graphs (n) and kernels (k), and from there to records in
 * the order of time. All failures are fatal.
 */
#include <sqlite3.h>
#include <string.h>

#include "emit.h"
#include "err.h"
#include "num.h"
#include "profile.h"
#include "pydict.h"
#include "pylit_json.h"
#include "sqldb.h"

/* The columns of k. */
enum {
	K_T,
	K_PID,
	K_TID,
	K_IDX,
	K_START,
	K_DUR,
	K_API,
	K_API_DUR,
	K_DEV,
	K_STREAM,
	K_GRID,
	K_BLOCK = K_GRID + 3,
	K_SHORT = K_BLOCK + 3,
	K_NAME,
	K_NODE
};

/* A range is repeated in the lines of all kernels that were launched in it, a
 * graph node in those of all its replays. */
static const char own_schema[] =
    "CREATE TABLE r (pid, tid, t, e, text, UNIQUE (pid, tid, t, e, text));"
    "CREATE TABLE n (pid, tid, t, node, UNIQUE (pid, node));"
    "CREATE TABLE k (t, pid, tid, idx, start, dur, api, api_dur, dev, stream,"
    " g0, g1, g2, b0, b1, b2, short, name, node)";
static const char put_r[] = "INSERT OR IGNORE INTO r VALUES (?,?,?,?,?)";
static const char put_n[] = "INSERT OR IGNORE INTO n VALUES (?,?,?,?)";
static const char put_k[] =
    "INSERT INTO k VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";

static void
own_ok(const struct dict_own *o, int rc)
{
	if (rc != SQLITE_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		die("a temporary database: %s", sqlite3_errmsg(o->db));
}

static sqlite3_stmt *
own_statement(const struct dict_own *o, const char *sql)
{
	sqlite3_stmt *st;

	own_ok(o, sqlite3_prepare_v2(o->db, sql, -1, &st, NULL));
	return st;
}

static void
own_open(struct dict_own *o)
{
	if (o->db != NULL)
		return;
	own_ok(o, sqldb_temp(&o->db));
	own_ok(o, sqlite3_exec(o->db, own_schema, NULL, NULL, NULL));
	own_ok(o, sqlite3_exec(o->db, "BEGIN", NULL, NULL, NULL));
	o->range = own_statement(o, put_r);
	o->kernel = own_statement(o, put_k);
	o->node = own_statement(o, put_n);
}

static void
own_close(struct dict_own *o)
{
	own_ok(o, sqlite3_finalize(o->range));
	own_ok(o, sqlite3_finalize(o->kernel));
	own_ok(o, sqlite3_finalize(o->node));
	own_ok(o, sqlite3_close(o->db));
	buf_free(&o->text);
	memset(o, 0, sizeof(*o));
}

static void
st_ok(sqlite3_stmt *st, int rc)
{
	if (rc != SQLITE_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		die("a temporary database: %s",
		    sqlite3_errmsg(sqlite3_db_handle(st)));
}

static void
bind_num(sqlite3_stmt *st, int i, int64_t v)
{
	st_ok(st, v == EV_UNSET ? sqlite3_bind_null(st, i + 1)
				: sqlite3_bind_int64(st, i + 1, v));
}

static void
bind_text(sqlite3_stmt *st, int i, const struct buf *b)
{
	st_ok(st, sqlite3_bind_blob64(st, i + 1, b->len > 0 ? b->s : "", b->len,
		      SQLITE_STATIC));
}

static void
insert_row(sqlite3_stmt *st)
{
	st_ok(st, sqlite3_step(st));
	st_ok(st, sqlite3_reset(st));
}

static bool
next_num(struct pylit *l, int64_t *v)
{
	struct pl_atom a;

	*v = EV_UNSET;
	if (!pyrow_item(l, &a) || a.kind == PL_STR)
		return false;
	return a.kind == PL_WORD || num_i64(a.raw.s, a.raw.n, v);
}

static bool
next_text(struct pylit *l, struct buf *b)
{
	struct pl_atom a;

	buf_clear(b);
	if (!pyrow_item(l, &a) || a.kind != PL_STR)
		return false;
	pl_text(&a, b);
	return true;
}

/* START, END, TEXT of each range; PID, TID precede them if loose is set. */
static void
add_ranges(
    struct dict_own *o, struct pylit *l, int64_t pid, int64_t tid, bool loose)
{
	int64_t start, end;

	while ((!loose || (next_num(l, &pid) && next_num(l, &tid))) &&
	       next_num(l, &start) && next_num(l, &end) &&
	       next_text(l, &o->text)) {
		bind_num(o->range, 0, pid);
		bind_num(o->range, 1, tid);
		bind_num(o->range, 2, start);
		bind_num(o->range, 3, end);
		bind_text(o->range, 4, &o->text);
		insert_row(o->range);
	}
}

/* The graph node as which a kernel was captured: NODE, TID, TIME. */
static int64_t
add_node(struct dict_own *o, struct mview value, int64_t pid)
{
	struct pylit l;
	int64_t node, tid, t;

	if (value.s == NULL)
		return EV_UNSET;
	pyrow_list(&l, value);
	if (!next_num(&l, &node) || !next_num(&l, &tid) || !next_num(&l, &t))
		return EV_UNSET;
	bind_num(o->node, 0, pid);
	bind_num(o->node, 1, tid);
	bind_num(o->node, 2, t);
	bind_num(o->node, 3, node);
	insert_row(o->node);
	return node;
}

bool
dict_own_add(struct dict_own *o, const struct dict_line *d)
{
	int64_t idx, pid, start, api, api_dur;
	struct pylit l;
	int i;

	pyrow_list(&l, d->own);
	if (!next_num(&l, &idx) || !next_num(&l, &pid) ||
	    !next_num(&l, &start) || start == EV_UNSET || !next_num(&l, &api) ||
	    !next_num(&l, &api_dur) || !next_text(&l, &o->text))
		return false;
	own_open(o);
	bind_num(o->kernel, K_T, api != EV_UNSET ? api : start);
	bind_num(o->kernel, K_PID, pid);
	bind_num(o->kernel, K_TID, d->tid);
	bind_num(o->kernel, K_IDX, idx);
	bind_num(o->kernel, K_START, start);
	bind_num(o->kernel, K_DUR, d->dur);
	bind_num(o->kernel, K_API, api);
	bind_num(o->kernel, K_API_DUR, api_dur);
	bind_num(o->kernel, K_DEV, d->dev);
	bind_num(o->kernel, K_STREAM, d->stream);
	for (i = 0; i < 3; i++) {
		bind_num(o->kernel, K_GRID + i, d->grid[i]);
		bind_num(o->kernel, K_BLOCK + i, d->block[i]);
	}
	bind_text(o->kernel, K_SHORT, &o->text);
	bind_text(o->kernel, K_NAME, &d->name);
	bind_num(o->kernel, K_NODE, add_node(o, d->node, pid));
	insert_row(o->kernel);
	add_ranges(o, &l, pid, d->tid, false);
	pyrow_list(&l, d->ranges);
	add_ranges(o, &l, pid, d->tid, true);
	return true;
}

/* In the order in which dlp-parse writes them: outer ranges before inner ones.
 */
enum { IS_RANGE, IS_NODE, IS_KERNEL };
static const char sorted[] =
    "SELECT t, 0 AS kind, -e AS o, rowid AS n, pid, tid, e, text FROM r "
    "UNION ALL SELECT t, 1, 0, rowid, pid, tid, node, NULL FROM n "
    "UNION ALL SELECT t, 2, 0, rowid, pid, tid, 0, NULL FROM k "
    "ORDER BY 1, 2, 3, 4";
static const char one_k[] = "SELECT * FROM k WHERE rowid = ?";

static int64_t
col_num(sqlite3_stmt *st, int i)
{
	return sqlite3_column_type(st, i) == SQLITE_NULL
		   ? EV_UNSET
		   : sqlite3_column_int64(st, i);
}

static int64_t
name_id(struct smap *names, sqlite3_stmt *st, int i)
{
	const char *s = sqlite3_column_blob(st, i);
	size_t n = (size_t)sqlite3_column_bytes(st, i);

	if (n == 0)
		return EV_UNSET;
	return (int64_t)smap_put(names, s, n, NULL);
}

static void
put_own_range(struct profile *p, sqlite3_stmt *st, int64_t from)
{
	struct event ev;

	memset(&ev, 0, sizeof(ev));
	ev.kind = EV_RANGE;
	ev.start = num_add(col_num(st, 0), from);
	ev.pid = col_num(st, 4);
	ev.tid = col_num(st, 5);
	ev.end = num_add(col_num(st, 6), from);
	ev.name = ev.corr = EV_UNSET;
	ev.text = sqlite3_column_blob(st, 7);
	ev.text_len = (uint32_t)sqlite3_column_bytes(st, 7);
	if (ev.text == NULL)
		ev.text = "";
	ev.range.domain = "";
	ev.range.end_tid = EV_UNSET;
	ev.range.push = true;
	emit_event(p, &ev);
}

static void
put_own_node(struct profile *p, sqlite3_stmt *st, int64_t from)
{
	struct event ev;

	memset(&ev, 0, sizeof(ev));
	ev.kind = EV_NODE;
	ev.start = ev.end = num_add(col_num(st, 0), from);
	ev.pid = col_num(st, 4);
	ev.tid = col_num(st, 5);
	ev.name = ev.corr = ev.node.orig = EV_UNSET;
	ev.node.node = col_num(st, 6);
	emit_event(p, &ev);
}

static void
read_kernel(
    struct event *ev, sqlite3_stmt *st, struct smap *names, int64_t from)
{
	int i;

	memset(ev, 0, sizeof(*ev));
	ev->kind = EV_KERN;
	ev->start = num_add(col_num(st, K_START), from);
	ev->end = num_add(ev->start, col_num(st, K_DUR));
	ev->pid = col_num(st, K_PID);
	ev->tid = col_num(st, K_TID);
	ev->corr = ev->gpu.ctx = EV_UNSET;
	ev->gpu.node = col_num(st, K_NODE);
	ev->name = name_id(names, st, K_NAME);
	ev->gpu.dev = col_num(st, K_DEV);
	ev->gpu.stream = col_num(st, K_STREAM);
	ev->gpu.kern.short_name = name_id(names, st, K_SHORT);
	ev->gpu.kern.mangled = EV_UNSET;
	for (i = 0; i < 3; i++) {
		ev->gpu.kern.grid[i] = col_num(st, K_GRID + i);
		ev->gpu.kern.block[i] = col_num(st, K_BLOCK + i);
	}
	ev->gpu.kern.regs = ev->gpu.kern.smem = EV_UNSET;
	ev->gpu.kern.dynsmem = EV_UNSET;
	ev->row = col_num(st, K_IDX);
}

static void
put_own_kernel(
    struct profile *p, sqlite3_stmt *st, struct smap *names, int64_t from)
{
	struct event ev, call;
	int64_t dur = col_num(st, K_API_DUR);

	read_kernel(&ev, st, names, from);
	if (col_num(st, K_API) == EV_UNSET) {
		emit_gpu(p, &ev, NULL, true);
		return;
	}
	call = ev;
	call.kind = EV_CALL;
	call.start = num_add(col_num(st, K_API), from);
	call.end = dur != EV_UNSET ? num_add(call.start, dur) : EV_UNSET;
	call.name = EV_UNSET;
	emit_gpu(p, &ev, &call, false);
}

void
dict_own_emit(
    struct dict_own *o, struct profile *p, struct smap *names, int64_t from)
{
	sqlite3_stmt *st, *k;

	if (o->db == NULL)
		return;
	st = own_statement(o, sorted);
	k = own_statement(o, one_k);
	while (sqlite3_step(st) == SQLITE_ROW) {
		if (col_num(st, 1) == IS_RANGE) {
			put_own_range(p, st, from);
			continue;
		}
		if (col_num(st, 1) == IS_NODE) {
			put_own_node(p, st, from);
			continue;
		}
		own_ok(o, sqlite3_bind_int64(k, 1, col_num(st, 3)));
		own_ok(o, sqlite3_step(k));
		put_own_kernel(p, k, names, from);
		own_ok(o, sqlite3_reset(k));
	}
	own_ok(o, sqlite3_finalize(k));
	own_ok(o, sqlite3_finalize(st));
	own_close(o);
}
