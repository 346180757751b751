/* See dict_own.h. */
#include "dict_own.h"

#include <sqlite3.h>

#include "emit.h"
#include "emit_gpu.h"
#include "err.h"
#include "num.h"
#include "pylit_json.h"
#include "pyrow.h"
#include "sqldb.h"

/* A range is in the lines of all kernels that were launched in it, the node of
 * a graph in those of all its replays. */
static const char schema[] =
    "CREATE TABLE r (pid, tid, t, e, text, UNIQUE (pid, tid, t, e, text));"
    "CREATE TABLE n (pid, tid, t, node, UNIQUE (pid, node));"
    "CREATE TABLE k (t, pid, tid, idx, start, dur, api, api_dur, dev, stream,"
    " g0, g1, g2, b0, b1, b2, short, name, node)";
static const char put_r[] = "INSERT OR IGNORE INTO r VALUES (?,?,?,?,?)";
static const char put_n[] = "INSERT OR IGNORE INTO n VALUES (?,?,?,?)";
static const char put_k[] =
    "INSERT INTO k VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
/* As dlp-parse writes them: outer ranges before inner ones. */
enum { IS_RANGE, IS_NODE, IS_KERNEL };
static const char sorted[] =
    "SELECT t, 0 AS kind, -e AS o, rowid AS n, pid, tid, e, text FROM r "
    "UNION ALL SELECT t, 1, 0, rowid, pid, tid, node, NULL FROM n "
    "UNION ALL SELECT t, 2, 0, rowid, pid, tid, 0, NULL FROM k "
    "ORDER BY 1, 2, 3, 4";
static const char one_k[] = "SELECT * FROM k WHERE rowid = ?";

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

static sqlite3 *db;
static sqlite3_stmt *ins_r, *ins_k, *ins_n;

static void
ok(int rc)
{
	if (rc != SQLITE_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		die("a temporary database: %s", sqlite3_errmsg(db));
}

static sqlite3_stmt *
statement(const char *sql)
{
	sqlite3_stmt *st;

	ok(sqlite3_prepare_v2(db, sql, -1, &st, NULL));
	return st;
}

static void
begin(void)
{
	if (db != NULL)
		return;
	ok(sqldb_temp(&db));
	ok(sqlite3_exec(db, schema, NULL, NULL, NULL));
	ok(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL));
	ins_r = statement(put_r);
	ins_k = statement(put_k);
	ins_n = statement(put_n);
}

static void
bind(sqlite3_stmt *st, int i, int64_t v)
{
	ok(v == EV_UNSET ? sqlite3_bind_null(st, i + 1)
			 : sqlite3_bind_int64(st, i + 1, v));
}

static void
bind_text(sqlite3_stmt *st, int i, const struct buf *b)
{
	ok(sqlite3_bind_blob64(
	    st, i + 1, b->len > 0 ? b->s : "", b->len, SQLITE_STATIC));
}

