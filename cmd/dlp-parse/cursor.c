/*
 * One table's events in start order. Tables stand in that order but for
 * single rows; the first pass said how far those are off, and just so many
 * rows are kept back in a heap. In a table that is in order nothing is
 * copied: the event points into the database's own row.
 */
#include <string.h>

#include "buf.h"
#include "cursor.h"
#include "num.h"
#include "schema.h"

static sqlite3_stmt *
row_stmt(const struct cursor *c, const char *tail)
{
	const struct source *s = c->src;

	return db_prepare(c->db, "SELECT %s, %s FROM %s %s %s %s",
	    s->key ? s->key : "rowid", s->cols, s->from,
	    s->where ? "WHERE" : "", s->where ? s->where : "", tail);
}

void
cursor_open(struct cursor *c)
{
	const struct source *s = c->src;
	struct buf b = { 0 };

	c->max_start = INT64_MIN;
	buf_puts(&b, "ORDER BY ");
	if (c->order.sort)
		buf_printf(&b, "%s, %s IS NULL DESC, %s DESC, ", s->start,
		    s->end ? s->end : "NULL", s->end ? s->end : "NULL");
	buf_puts(&b, s->key ? s->key : "rowid");
	c->st = row_stmt(c, buf_str(&b));
	buf_free(&b);
}

static void
clear(struct event *ev, enum ev_kind kind)
{
	memset(ev, 0, sizeof(*ev));
	ev->kind = kind;
	ev->start = ev->end = ev->pid = ev->tid = EV_UNSET;
	ev->corr = ev->name = ev->op = ev->nth = EV_UNSET;
}

static void
move(struct event *ev, int64_t shift)
{
	ev->start = num_add(ev->start, shift);
	if (ev->end != EV_UNSET)
		ev->end = num_add(ev->end, shift);
}

static bool
make_event(const struct cursor *c, sqlite3_stmt *st, struct event *ev)
{
	clear(ev, c->src->kind);
	if (!c->src->row(c->ctx, c->src, st, ev))
		return false;
	if (c->shift != 0)
		move(ev, c->shift);
	return true;
}

int64_t
cursor_key(const struct cursor *c)
{
	return sqlite3_column_int64(c->st, 0);
}

bool
cursor_read(struct cursor *c, struct event *ev)
{
	while (db_step(c->st)) {
		c->row++;
		if (!make_event(c, c->st, ev))
			continue;
		ev->row = c->order.sort ? cursor_key(c) : (int64_t)c->row;
		if (ev->start > c->max_start)
			c->max_start = ev->start;
		return true;
	}
	c->end = true;
	return false;
}

void
cursor_next(struct cursor *c)
{
	if (c->order.back_rows == 0 || c->order.sort) {
		c->live = !c->end && cursor_read(c, &c->ev);
		return;
	}
	while (!c->end && c->heap.n <= c->order.back_rows)
		if (cursor_read(c, &c->ev))
			heap_put(&c->heap, &c->ev);
	c->live = c->heap.n > 0;
	if (c->live)
		c->ev = heap_take(&c->heap)->ev;
}

bool
cursor_again(struct cursor *c, int64_t key, struct event *ev)
{
	const char *name = c->src->key ? c->src->key : "rowid";
	struct buf b = { 0 };
	bool ok;

	if (c->by_key == NULL) {
		buf_printf(
		    &b, "%s %s = ?1", c->src->where ? "AND" : "WHERE", name);
		c->by_key = row_stmt(c, buf_str(&b));
		buf_free(&b);
	}
	sqlite3_bind_int64(c->by_key, 1, key);
	ok = db_step(c->by_key);
	if (ok)
		ok = make_event(c, c->by_key, ev);
	sqlite3_reset(c->by_key);
	return ok;
}

void
cursor_close(struct cursor *c)
{
	sqlite3_finalize(c->st);
	sqlite3_finalize(c->by_key);
	c->st = c->by_key = NULL;
	heap_free(&c->heap);
}
