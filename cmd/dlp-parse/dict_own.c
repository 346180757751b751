/* From lines to the temporary database; see dict_own.h. */
#include "dict_own.h"

#include "dict_own_db.h"
#include "event.h"
#include "num.h"
#include "pylit_json.h"
#include "pyrow.h"

static void
bind(sqlite3_stmt *st, int i, int64_t v)
{
	own_db_ok(v == EV_UNSET ? sqlite3_bind_null(st, i + 1)
				: sqlite3_bind_int64(st, i + 1, v));
}

static void
bind_text(sqlite3_stmt *st, int i, const struct buf *b)
{
	own_db_ok(sqlite3_bind_blob64(
	    st, i + 1, b->len > 0 ? b->s : "", b->len, SQLITE_STATIC));
}

static void
insert(sqlite3_stmt *st)
{
	own_db_ok(sqlite3_step(st));
	own_db_ok(sqlite3_reset(st));
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
		bind(own_db_r, 0, pid);
		bind(own_db_r, 1, tid);
		bind(own_db_r, 2, start);
		bind(own_db_r, 3, end);
		bind_text(own_db_r, 4, &text);
		insert(own_db_r);
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
	bind(own_db_n, 0, pid);
	bind(own_db_n, 1, tid);
	bind(own_db_n, 2, t);
	bind(own_db_n, 3, node);
	insert(own_db_n);
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
	own_db_open();
	bind(own_db_k, K_T, api != EV_UNSET ? api : start);
	bind(own_db_k, K_PID, pid);
	bind(own_db_k, K_TID, d->tid);
	bind(own_db_k, K_IDX, idx);
	bind(own_db_k, K_START, start);
	bind(own_db_k, K_DUR, d->dur);
	bind(own_db_k, K_API, api);
	bind(own_db_k, K_API_DUR, api_dur);
	bind(own_db_k, K_DEV, d->dev);
	bind(own_db_k, K_STREAM, d->stream);
	for (i = 0; i < 3; i++) {
		bind(own_db_k, K_GRID + i, d->grid[i]);
		bind(own_db_k, K_BLOCK + i, d->block[i]);
	}
	bind_text(own_db_k, K_SHORT, &text);
	bind_text(own_db_k, K_NAME, &d->name);
	bind(own_db_k, K_NODE, add_node(d->node, pid));
	insert(own_db_k);
	add_ranges(&l, pid, d->tid, false);
	pyrow_list(&l, d->ranges);
	add_ranges(&l, pid, d->tid, true);
	return true;
}
