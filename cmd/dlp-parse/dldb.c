/*
 * DLProf's own database. It holds what correlation found: ops, their runs,
 * and the calls and GPU work of each; so it gives op and inst records, too.
 * A row of GPU work has its call in it. The aggregated half of the database
 * is not read but for what was chosen: key op, range, findings.
 */
#include "dldb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cols.h"
#include "dldb_db.h"
#include "dldb_facts.h"
#include "dldb_own.h"
#include "dldb_rows.h"
#include "dldb_run.h"
#include "err.h"
#include "schema.h"
#include "stage.h"

static bool
probe(sqlite3 *db)
{
	return db_has_table(db, "read_only_ops") &&
	       (db_has_table(db, "read_only_op_instances") ||
		   db_has_table(db, "db_version") ||
		   db_has_table(db, "dictionary"));
}

static int
find_name(char *const *v, int n, const char *s)
{
	int i;

	for (i = 0; i < n && strcmp(v[i], s) != 0; i++)
		;
	return i;
}

static void
note_missing(struct dldb *d, const char *table, const char *column)
{
	char *s;
	size_t n = strlen(table) + strlen(column) + 2;
	int i;

	s = xmalloc(n);
	snprintf(s, n, "%s%s%s", table, *column != '\0' ? "." : "", column);
	i = find_name((char *const *)d->missing, d->n_missing, s);
	if (i < d->n_missing || i == DLDB_MAX_MISSING)
		free(s);
	else
		d->missing[d->n_missing++] = s;
}

char *
dldb_cols(struct dldb *d, const char *table, const char *const *names)
{
	int i;

	if (!db_has_table(d->db, table)) {
		note_missing(d, table, "");
		return NULL;
	}
	for (i = 0; names[i] != NULL; i++)
		if (!db_has_column(d->db, table, names[i]))
			note_missing(d, table, names[i]);
	return db_cols(d->db, table, names);
}

bool
dldb_string(void *ctx, int64_t id, struct buf *out)
{
	struct dldb *d = ctx;
	bool has = false;
	const char *s;
	uint32_t n;

	if (d->string == NULL)
		return false;
	sqlite3_bind_int64(d->string, 1, id);
	if (db_step(d->string) &&
	    (s = db_text(sqlite3_column_value(d->string, 0), &n)) != NULL) {
		buf_put(out, s, n);
		has = true;
	}
	sqlite3_reset(d->string);
	return has;
}

static int64_t
id_of(struct dldb *d, const char *text)
{
	sqlite3_stmt *st;
	int64_t id = EV_UNSET;

	st = db_prepare(d->db, "SELECT id FROM dictionary WHERE string = ?1");
	sqlite3_bind_text(st, 1, text, -1, SQLITE_STATIC);
	if (db_step(st))
		id = db_i64(st, 0);
	sqlite3_finalize(st);
	return id;
}

static void
open_dictionary(struct dldb *d)
{
	static const char *const cols[] = { "id", "string", NULL };

	d->empty = d->graph = EV_UNSET;
	free(dldb_cols(d, "dictionary", cols));
	if (!db_has_column(d->db, "dictionary", "id") ||
	    !db_has_column(d->db, "dictionary", "string"))
		return;
	d->string =
	    db_prepare(d->db, "SELECT string FROM dictionary WHERE id = ?1");
	d->empty = id_of(d, "");
	d->graph = id_of(d, GRAPH_NAME);
}

static void
say_missing(const struct dldb *d)
{
	struct buf b = { 0 };
	int i;

	if (d->n_missing == 0)
		return;
	for (i = 0; i < d->n_missing; i++) {
		buf_puts(&b, i > 0 ? ", " : "");
		buf_puts(&b, d->missing[i]);
	}
	warn("%s: an older database of DLProf, or not a whole one: it lacks"
	     " %.900s",
	    db_path(), buf_str(&b));
	buf_free(&b);
}

static void *
dl_open(sqlite3 *db, struct sources *ss)
{
	struct dldb *d = xcalloc(1, sizeof(*d));

	d->db = db;
	open_dictionary(d);
	dldb_run_open(d);
	dldb_rows(d, ss);
	dldb_own_rows(d, ss);
	say_missing(d);
	return d;
}

static void
dl_close(void *ctx)
{
	struct dldb *d = ctx;
	int i;

	dldb_run_close(d);
	dldb_own_close(d);
	sqlite3_finalize(d->string);
	for (i = 0; i < d->n_missing; i++)
		free((void *)d->missing[i]);
	free(d);
}

static void
facts(void *ctx)
{
	dldb_facts(ctx);
}

static void
notes(void *ctx)
{
	struct dldb *d = ctx;

	stage_note("missing_columns", (uint64_t)d->n_missing);
	stage_note("work_outside_run", d->stray);
}

const struct dialect dialect_dldb = {
	.name = "dldb",
	.probe = probe,
	.open = dl_open,
	.close = dl_close,
	.facts = facts,
	.string = dldb_string,
	.notes = notes,
	.run = dldb_run,
	.run_end = dldb_run_end,
	.work = dldb_work,
};
