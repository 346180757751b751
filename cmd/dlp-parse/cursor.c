/*
 * Events that are kept back in a heap, and one table's events in start order.
 * Nearly all rows of a table are in that
 * order already. The first pass has found how far the others are out of order,
 * and the cursor keeps that many rows in a heap.
 *
 * Rows are read in batches. A second thread reads one of the tables, some
 * thousand rows ahead. That thread runs read_ahead(): it fills batches of the
 * ring, and may touch the cursor's src, ctx, shift, st, row and fill (which
 * nobody else uses meanwhile), the connection c->db, and the batches that it
 * was given. The batches are the same as without the thread, and so are errors:
 * an error is reported when the batch that could not be read is due.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "beside.h"
#include "err.h"
#include "num.h"
#include "profile.h"
#include "schema.h"
#include "sqldb.h"

#define CURSOR_COLS 64
#define BATCH_ROWS 64    /* rows per batch */
#define BATCH_TEXT 65536 /* bytes of text that fill a batch early */

struct batch {
	struct event ev[BATCH_ROWS]; /* their texts: from text_at */
	int64_t key[BATCH_ROWS];
	size_t text_at[BATCH_ROWS];
	int n, next;
	bool last; /* the table's last batch */
	struct buf text;
};

/* Events that are kept back until their turn. */

bool
event_before(const struct event *a, const struct event *b)
{
	int64_t ea, eb;

	if (a->start != b->start)
		return a->start < b->start;
	ea = a->end == EV_UNSET ? INT64_MAX : a->end;
	eb = b->end == EV_UNSET ? INT64_MAX : b->end;
	if (ea != eb)
		return ea > eb;
	if (a->kind != b->kind)
		return a->kind < b->kind;
	return a->row < b->row;
}

void
heap_put(struct heap *h, const struct event *ev)
{
	struct held *e =
	    h->nspare > 0 ? h->spare[--h->nspare] : xcalloc(1, sizeof(*e));
	size_t i, up;

	e->ev = *ev;
	if (ev->text != NULL) {
		buf_clear(&e->text);
		buf_put(&e->text, ev->text, ev->text_len);
		e->ev.text = buf_str(&e->text);
	}
	ARRAY_GROW(h->v, h->n, h->cap);
	for (i = h->n++; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!event_before(&e->ev, &h->v[up]->ev))
			break;
		h->v[i] = h->v[up];
	}
	h->v[i] = e;
}

struct held *
heap_take(struct heap *h)
{
	struct held *top = h->v[0], *last = h->v[--h->n];
	size_t i = 0, kid;

	while ((kid = 2 * i + 1) < h->n) {
		if (kid + 1 < h->n &&
		    event_before(&h->v[kid + 1]->ev, &h->v[kid]->ev))
			kid++;
		if (!event_before(&h->v[kid]->ev, &last->ev))
			break;
		h->v[i] = h->v[kid];
		i = kid;
	}
	if (h->n > 0)
		h->v[i] = last;
	ARRAY_GROW(h->spare, h->nspare, h->cap_spare);
	h->spare[h->nspare++] = top;
	return top;
}

void
heap_free(struct heap *h)
{
	while (h->n > 0)
		heap_take(h);
	for (; h->nspare > 0; h->nspare--) {
		buf_free(&h->spare[h->nspare - 1]->text);
		free(h->spare[h->nspare - 1]);
	}
	free(h->v);
	free(h->spare);
	memset(h, 0, sizeof(*h));
}

static const char *
key_column(const struct cursor *c)
{
	return c->src->key ? c->src->key : "rowid";
}

static bool
make_event(const struct cursor *c, sqlite3_value **col, struct event *ev)
{
	memset(ev, 0, sizeof(*ev));
	ev->kind = c->src->kind;
	ev->start = ev->end = ev->pid = ev->tid = EV_UNSET;
	ev->corr = ev->name = ev->op = ev->nth = EV_UNSET;
	if (!c->src->row(c->ctx, c->src, col, ev))
		return false;
	if (ev->kind == EV_MARK || ev->kind == EV_MEM) /* moments */
		ev->end = EV_UNSET;
	if (c->shift != 0) {
		ev->start = num_add(ev->start, c->shift);
		if (ev->end != EV_UNSET)
			ev->end = num_add(ev->end, c->shift);
	}
	return true;
}

/* The SQL function of the table's cursor, called with the columns of each row.
 * It returns true only when the batch is full, so that SQLite hands out a row
 * and the statement pauses. */
static void
batch_row(sqlite3_context *sql, int n, sqlite3_value **col)
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
	b->text_at[b->n] = b->text.len;
	if (ev->text != NULL) /* SQLite frees the row's own */
		buf_put(&b->text, ev->text, ev->text_len);
	b->n++;
	if (b->n == BATCH_ROWS || b->text.len >= BATCH_TEXT)
		sqlite3_result_int(sql, 1);
}

/* The rows are taken in the WHERE clause, a batch at a time, which costs a
 * quarter less than stepping to each row and asking for its columns. CASE is
 * used because SQL may evaluate the terms of AND in any order; no index is
 * used, so that the rows come in the order of their keys. */
