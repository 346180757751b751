/*
 * The first pass over a table: how far its rows are out of start order, so
 * that the merge keeps back just as many as it must, and which calls
 * launched which GPU work. It reads a few columns and writes nothing; a
 * stream cannot be taken back, so the merge must know before it starts.
 */
#include <stdlib.h>

#include "buf.h"
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

/* What is asked of each row: pick first, because SQLite walks along a row
 * from where it was asked before, and that column is the last one. */
enum { A_PICK, A_START, A_END, A_GID, A_CORR, A_TWIN, A_ROWID, A_KEY, N_ARGS };

struct scan {
	struct profile *p;
	struct cursor *c;
	bool join;      /* calls and GPU work */
	int64_t key;    /* of the last row */
	int at[N_ARGS]; /* its place among the arguments; -1: not asked */
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

/* EV_UNSET: NULL, or not asked. */
static int64_t
arg(const struct scan *s, sqlite3_value **v, int which)
{
	return s->at[which] >= 0 ? db_value(v[s->at[which]]) : EV_UNSET;
}

static void
check_key(struct scan *s, int64_t key)
{
	if (key < s->key)
		die("%s: %s cannot be read in its own order", db_path(),
		    s->c->src->table);
	s->key = key;
}

/* The SQL function dlp_scan(), an aggregate over the rows of the table. Rows
 * without a start are counted as bad by the merge. */
static void
scan_row(sqlite3_context *sql, int n, sqlite3_value **v)
{
	struct scan *s = sqlite3_user_data(sql);
	const struct source *src = s->c->src;
	struct point p;

	(void)n;
	if (s->at[A_KEY] >= 0)
		check_key(s, sqlite3_value_int64(v[s->at[A_KEY]]));
	if (s->at[A_PICK] >= 0)
		s->p->dialect->picked(s->p->ctx, s->c->db, src,
		    arg(s, v, A_PICK), arg(s, v, A_ROWID), arg(s, v, A_START),
		    arg(s, v, A_END));
	if (sqlite3_value_type(v[s->at[A_START]]) != SQLITE_INTEGER)
		return;
	p.start = sqlite3_value_int64(v[s->at[A_START]]);
	p.end = arg(s, v, A_END);
	if (p.end == EV_UNSET)
		p.end = INT64_MAX;
	put_point(&s->c->order, &s->ring, p);
	if (s->join)
		join_row(s->p, s->c, arg(s, v, A_GID), arg(s, v, A_CORR),
		    src->twin != NULL && arg(s, v, A_TWIN) == src->twin_is);
}

static void
scan_end(sqlite3_context *sql)
{
	(void)sql;
}

/* No index, so that the rows of a table come in the order of their ids, and
 * those of a join in the order of its key: check_key() sees to that. An ORDER
 * BY would not do, it can be a sort of what this leaves. */
static sqlite3_stmt *
scan_stmt(struct scan *s)
{
	const struct source *src = s->c->src;
	const char *const col[N_ARGS] = {
		[A_PICK] = src->pick,
		[A_START] = src->start ? src->start : "NULL",
		[A_END] = src->end,
		[A_GID] = src->gid,
		[A_CORR] = src->corr,
		[A_TWIN] = src->twin,
		[A_ROWID] = src->pick ? "rowid" : NULL,
		[A_KEY] = src->key,
	};
	struct buf b = { 0 };
	sqlite3_stmt *st;
	int i, n = 0;

	for (i = 0; i < N_ARGS; i++) {
		s->at[i] = col[i] != NULL ? n++ : -1;
		if (col[i] != NULL)
			buf_printf(&b, "%s%s", n > 1 ? ", " : "", col[i]);
	}
	st = db_prepare(s->c->db, "SELECT dlp_scan(%s) FROM %s%s WHERE %s",
	    buf_str(&b), src->from, src->key ? "" : " NOT INDEXED",
	    src->where ? src->where : "1");
	buf_free(&b);
	return st;
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
	if (sqlite3_create_function(c->db, "dlp_scan", -1,
		SQLITE_UTF8 | SQLITE_DIRECTONLY, s, NULL, scan_row,
		scan_end) != SQLITE_OK)
		die("%s: %s", db_path(), sqldb_error(c->db));
	if (c->src->key == NULL && !c->src->keyless) /* the merge needs it */
		sqlite3_finalize(
		    db_prepare(c->db, "SELECT rowid FROM %s", c->src->from));
	st = scan_stmt(s);
	while (db_step(st))
		;
	sqlite3_finalize(st);
	c->order.rows = s->ring.n;
	if (c->order.sort) /* then nothing stands too late */
		c->order.back_ns = 0;
	free(s);
}
