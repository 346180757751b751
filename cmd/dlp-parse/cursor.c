/*
 * One table's events in start order. Tables stand in that order but for
 * single rows; the first pass said how far those are off, and just so many
 * rows are kept back in a heap.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ahead.h"
#include "buf.h"
#include "cursor.h"
#include "err.h"
#include "num.h"
#include "schema.h"
#include "sqldb.h"

static const char *
key_of(const struct cursor *c)
{
	return c->src->key ? c->src->key : "rowid";
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
make_event(const struct cursor *c, sqlite3_value **col, struct event *ev)
{
	clear(ev, c->src->kind);
	if (!c->src->row(c->ctx, c->src, col, ev))
		return false;
	if (c->shift != 0)
		move(ev, c->shift);
	return true;
}

/* The text is the row's own: it is copied. */
static void
keep_text(struct batch *b, const struct event *ev)
{
	b->text_at[b->n] = b->text.len;
	if (ev->text != NULL)
		buf_put(&b->text, ev->text, ev->text_len);
}

/* The SQL function of the table's cursor, called with the columns of each
 * row. It is true when the batch is full, so that only then a row is handed
 * out, and the statement waits. */
static void
put_row(sqlite3_context *sql, int n, sqlite3_value **col)
{
	struct cursor *c = sqlite3_user_data(sql);
	struct batch *b = c->fill;
	struct event *ev = &b->ev[b->n];

	(void)n;
	c->row++;
	if (!make_event(c, col, ev))
		return;
	ev->row = (int64_t)c->row;
	b->key[b->n] = c->src->keyless ? 0 : sqlite3_value_int64(col[0]);
	keep_text(b, ev);
	b->n++;
	if (b->n == BATCH_ROWS || b->text.len >= BATCH_TEXT)
		sqlite3_result_int(sql, 1);
}

/* Rows are looked at where SQLite filters them, a batch at a time: a quarter
 * cheaper than handing each one out and asking for its columns. CASE,
 * because SQL may evaluate what AND joins in any order; no index, so that
 * the rows come in the order of their keys. */
static void
open_batches(struct cursor *c)
{
	/* a function cannot be put again while others are at work */
	static unsigned functions;
	const struct source *s = c->src;
	char name[32];

	c->batch = xcalloc(1, sizeof(*c->batch));
	snprintf(name, sizeof(name), "dlp_row_%u", functions++);
	if (sqlite3_create_function(c->db, name, -1,
		SQLITE_UTF8 | SQLITE_DIRECTONLY, c, put_row, NULL,
		NULL) != SQLITE_OK)
		die("%s: %s", db_path(), sqldb_error(c->db));
	c->st = db_prepare(c->db,
	    "SELECT 1 FROM %s NOT INDEXED WHERE %s%s%s %s(%s, %s) %s", s->from,
	    s->where ? "CASE WHEN " : "", s->where ? s->where : "",
	    s->where ? " THEN" : "", name, s->keyless ? "NULL" : "rowid",
	    s->cols, s->where ? "END" : "");
}

static sqlite3_stmt *
row_stmt(const struct cursor *c, const char *tail)
{
	const struct source *s = c->src;

	return db_prepare(c->db, "SELECT %s, %s FROM %s %s %s %s", key_of(c),
	    s->cols, s->from, s->where ? "WHERE" : "", s->where ? s->where : "",
	    tail);
}

void
cursor_open(struct cursor *c)
{
	const struct source *s = c->src;
	const char *end = s->end ? s->end : "NULL";
	struct buf b = { 0 };

	c->max_start = INT64_MIN;
	if (s->key == NULL && !c->order.sort) {
		open_batches(c);
		return;
	}
	buf_puts(&b, "ORDER BY ");
	if (c->order.sort)
		buf_printf(
		    &b, "%s, %s IS NULL DESC, %s DESC, ", s->start, end, end);
	buf_puts(&b, key_of(c));
	c->st = row_stmt(c, buf_str(&b));
	buf_free(&b);
}

/* The event of the statement's current row. */
static bool
row_event(const struct cursor *c, sqlite3_stmt *st, struct event *ev)
{
	sqlite3_value *col[CURSOR_COLS];
	int i, n = sqlite3_column_count(st);

	if (n > CURSOR_COLS)
		die("%s: too many columns", c->src->table);
	for (i = 0; i < n; i++)
		col[i] = sqlite3_column_value(st, i);
	return make_event(c, col, ev);
}

static bool
read_row(struct cursor *c, struct event *ev)
{
	while (db_step(c->st)) {
		c->row++;
		if (!row_event(c, c->st, ev))
			continue;
		c->key = sqlite3_column_int64(c->st, 0);
		ev->row = c->order.sort ? c->key : (int64_t)c->row;
		return true;
	}
	return false;
}

static void
fill(void *ctx, struct batch *b)
{
	struct cursor *c = ctx;

	if (b->text.cap > 4 * BATCH_TEXT)
		buf_free(&b->text);
	buf_clear(&b->text);
	b->n = b->next = 0;
	c->fill = b;
	b->last = !db_step(c->st);
	buf_str(&b->text);
}

static void
free_batch(struct cursor *c)
{
	if (c->batch != NULL)
		buf_free(&c->batch->text);
	free(c->batch);
	c->batch = NULL;
}

void
cursor_ahead(struct cursor *c)
{
	struct batch *first;

	if (c->batch == NULL)
		return;
	c->ahead = ahead_begin(fill, c, &first);
	if (c->ahead == NULL)
		return;
	free_batch(c);
	c->batch = first;
}

static bool
read_batch(struct cursor *c, struct event *ev)
{
	struct batch *b = c->batch;

	if (b->next == b->n) {
		if (b->last)
			return false;
		if (c->ahead != NULL)
			b = c->batch = ahead_next(c->ahead);
		else
			fill(c, b);
		if (b->n == 0)
			return false;
	}
	*ev = b->ev[b->next];
	if (ev->text != NULL)
		ev->text = b->text.s + b->text_at[b->next];
	c->key = b->key[b->next++];
	return true;
}

bool
cursor_read(struct cursor *c, struct event *ev)
{
	c->end = !(c->batch != NULL ? read_batch(c, ev) : read_row(c, ev));
	if (!c->end && ev->start > c->max_start)
		c->max_start = ev->start;
	return !c->end;
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
	struct buf b = { 0 };
	bool ok;

	if (c->by_key == NULL) {
		buf_printf(&b, "%s %s = ?1", c->src->where ? "AND" : "WHERE",
		    key_of(c));
		c->by_key = row_stmt(c, buf_str(&b));
		buf_free(&b);
	}
	sqlite3_bind_int64(c->by_key, 1, key);
	ok = db_step(c->by_key) && row_event(c, c->by_key, ev);
	sqlite3_reset(c->by_key);
	return ok;
}

void
cursor_close(struct cursor *c)
{
	if (c->ahead != NULL) {
		ahead_end(c->ahead);
		c->ahead = NULL;
		c->batch = NULL;
	}
	free_batch(c);
	sqlite3_finalize(c->st);
	sqlite3_finalize(c->by_key);
	c->st = c->by_key = NULL;
	heap_free(&c->heap);
}
