/*
 * The first pass over a table. It finds how far the rows are out of start
 * order, so that the merge keeps back no more rows than it must, and which
 * calls launched which GPU work. It reads a few columns and writes nothing. The
 * merge must know both before it starts, because a stream cannot be taken back.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "num.h"
#include "profile.h"
#include "schema.h"
#include "sqldb.h"

struct key_slot {
	int64_t pid;
	int64_t page;                /* corr >> 6 */
	uint64_t first, twin;        /* calls */
	uint64_t one[KEY_GPU_KINDS]; /* at least one activity */
	uint64_t many;               /* more than one of some kind */
};

/* Where the number of the slot for (pid, page) stands in the index, or belongs.
 */
static size_t
index_at(const struct keys *k, int64_t pid, int64_t page)
{
	size_t i = hash_mix((uint64_t)page ^ ((uint64_t)pid << 40)) &
		   (k->index_cap - 1);
	const struct key_slot *s;

	for (; k->index[i] != 0; i = (i + 1) & (k->index_cap - 1)) {
		s = &k->slot[k->index[i] - 1];
		if (s->page == page && s->pid == pid)
			break;
	}
	return i;
}

static struct key_slot *
slot_put(struct keys *k, int64_t pid, int64_t corr)
{
	int64_t page = corr >> 6;
	size_t at, i;

	/* The slots themselves are not moved: there may be many, and copies of
	 * them would take as much again. */
	if (k->n * 4 >= k->index_cap * 3) {
		k->index_cap = k->index_cap ? k->index_cap * 2 : 64;
		free(k->index);
		k->index = xcalloc(k->index_cap, sizeof(*k->index));
		for (i = 0; i < k->n; i++)
			k->index[index_at(k, k->slot[i].pid, k->slot[i].page)] =
			    (uint32_t)i + 1;
	}
	at = index_at(k, pid, page);
	if (k->index[at] == 0) {
		ARRAY_GROW(k->slot, k->n, k->slot_cap);
		k->slot[k->n] = (struct key_slot){ .pid = pid, .page = page };
		k->index[at] = (uint32_t)++k->n;
	}
	return &k->slot[k->index[at] - 1];
}

static struct key_slot *
slot_get(const struct keys *k, int64_t pid, int64_t corr)
{
	size_t at;

	if (k->index_cap == 0)
		return NULL;
	at = index_at(k, pid, corr >> 6);
	return k->index[at] != 0 ? &k->slot[k->index[at] - 1] : NULL;
}

static uint64_t
bit_of(int64_t corr)
{
	return (uint64_t)1 << (corr & 63);
}

/* A number for (key, kind) in the map of counts above 1. */
static uint64_t
many_key(const struct keys *k, const struct key_slot *s, int64_t corr, int kind)
{
	uint64_t at = (uint64_t)(s - k->slot) * 64 + (uint64_t)(corr & 63);

	return at * KEY_GPU_KINDS + (uint64_t)kind;
}

bool
keys_has_call(const struct keys *k, int64_t pid, int64_t corr, bool twin)
{
	const struct key_slot *s = slot_get(k, pid, corr);

	return s != NULL && ((s->first | (twin ? s->twin : 0)) & bit_of(corr));
}

uint64_t
keys_take(struct keys *k, int64_t pid, int64_t corr, uint64_t n[KEY_GPU_KINDS])
{
	struct key_slot *s = slot_get(k, pid, corr);
	uint64_t sum = 0, bit = bit_of(corr), *many;
	int i;

	memset(n, 0, KEY_GPU_KINDS * sizeof(*n));
	for (i = 0; s != NULL && i < KEY_GPU_KINDS; i++) {
		if ((s->one[i] & bit) == 0)
			continue;
		many = (s->many & bit) != 0
			   ? map_get(&k->many, many_key(k, s, corr, i))
			   : NULL;
		n[i] = many != NULL ? *many : 1;
		sum += n[i];
		s->one[i] &= ~bit;
	}
	return sum;
}

