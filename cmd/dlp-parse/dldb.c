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
