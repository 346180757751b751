/*
 * nvprof's markers: NVTX ranges and marks. A range is two rows, its start
 * and its end, which only an id ties together.
 */
#include <stdarg.h>
#include <stdio.h>

#include "err.h"
#include "nvprof_marker.h"
#include "nvprof_row.h"
#include "schema.h"
#include "sqldb.h"

/* A marker's flags. */
enum { MARK_INSTANT = 1, MARK_START = 2, MARK_END = 4 };

/* Start and end times, kind and id of the object, the end's kind and id,
 * name, domain. */
static bool
range_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	struct nvprof *nv = ctx;
	int64_t pid = EV_UNSET, tid = EV_UNSET;

	(void)s;
	if (!nvprof_times(nv, col + 1, ev))
		return false;
	nvprof_object(col[3], col[4], &ev->pid, &ev->tid);
	nvprof_object(col[5], col[6], &pid, &tid);
	ev->range.end_tid = tid != ev->tid ? tid : EV_UNSET;
	ev->range.push = nvprof_num(col[3]) == OBJECT_THREAD;
	ev->name = nvprof_name(col[7]);
	ev->range.domain = nvprof_domain(nv, nvprof_num(col[8]));
	return true;
}

static bool
mark_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	if (!range_row(ctx, s, col, ev))
		return false;
	ev->end = EV_UNSET;
	ev->range.end_tid = EV_UNSET;
	return true;
}

/*
 * The end comes later in the table: the ends go into a temporary table
 * (SQLite's own, on disk if large) so that a range is whole at its start.
 * An id that is used again ends where the next end behind its start is.
 * The columns' types matter: without them the join would not use the key.
 */
static void
make_ends(struct nvprof *nv, const char *table)
{
	char *s;

	s = sqlite3_mprintf(
	    "CREATE TEMP TABLE dlp_ends (id INT, timestamp INT, kind, object,"
	    " PRIMARY KEY (id, timestamp)) WITHOUT ROWID;"
	    "INSERT OR IGNORE INTO dlp_ends"
	    " SELECT id, timestamp, objectKind, objectId FROM %s"
	    " WHERE flags & %d AND id IS NOT NULL AND timestamp IS NOT NULL",
	    table, MARK_END);
	if (s == NULL)
		die("out of memory");
	if (sqlite3_exec(nv->db, s, NULL, NULL, NULL) != SQLITE_OK)
		die("%s: %s", db_path(), sqldb_error(nv->db));
	sqlite3_free(s);
}

/* A piece of SQL, to be freed. */
static char *sql(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static char *
sql(const char *fmt, ...)
{
	char s[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s, sizeof(s), fmt, ap);
	va_end(ap);
	return xstrdup(s);
}

void
nvprof_add_markers(struct nvprof *nv, struct sources *ss)
{
	static const char *const need[] = { "flags", "timestamp", "id",
		"objectKind", "objectId", "name" };
	static const char table[] = NVPROF_TABLE("MARKER");
	const char *domain = "NULL";
	struct source *s;
	size_t i;

	for (i = 0; i < sizeof(need) / sizeof(need[0]); i++)
		if (!db_has_table(nv->db, table) ||
		    !db_has_column(nv->db, table, need[i]))
			return;
	if (db_has_column(nv->db, table, "domain"))
		domain = "a.domain";
	make_ends(nv, table);
	s = source_add(ss, EV_RANGE, table, range_row);
	s->from = sql("%s AS a NOT INDEXED LEFT JOIN temp.dlp_ends AS b ON "
		      "b.id = a.id AND"
		      " b.timestamp = (SELECT min(timestamp) FROM temp.dlp_ends"
		      " WHERE id = a.id AND timestamp >= a.timestamp)",
	    table);
	s->cols =
	    sql("a.timestamp, b.timestamp, a.objectKind, a.objectId, b.kind,"
		" b.object, a.name, %s",
		domain);
	s->key = xstrdup("a.rowid");
	s->where = sql("a.flags & %d", MARK_START);
	s->start = xstrdup("a.timestamp");
	s->end = xstrdup("b.timestamp");
	s = source_add(ss, EV_MARK, table, mark_row);
	s->from = xstrdup(table);
	s->cols =
	    sql("timestamp, NULL, objectKind, objectId, NULL, NULL, name, %s",
		domain[0] == 'a' ? "domain" : domain);
	s->where = sql("flags & %d", MARK_INSTANT);
	s->start = xstrdup("timestamp");
}