void
keys_free(struct keys *k)
{
	free(k->slot);
	free(k->index);
	map_free(&k->many);
	map_free(&k->pids);
	map_free(&k->gids);
	map_free(&k->hosts);
}

#define RING 4096 /* the most rows that the merge keeps back per table */

struct point {
	int64_t start, end;
};

struct ring {
	struct point top;
	uint64_t n;
	struct point max[RING]; /* the latest row up to each of the last rows */
};

/* The columns that are requested of each row. pick comes first because it is
 * the last column in the table, and SQLite walks along a row only once if the
 * last column is requested first. */
enum { A_PICK, A_START, A_END, A_GID, A_CORR, A_TWIN, A_ROWID, A_KEY, N_ARGS };

struct scan {
	struct profile *p;
	struct cursor *c;
	bool join;      /* calls and GPU work */
	int64_t key;    /* of the last row */
	int at[N_ARGS]; /* place among the arguments; -1 if not requested */
	struct ring ring;
};

static bool
later(struct point a, struct point b)
{
	if (a.start != b.start)
		return a.start > b.start;
	return a.end < b.end; /* the longer one first */
}

/* Notes the row, and how far it is from where it belongs in start order: before
 * the first row in the ring, which is ascending, that is later. */
static void
put_point(struct order *o, struct ring *r, struct point p)
{
	uint64_t lo = r->n > RING ? r->n - RING : 0, hi = r->n, mid;
	int64_t ns;

	if (r->n > 0 && later(r->top, p)) {
		while (lo < hi) {
			mid = lo + (hi - lo) / 2;
			if (later(r->max[mid % RING], p))
				hi = mid;
			else
				lo = mid + 1;
		}
		ns = num_sub(r->top.start, p.start);
		if (r->n - lo > o->back_rows)
			o->back_rows = r->n - lo;
		if (ns > o->back_ns)
			o->back_ns = ns;
		if (r->n - lo >= RING)
			o->sort = true;
	} else
		r->top = p;
	r->max[r->n++ % RING] = r->top;
}

/* Old exports write 0 for no correlation id. */
int64_t
key_corr(int64_t corr)
{
	return corr != 0 ? corr : EV_UNSET;
}

static void
join_row(
    struct profile *p, struct cursor *c, int64_t gid, int64_t corr, bool twin)
{
	bool call = c->src->kind == EV_CALL;
	int64_t (*pid_of)(int64_t) = p->dialect->pid;
	struct keys *k = &p->keys;
	int64_t pid = 0, used = gid, who;
	struct key_slot *s;
	uint64_t bit, *n;
	int kind;

	if (pid_of != NULL) {
		/* GPU work without a process belongs to the only process, if
		 * there is just one */
		used = pid = gid == EV_UNSET ? EV_UNSET : pid_of(gid);
		if (pid == EV_UNSET)
			used = pid = p->only_pid;
	}
	/* last_who saves the lookup, because processes seldom change from row
	 * to row. The upper bits of the id, of the machine, are no part of the
	 * pid: if they differ, a note says so. */
	who = gid == EV_UNSET || pid_of == NULL ? used : gid >> 24;
	if (used != EV_UNSET && k->last_who[call] != who) {
		k->last_who[call] = who;
		map_put(&k->pids, (uint64_t)used, NULL);
		if (who != used)
			map_put(&k->gids, (uint64_t)who, NULL);
		if (call)
			map_put(&k->hosts, (uint64_t)used, NULL);
	}
	corr = key_corr(corr);
	if (corr == EV_UNSET) {
		c->order.orphans += !call;
		return;
	}
	s = slot_put(k, pid, corr);
	bit = bit_of(corr);
	if (twin) {
		s->twin |= bit;
	} else if (call) {
		k->dup_calls += (s->first & bit) != 0;
		s->first |= bit;
	} else {
		kind = (int)c->src->kind - EV_KERN;
		if (s->one[kind] & bit) {
			s->many |= bit;
			n = map_put(&k->many, many_key(k, s, corr, kind), NULL);
			*n = *n == 0 ? 2 : *n + 1;
		}
		s->one[kind] |= bit;
		c->order.orphans += ((s->first | s->twin) & bit) == 0;
	}
}