static void
insert(sqlite3_stmt *st)
{
	ok(sqlite3_step(st));
	ok(sqlite3_reset(st));
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

/* START, END, TEXT of each; loose: PID, TID before them. */
static void
add_ranges(struct pylit *l, int64_t pid, int64_t tid, bool loose)
{
	static struct buf text;
	int64_t start, end;

	while ((!loose || (next_num(l, &pid) && next_num(l, &tid))) &&
	       next_num(l, &start) && next_num(l, &end) &&
	       next_text(l, &text)) {
		bind(ins_r, 0, pid);
		bind(ins_r, 1, tid);
		bind(ins_r, 2, start);
		bind(ins_r, 3, end);
		bind_text(ins_r, 4, &text);
		insert(ins_r);
	}
}

/* The node that a graph's kernel was captured as: NODE, TID, TIME. */
static int64_t
add_node(struct mview value, int64_t pid)
{
	struct pylit l;
	int64_t node, tid, t;

	if (value.s == NULL)
		return EV_UNSET;
	pyrow_list(&l, value);
	if (!next_num(&l, &node) || !next_num(&l, &tid) || !next_num(&l, &t))
		return EV_UNSET;
	bind(ins_n, 0, pid);
	bind(ins_n, 1, tid);
	bind(ins_n, 2, t);
	bind(ins_n, 3, node);
	insert(ins_n);
	return node;
}

bool
dict_own_add(const struct dict_line *d)
{
	static struct buf text;
	int64_t idx, pid, start, api, api_dur;
	struct pylit l;
	int i;

	pyrow_list(&l, d->own);
	if (!next_num(&l, &idx) || !next_num(&l, &pid) ||
	    !next_num(&l, &start) || start == EV_UNSET || !next_num(&l, &api) ||
	    !next_num(&l, &api_dur) || !next_text(&l, &text))
		return false;
	begin();
	bind(ins_k, K_T, api != EV_UNSET ? api : start);
	bind(ins_k, K_PID, pid);
	bind(ins_k, K_TID, d->tid);
	bind(ins_k, K_IDX, idx);
	bind(ins_k, K_START, start);
	bind(ins_k, K_DUR, d->dur);
	bind(ins_k, K_API, api);
	bind(ins_k, K_API_DUR, api_dur);
	bind(ins_k, K_DEV, d->dev);
	bind(ins_k, K_STREAM, d->stream);
	for (i = 0; i < 3; i++) {
		bind(ins_k, K_GRID + i, d->grid[i]);
		bind(ins_k, K_BLOCK + i, d->block[i]);
	}
	bind_text(ins_k, K_SHORT, &text);
	bind_text(ins_k, K_NAME, &d->name);
	bind(ins_k, K_NODE, add_node(d->node, pid));
	insert(ins_k);
	add_ranges(&l, pid, d->tid, false);
	pyrow_list(&l, d->ranges);
	add_ranges(&l, pid, d->tid, true);
	return true;
}

static int64_t
num(sqlite3_stmt *st, int i)
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
put_range(struct profile *p, sqlite3_stmt *st, int64_t from)
{
	struct event ev;

	memset(&ev, 0, sizeof(ev));
	ev.kind = EV_RANGE;
	ev.start = num_add(num(st, 0), from);
	ev.pid = num(st, 4);
	ev.tid = num(st, 5);
	ev.end = num_add(num(st, 6), from);
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
put_node(struct profile *p, sqlite3_stmt *st, int64_t from)
{
	struct event ev;

	memset(&ev, 0, sizeof(ev));
	ev.kind = EV_NODE;
	ev.start = ev.end = num_add(num(st, 0), from);
	ev.pid = num(st, 4);
	ev.tid = num(st, 5);
	ev.name = ev.corr = ev.node.orig = EV_UNSET;
	ev.node.node = num(st, 6);
	emit_event(p, &ev);
}

static void
fill(struct event *ev, sqlite3_stmt *st, struct smap *names, int64_t from)
{
	int i;

	memset(ev, 0, sizeof(*ev));
	ev->kind = EV_KERN;
	ev->start = num_add(num(st, K_START), from);
	ev->end = num_add(ev->start, num(st, K_DUR));
	ev->pid = num(st, K_PID);
	ev->tid = num(st, K_TID);
	ev->corr = ev->gpu.ctx = EV_UNSET;
	ev->gpu.node = num(st, K_NODE);
	ev->name = name_id(names, st, K_NAME);
	ev->gpu.dev = num(st, K_DEV);
	ev->gpu.stream = num(st, K_STREAM);
	ev->gpu.kern.short_name = name_id(names, st, K_SHORT);
	ev->gpu.kern.mangled = EV_UNSET;
	for (i = 0; i < 3; i++) {
		ev->gpu.kern.grid[i] = num(st, K_GRID + i);
		ev->gpu.kern.block[i] = num(st, K_BLOCK + i);
	}
	ev->gpu.kern.regs = ev->gpu.kern.smem = EV_UNSET;
	ev->gpu.kern.dynsmem = EV_UNSET;
	ev->row = num(st, K_IDX);
}

static void
put_kernel(
    struct profile *p, sqlite3_stmt *st, struct smap *names, int64_t from)
{
	struct event ev, call;
	int64_t dur = num(st, K_API_DUR);

	fill(&ev, st, names, from);
	if (num(st, K_API) == EV_UNSET) {
		emit_gpu(p, &ev, NULL, true);
		return;
	}
	call = ev;
	call.kind = EV_CALL;
	call.start = num_add(num(st, K_API), from);
	call.end = dur != EV_UNSET ? num_add(call.start, dur) : EV_UNSET;
	call.name = EV_UNSET;
	emit_gpu(p, &ev, &call, false);
}

void
dict_own_emit(struct profile *p, struct smap *names, int64_t from)
{
	sqlite3_stmt *st, *k;

	if (db == NULL)
		return;
	st = statement(sorted);
	k = statement(one_k);
	while (sqlite3_step(st) == SQLITE_ROW) {
		if (num(st, 1) == IS_RANGE) {
			put_range(p, st, from);
			continue;
		}
		if (num(st, 1) == IS_NODE) {
			put_node(p, st, from);
			continue;
		}
		ok(sqlite3_bind_int64(k, 1, num(st, 3)));
		ok(sqlite3_step(k));
		put_kernel(p, k, names, from);
		ok(sqlite3_reset(k));
	}
	ok(sqlite3_finalize(k));
	ok(sqlite3_finalize(st));
	ok(sqlite3_finalize(ins_r));
	ok(sqlite3_finalize(ins_k));
	ok(sqlite3_finalize(ins_n));
	ok(sqlite3_close(db));
	db = NULL;
}
