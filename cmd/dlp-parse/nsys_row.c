/* How Nsight Systems writes a row, whatever it is of; see nsys_row.h. */
#include "err.h"
#include "nsys_row.h"
#include "schema.h"

bool
nsys_string(void *ctx, int64_t id, struct buf *out)
{
	struct nsys *ns = ctx;
	bool has = false;
	const void *s;

	if (ns->string == NULL)
		return false;
	sqlite3_bind_int64(ns->string, 1, id);
	if (db_step(ns->string)) {
		s = sqlite3_column_text(ns->string, 0);
		has = s != NULL;
		if (has)
			buf_put(out, s,
			    (size_t)sqlite3_column_bytes(ns->string, 0));
	}
	sqlite3_reset(ns->string);
	return has;
}

char *
nsys_value(struct nsys *ns, const char *table, const char *sql, const char *arg)
{
	sqlite3_stmt *st;
	char *text = NULL;

	if (!db_has_table(ns->db, table))
		return NULL;
	/* a table that lacks what the query needs tells nothing */
	if (sqlite3_prepare_v2(ns->db, sql, -1, &st, NULL) != SQLITE_OK)
		return NULL;
	sqlite3_bind_text(st, 1, arg, -1, SQLITE_STATIC);
	if (db_step(st) && sqlite3_column_type(st, 0) != SQLITE_NULL)
		text = xstrdup((const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	return text;
}

/* Only tables are read: a view can hold any SQL. */
static void
count_view(struct nsys *ns, const char *table)
{
	sqlite3_stmt *st;

	st = db_prepare(ns->db,
	    "SELECT 1 FROM sqlite_master WHERE type <> 'index' AND"
	    " name = '%s' COLLATE NOCASE",
	    table);
	if (db_step(st)) {
		ns->views++;
		warn("%s: %s is no table of its own: not read", db_path(),
		    table);
	}
	sqlite3_finalize(st);
}

struct source *
nsys_source(struct nsys *ns, struct sources *ss, enum ev_kind kind,
    const char *table, row_fn *row, const char *const *names)
{
	struct source *s;

	if (!db_has_table(ns->db, table)) {
		count_view(ns, table);
		return NULL;
	}
	if (!db_has_column(ns->db, table, names[1])) {
		warn("%s: %s has no column '%s': not read", db_path(), table,
		    names[1]);
		return NULL;
	}
	s = source_add(ss, kind, table, row);
	s->keyless = !EV_IS_GPU(kind);
	s->apart = s->keyless && kind != EV_CALL;
	s->from = xstrdup(table);
	s->cols = db_cols(ns->db, table, names);
	s->start = db_col(ns->db, table, names[1]);
	s->end = db_col(ns->db, table, "end");
	return s;
}

void
nsys_thread(sqlite3_value *v, struct event *ev)
{
	int64_t gid = db_value(v);

	if (gid == EV_UNSET)
		return;
	ev->pid = nsys_pid(gid);
	ev->tid = nsys_tid(gid);
}

int64_t
nsys_num(sqlite3_value *v)
{
	int64_t n = db_value(v);

	return n != 4294967295 ? n : EV_UNSET;
}

bool
nsys_times(sqlite3_value **col, struct event *ev)
{
	if (sqlite3_value_type(col[2]) != SQLITE_INTEGER) {
		source_bad_row();
		return false;
	}
	ev->start = sqlite3_value_int64(col[2]);
	ev->end = db_value(col[3]);
	return true;
}

const char *
nsys_mem_kind(int64_t kind)
{
	static const char *const names[] = { "pageable", "pinned", "device",
		"array", "managed", "device-static", "managed-static",
		"unknown" };

	return kind >= 0 && kind < 8 ? names[kind] : NULL;
}

const char *
nsys_text(sqlite3_stmt *st, int i)
{
	const char *s = (const char *)sqlite3_column_text(st, i);

	return s != NULL && *s != '\0' ? s : NULL;
}
