/*
 * NVTX_EVENTS of Nsight Systems: push/pop and start/end ranges, marks, and
 * the rows that name domains.
 */
#include <stdlib.h>
#include <string.h>

#include "emit_rows.h"
#include "err.h"
#include "nsys_nvtx.h"
#include "nsys_row.h"
#include "schema.h"

enum { /* eventType */
	NVTX_MARK = 34,
	NVTX_PUSHPOP = 59,
	NVTX_STARTEND = 60,
	NVTX_TXT_PUSHPOP = 70, /* from nvtxt files */
	NVTX_TXT_STARTEND = 71,
	NVTX_THREAD = 39, /* these two: nsys_nvtx_other() */
	NVTX_DOMAIN = 75,
};

enum {
	C_DOMAIN = 1,
	C_START,
	C_END,
	C_TYPE,
	C_TEXT,
	C_TID,
	C_END_TID,
	C_TEXT_ID
};

/* Domain ids count from 1 in each process. */
static uint64_t
domain_key(int64_t pid, int64_t domain)
{
	if (domain >= 0 && domain < (int64_t)1 << 32)
		return (uint64_t)pid << 32 | (uint64_t)domain;
	return hash_mix((uint64_t)domain) ^ (uint64_t)pid << 32;
}

/* All of it from this connection: it can be another thread's. */
static sqlite3_stmt *
other_stmt(struct nsys *ns, sqlite3 *db)
{
	static const char *const names[] = { "eventType", "globalTid",
		"domainId", "text", NULL };
	char *cols;
	bool ids;

	if (ns->other == NULL) {
		cols = db_cols(db, "NVTX_EVENTS", names);
		ids = ns->string != NULL &&
		      db_has_column(db, "NVTX_EVENTS", "textId");
		ns->other = db_prepare(db,
		    "SELECT %s, %s FROM NVTX_EVENTS AS n WHERE rowid = ?1",
		    cols,
		    ids ? "(SELECT value FROM StringIds WHERE"
			  " id = CAST(n.textId AS INTEGER))"
			: "NULL");
		free(cols);
	}
	return ns->other;
}

static void
set_name(struct nsys *ns, struct map *m, uint64_t key, sqlite3_stmt *st)
{
	uint32_t n;
	const char *s = db_text(sqlite3_column_value(st, 3), &n);

	if (s == NULL)
		s = db_text(sqlite3_column_value(st, 4), &n);
	if (n > 0)
		*map_put(m, key, NULL) =
		    smap_put(&ns->domain_names, s, n, NULL);
}

/* A row that creates a domain or names a thread: known before any range is
 * written. Rows of other types hold nothing that the records have. */
void
nsys_nvtx_other(struct nsys *ns, sqlite3 *db, int64_t row)
{
	sqlite3_stmt *st = other_stmt(ns, db);
	int64_t type, gid, domain;

	sqlite3_bind_int64(st, 1, row);
	if (db_step(st)) {
		type = db_i64(st, 0);
		gid = db_i64(st, 1);
		domain = db_i64(st, 2);
		if (type == NVTX_DOMAIN && domain != EV_UNSET)
			set_name(ns, &ns->domains,
			    domain_key(nsys_pid(gid), domain), st);
		else if (type == NVTX_THREAD && gid != EV_UNSET)
			set_name(ns, &ns->threads, (uint64_t)gid, st);
		else
			ns->nvtx_other++;
	}
	sqlite3_reset(st);
}

/* A domain without a name gets its number, but not in what nsys stats has. */
static const char *
name_domain(struct nsys *ns, int64_t pid, int64_t domain)
{
	struct buf b = { 0 };
	uint64_t id;

	ns->unknown_domains++;
	if (!emit_rows)
		buf_printf(&b, "domain %lld", (long long)domain);
	id = smap_put(&ns->domain_names, buf_str(&b), b.len, NULL);
	*map_put(&ns->domains, domain_key(pid, domain), NULL) = id;
	buf_free(&b);
	return smap_str(&ns->domain_names, (uint32_t)id, NULL);
}

static const char *
domain_of(struct nsys *ns, int64_t pid, int64_t domain)
{
	const uint64_t *id;

	if (domain == EV_UNSET || domain == 0)
		return "";
	id = map_get(&ns->domains, domain_key(pid, domain));
	if (id == NULL)
		return name_domain(ns, pid, domain);
	return smap_str(&ns->domain_names, (uint32_t)*id, NULL);
}

static void
set_text(sqlite3_value **col, struct event *ev)
{
	ev->text = db_text(col[C_TEXT], &ev->text_len);
	if (ev->text == NULL)
		ev->name = db_value(col[C_TEXT_ID]);
}

/* The thread that ended a range; 0 is what old exports write for none. */
static int64_t
end_tid(sqlite3_value **col, const struct event *ev)
{
	int64_t gid = db_value(col[C_END_TID]);

	if (gid == EV_UNSET || gid == 0 || nsys_tid(gid) == ev->tid)
		return EV_UNSET;
	return nsys_tid(gid);
}

static bool
is_push(int64_t type)
{
	return type == NVTX_PUSHPOP || type == NVTX_TXT_PUSHPOP;
}

/* EV_UNSET is less than any time. */
void
nsys_nvtx_time(struct nsys *ns, int64_t type, int64_t t)
{
	if (t > ns->nvtx_end)
		ns->nvtx_end = t;
	if (t > ns->range_end && type != NVTX_MARK && nsys_nvtx_event(type))
		ns->range_end = t;
	if (t > ns->push_end && is_push(type))
		ns->push_end = t;
}

bool
nsys_nvtx_event(int64_t type)
{
	return type == NVTX_PUSHPOP || type == NVTX_STARTEND ||
	       type == NVTX_MARK || type == NVTX_TXT_PUSHPOP ||
	       type == NVTX_TXT_STARTEND;
}

static bool
row(void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	int64_t type = db_value(col[C_TYPE]);

	(void)s;
	if (!nsys_nvtx_event(type) || !nsys_times(col, ev))
		return false;
	if (type == NVTX_MARK)
		ev->kind = EV_MARK;
	nsys_thread(col[C_TID], ev);
	set_text(col, ev);
	ev->range.domain = domain_of(ctx, ev->pid, db_value(col[C_DOMAIN]));
	ev->range.push = is_push(type);
	ev->range.end_tid = EV_UNSET;
	if (!ev->range.push)
		ev->range.end_tid = end_tid(col, ev);
	return true;
}

void
nsys_add_nvtx(struct nsys *ns, struct sources *ss)
{
	static const char *const names[] = { "domainId", "start", "end",
		"eventType", "text", "globalTid", "endGlobalTid", "textId",
		NULL };
	struct source *s;

	s = nsys_source(ns, ss, EV_RANGE, "NVTX_EVENTS", row, names);
	if (s == NULL)
		return;
	/* Rows of other types are passed over by row(): cheaper than a WHERE,
	 * and the first pass sees the same rows. */
	s->pick = db_col(ns->db, "NVTX_EVENTS", "eventType");
}
