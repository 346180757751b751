/*
 * The first pass over a table: how far its rows are out of start order, so
 * that the merge keeps back just as many as it must, and which calls
 * launched which GPU work. It reads a few columns and writes nothing; a
 * stream cannot be taken back, so the merge must know before it starts.
 */
#include <stdlib.h>

#include "err.h"
#include "num.h"
#include "run.h"
#include "scan.h"
#include "schema.h"
#include "sqldb.h"

#define RING 4096 /* rows that the merge may keep back per table */

struct point {
	int64_t start, end;
};

struct ring {
	struct point max[RING]; /* the latest row up to each of the last */
	struct point top;
	uint64_t n;
};

struct scan {
	struct profile *p;
	struct cursor *c;
	bool join;   /* calls and GPU work */
	int64_t key; /* of the last row */
	struct ring ring;
};

static bool
later(struct point a, struct point b)
{
	if (a.start != b.start)
		return a.start > b.start;
	return a.end < b.end; /* longer first */
}

/* The first of the rows in the ring that belongs behind p; the ring is
 * ascending. */
static uint64_t
first_later(const struct ring *r, struct point p)
{
	uint64_t lo = r->n > RING ? r->n - RING : 0, hi = r->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (later(r->max[mid % RING], p))
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static void
misplaced(struct order *o, const struct ring *r, struct point p)
{
	uint64_t back = r->n - first_later(r, p);
	int64_t ns = num_sub(r->top.start, p.start);

	if (back > o->back_rows)
		o->back_rows = back;
	if (ns > o->back_ns)
		o->back_ns = ns;
	if (back >= RING)
		o->sort = true;
}

static void
put_point(struct order *o, struct ring *r, struct point p)
{
	if (r->n > 0 && later(r->top, p))
		misplaced(o, r, p);
	else
		r->top = p;
	r->max[r->n++ % RING] = r->top;
}

static void
note_pid(struct profile *p, int64_t pid, bool host)
{
	static int64_t last[2] = { EV_UNSET, EV_UNSET };
	static const struct profile *of[2];

	if (pid == EV_UNSET || (last[host] == pid && of[host] == p))
		return;
	last[host] = pid;
	of[host] = p;
	map_put(&p->keys.pids, (uint64_t)pid, NULL);
	if (host)
		map_put(&p->keys.hosts, (uint64_t)pid, NULL);
}

/* GPU work without a process belongs to the only one there is. */
static int64_t
key_pid(const struct profile *p, int64_t gid)
{
	int64_t pid;

	if (p->dialect->pid == NULL)
		return 0;
	pid = gid == EV_UNSET ? EV_UNSET : p->dialect->pid(gid);
	return pid == EV_UNSET ? p->only_pid : pid;
}

/* 0 is what old exports write for none. */
int64_t
key_corr(int64_t corr)
{
	return corr != 0 ? corr : EV_UNSET;
}

static void
join_row(
    struct profile *p, struct cursor *c, int64_t gid, int64_t corr, bool twin)
{
	int64_t pid = key_pid(p, gid);
	bool call = c->src->kind == EV_CALL, known = false;

	corr = key_corr(corr);
	note_pid(p, p->dialect->pid != NULL ? pid : gid, call);
	if (call && corr != EV_UNSET)
		keys_call(&p->keys, pid, corr, twin);
	if (call)
		return;
	if (corr != EV_UNSET)
		known = keys_gpu(&p->keys, pid, corr, c->src->kind);
	if (!known)
		c->order.orphans++;
}

static const char *
or_null(const char *s)
{
	return s != NULL ? s : "NULL";
}

static void
put_time(struct cursor *c, struct ring *r, int64_t start, int64_t end)
{
	struct point p = { start, end != EV_UNSET ? end : INT64_MAX };

	put_point(&c->order, r, p);
}

/* The SQL function dlp_scan(), an aggregate over the rows of the table:
 * pick, gid, corr, twin, start, end, key: start and end last, because SQLite
 * walks along a row from where it was asked before. Rows without a start are
 * counted as bad by the merge. */
static void
scan_row(sqlite3_context *sql, int n, sqlite3_value **v)
{
	struct scan *s = sqlite3_user_data(sql);
	int64_t pick = db_value(v[0]), key;

	(void)n;
	if (s->c->src->key != NULL) {
		key = sqlite3_value_int64(v[6]);
		if (key < s->key)
			die("%s: %s cannot be read in its own order", db_path(),
			    s->c->src->table);
		s->key = key;
	}
	if (pick != EV_UNSET)
		s->p->dialect->picked(s->p->ctx, s->c->src, pick);
	if (sqlite3_value_type(v[4]) != SQLITE_INTEGER)
		return;
	put_time(s->c, &s->ring, sqlite3_value_int64(v[4]), db_value(v[5]));
	if (s->join)
		join_row(s->p, s->c, db_value(v[1]), db_value(v[2]),
		    sqlite3_value_int(v[3]) != 0);
}

static void
scan_end(sqlite3_context *sql)
{
	(void)sql;
}

/* No index, so that the rows of a table come in the order of their ids, and
 * those of a join in the order of its key: scan_row() sees to that. An ORDER
 * BY would not do, it can be a sort of what this leaves. */
static sqlite3_stmt *
scan_stmt(const struct source *s, sqlite3 *db)
{
	return db_prepare(db,
	    "SELECT dlp_scan(%s, %s, %s, %s, %s, %s, %s) FROM %s%s WHERE %s",
	    or_null(s->pick), or_null(s->gid), or_null(s->corr),
	    or_null(s->twin), or_null(s->start), or_null(s->end),
	    or_null(s->key), s->from, s->key ? "" : " NOT INDEXED",
	    s->where ? s->where : "1");
}

/* The rows are looked at where SQLite adds them up: half as dear as handing
 * them out. */
void
scan_cursor(struct profile *p, struct cursor *c)
{
	struct scan *s = xcalloc(1, sizeof(*s));
	sqlite3_stmt *st;

	s->p = p;
	s->c = c;
	s->key = INT64_MIN;
	s->join = !c->src->launches &&
		  (c->src->kind == EV_CALL || EV_IS_GPU(c->src->kind));
	if (sqlite3_create_function(c->db, "dlp_scan", 7,
		SQLITE_UTF8 | SQLITE_DIRECTONLY, s, NULL, scan_row,
		scan_end) != SQLITE_OK)
		die("%s: %s", db_path(), sqldb_error(c->db));
	if (c->src->key == NULL && !c->src->keyless) /* the merge needs it */
		sqlite3_finalize(
		    db_prepare(c->db, "SELECT rowid FROM %s", c->src->from));
	st = scan_stmt(c->src, c->db);
	while (db_step(st))
		;
	sqlite3_finalize(st);
	c->order.rows = s->ring.n;
	if (c->order.sort) /* then nothing stands too late */
		c->order.back_ns = 0;
	free(s);
}