static void
open_batches(struct cursor *c)
{
	const struct ev_source *s = c->src;
	char name[32];

	c->batch = xcalloc(1, sizeof(*c->batch));
	/* SQLite cannot redefine a function while a statement uses it */
	snprintf(name, sizeof(name), "dlp_row_%u", s->of->functions++);
	if (sqlite3_create_function(c->db, name, -1,
		SQLITE_UTF8 | SQLITE_DIRECTONLY, c, batch_row, NULL,
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
	const struct ev_source *s = c->src;

	return db_prepare(c->db, "SELECT %s, %s FROM %s %s %s %s",
	    key_column(c), s->cols, s->from, s->where ? "WHERE" : "",
	    s->where ? s->where : "", tail);
}

void
cursor_open(struct cursor *c)
{
	const struct ev_source *s = c->src;
	const char *end = s->end ? s->end : "NULL";
	struct buf b = { 0 };

	c->max_start = INT64_MIN;
	if (s->key == NULL && !c->order.sort) {
		open_batches(c);
		return;
	}
	buf_puts(&b, "ORDER BY ");
	if (c->order.sort) /* without an end first */
		buf_printf(&b, "%s, ifnull(%s, 9e99) DESC, ", s->start, end);
	buf_puts(&b, key_column(c));
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

/* Reads the next rows. */
static void
fill_batch(struct cursor *c, struct batch *b)
{
	if (b->text.cap > 4 * BATCH_TEXT)
		buf_free(&b->text);
	buf_clear(&b->text);
	b->n = b->next = 0;
	c->fill = b;
	b->last = !db_step(c->st);
	buf_str(&b->text);
}

#define BATCHES 32
/* bytes to read ahead, not counting one more batch */
#define AHEAD_TEXT (1 << 20)

/*
 * A thread that waits is woken only when half of the ring is ready, so that the
 * threads do not wake each other for every batch.
 */
struct ahead {
	struct cursor *c;
	struct beside thread;
	pthread_mutex_t lock; /* guards all members below */
	pthread_cond_t batch, room;
	bool no_batch, no_room; /* a thread waits for it */
	uint64_t filled, taken; /* the batch taken last is in use */
	size_t text;            /* text of the batches filled and not taken */
	bool over;              /* no more batches will be filled, */
	bool stop;              /* or none is wanted any more */
	struct batch ring[BATCHES];
};

/* The batch in use has a ring_place of its own. */
static bool
ring_full(const struct ahead *a)
{
	return a->filled - a->taken >= BATCHES - 1 || a->text > AHEAD_TEXT;
}

/* A ring_place to fill; NULL if no more batches are wanted. */
static struct batch *
ring_place(struct ahead *a)
{
	struct batch *b;

	pthread_mutex_lock(&a->lock);
	while (ring_full(a) && !a->stop) {
		a->no_room = true;
		pthread_cond_wait(&a->room, &a->lock);
	}
	b = a->stop ? NULL : &a->ring[a->filled % BATCHES];
	pthread_mutex_unlock(&a->lock);
	return b;
}

static void
read_ahead(void *arg)
{
	struct ahead *a = arg;
	struct batch *b;
	bool last = false;

	while (!last && (b = ring_place(a)) != NULL) {
		fill_batch(a->c, b);
		last = b->last;
		pthread_mutex_lock(&a->lock);
		a->filled++;
		a->text += b->text.len;
		if (a->no_batch &&
		    (a->filled - a->taken >= BATCHES / 2 || ring_full(a))) {
			a->no_batch = false;
			pthread_cond_signal(&a->batch);
		}
		pthread_mutex_unlock(&a->lock);
	}
}

static void
ahead_over(void *arg)
{
	struct ahead *a = arg;

	pthread_mutex_lock(&a->lock);
	a->over = true;
	pthread_cond_signal(&a->batch);
	pthread_mutex_unlock(&a->lock);
}

/* The next batch; the one before is given back. Must not be called after the
 * last batch. Fatal if the thread could not read the batch. */
static struct batch *
ahead_next(struct ahead *a)
{
	struct batch *b = NULL;

	pthread_mutex_lock(&a->lock);
	while (a->filled == a->taken && !a->over) {
		a->no_batch = true;
		pthread_cond_wait(&a->batch, &a->lock);
	}
	if (a->filled > a->taken) {
		b = &a->ring[a->taken++ % BATCHES];
		a->text -= b->text.len;
	}
	if (a->no_room && a->filled - a->taken <= BATCHES / 2 &&
	    !ring_full(a)) {
		a->no_room = false;
		pthread_cond_signal(&a->room);
	}
	pthread_mutex_unlock(&a->lock);
	if (b == NULL) { /* the thread met an error */
		beside_end(&a->thread);
		beside_say(&a->thread);
	}
	return b;
}

void
cursor_ahead(struct cursor *c)
{
	struct ahead *a;

	if (c->batch == NULL)
		return;
	a = xcalloc(1, sizeof(*a));
	a->c = c;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->batch, NULL);
	pthread_cond_init(&a->room, NULL);
	if (!beside_begin(&a->thread, read_ahead, ahead_over, a)) {
		free(a);
		return;
	}
	c->ahead = a;
	free(c->batch); /* an empty one, as is the last of the ring */
	c->batch = &a->ring[BATCHES - 1];
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
			fill_batch(c, b);
		if (b == NULL || b->n == 0)
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
		    key_column(c));
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
	int i;

	if (c->ahead != NULL) {
		/* Frees the batch, in the ring or not. */
		pthread_mutex_lock(&c->ahead->lock);
		c->ahead->stop = true;
		pthread_cond_signal(&c->ahead->room);
		pthread_mutex_unlock(&c->ahead->lock);
		beside_end(&c->ahead->thread);
		for (i = 0; i < BATCHES; i++)
			buf_free(&c->ahead->ring[i].text);
		pthread_cond_destroy(&c->ahead->room);
		pthread_cond_destroy(&c->ahead->batch);
		pthread_mutex_destroy(&c->ahead->lock);
		free(c->ahead);
		c->ahead = NULL;
		c->batch = NULL;
	}
	if (c->batch != NULL)
		buf_free(&c->batch->text);
	free(c->batch);
	c->batch = NULL;
	sqlite3_finalize(c->st);
	sqlite3_finalize(c->by_key);
	c->st = c->by_key = NULL;
	heap_free(&c->heap);
}