/* EV_UNSET if NULL or not requested. */
static int64_t
scan_arg(const struct scan *s, sqlite3_value **v, int which)
{
	return s->at[which] >= 0 ? db_value(v[s->at[which]]) : EV_UNSET;
}

/* The SQL function dlp_scan(), over the rows of the table. The merge counts
 * rows without a start as bad. */
static void
scan_row(sqlite3_context *sql, int n, sqlite3_value **v)
{
	struct scan *s = sqlite3_user_data(sql);
	const struct ev_source *src = s->c->src;
	struct point p;
	int64_t key;

	(void)n;
	if (s->at[A_KEY] >= 0) {
		key = sqlite3_value_int64(v[s->at[A_KEY]]);
		if (key < s->key)
			die("%s: %s cannot be read in its own order", db_path(),
			    src->table);
		s->key = key;
	}
	if (s->at[A_PICK] >= 0)
		s->p->dialect->picked(s->p->ctx, s->c->db, src,
		    scan_arg(s, v, A_PICK), scan_arg(s, v, A_ROWID),
		    scan_arg(s, v, A_START), scan_arg(s, v, A_END));
	if (sqlite3_value_type(v[s->at[A_START]]) != SQLITE_INTEGER) {
		s->c->order.lost++;
		return;
	}
	p.start = sqlite3_value_int64(v[s->at[A_START]]);
	p.end = scan_arg(s, v, A_END);
	if (p.end == EV_UNSET)
		p.end = INT64_MAX;
	s->c->order.hash =
	    hash_mix(s->c->order.hash ^ (uint64_t)p.start) + (uint64_t)p.end;
	put_point(&s->c->order, &s->ring, p);
	if (s->join)
		join_row(s->p, s->c, scan_arg(s, v, A_GID),
		    scan_arg(s, v, A_CORR),
		    src->twin != NULL &&
			scan_arg(s, v, A_TWIN) == src->twin_is);
}

static void
scan_end(sqlite3_context *sql)
{
	(void)sql;
}

/* No index is used, so that the rows of a table come in the order of their ids
 * and those of a join in the order of its key; scan_row() makes sure of that.
 * ORDER BY would not do, because SQLite might sort what this statement leaves
 * in order. */
static sqlite3_stmt *
scan_stmt(struct scan *s)
{
	const struct ev_source *src = s->c->src;
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

/* The rows are taken by an aggregate function, at half the cost of stepping
 * through them. */
void
scan_cursor(struct profile *p, struct cursor *c)
{
	struct scan *s = xmalloc(sizeof(*s));
	sqlite3_stmt *st;

	/* of the ring a small table touches little */
	memset(s, 0, offsetof(struct scan, ring.max));
	s->p = p;
	s->c = c;
	s->key = INT64_MIN;
	s->join = !c->src->launches &&
		  (c->src->kind == EV_CALL || EV_IS_GPU(c->src->kind));
	if (sqlite3_create_function(c->db, "dlp_scan", -1,
		SQLITE_UTF8 | SQLITE_DIRECTONLY, s, NULL, scan_row,
		scan_end) != SQLITE_OK)
		die("%s: %s", db_path(), sqldb_error(c->db));
	if (c->src->key == NULL && !c->src->keyless) /* the merge needs the
						      * key */
		sqlite3_finalize(
		    db_prepare(c->db, "SELECT rowid FROM %s", c->src->from));
	st = scan_stmt(s);
	while (db_next(&st))
		;
	c->order.rows = s->ring.n;
	if (c->order.sort) /* SQLite sorts, so no row is late */
		c->order.back_ns = 0;
	free(s);
}
