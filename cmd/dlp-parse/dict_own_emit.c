/* From the temporary database to records; see dict_own.h. */
#include <string.h>

#include "dict_own.h"
#include "dict_own_db.h"
#include "emit.h"
#include "emit_gpu.h"
#include "num.h"

/* As dlp-parse writes them: outer ranges before inner ones. */
enum { IS_RANGE, IS_NODE, IS_KERNEL };
static const char sorted[] =
    "SELECT t, 0 AS kind, -e AS o, rowid AS n, pid, tid, e, text FROM r "
    "UNION ALL SELECT t, 1, 0, rowid, pid, tid, node, NULL FROM n "
    "UNION ALL SELECT t, 2, 0, rowid, pid, tid, 0, NULL FROM k "
    "ORDER BY 1, 2, 3, 4";
static const char one_k[] = "SELECT * FROM k WHERE rowid = ?";

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

	if (!own_db_is_open())
		return;
	st = own_db_statement(sorted);
	k = own_db_statement(one_k);
	while (sqlite3_step(st) == SQLITE_ROW) {
		if (num(st, 1) == IS_RANGE) {
			put_range(p, st, from);
			continue;
		}
		if (num(st, 1) == IS_NODE) {
			put_node(p, st, from);
			continue;
		}
		own_db_ok(sqlite3_bind_int64(k, 1, num(st, 3)));
		own_db_ok(sqlite3_step(k));
		put_kernel(p, k, names, from);
		own_db_ok(sqlite3_reset(k));
	}
	own_db_ok(sqlite3_finalize(k));
	own_db_ok(sqlite3_finalize(st));
	own_db_close();
}
