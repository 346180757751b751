/* Rows of the database; see db.h. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "bulk.h"
#include "db.h"
#include "ddl.h"
#include "err.h"

static void
use(struct db *db, struct ins *in)
{
	if (in->used)
		return;
	in->used = true;
	in->next = db->used;
	db->used = in;
}

void
db_forget(struct db *db)
{
	struct ins *in;

	while ((in = db->used) != NULL) {
		db->used = in->next;
		in->st = in->find = NULL;
		in->bulk = NULL;
		in->used = false;
	}
}

static sqlite3_stmt *
prepare(struct db *db, const char *sql)
{
	sqlite3_stmt *st;

	if (sqlite3_prepare_v3(db->sql, sql, -1, SQLITE_PREPARE_PERSISTENT, &st,
		NULL) != SQLITE_OK)
		db_fail(db);
	return st;
}

static void
ins_open(struct db *db, struct ins *in)
{
	struct buf b = { 0 };
	int n;

	if (in->st != NULL)
		return;
	buf_printf(&b, "INSERT INTO %s VALUES (?", in->table);
	for (n = ddl_ncols(in->table); n > 1; n--)
		buf_puts(&b, ",?");
	buf_puts(&b, ")");
	in->st = prepare(db, buf_str(&b));
	buf_free(&b);
	use(db, in);
}

static bool
try(struct db *db, sqlite3_stmt *st)
{
	int rc = sqlite3_step(st);

	sqlite3_reset(st);
	if (rc != SQLITE_DONE && rc != SQLITE_CONSTRAINT)
		db_fail(db);
	return rc == SQLITE_DONE;
}

static void
bind_id(struct ins *in, int64_t id)
{
	if (id != 0)
		sqlite3_bind_int64(in->st, 1, id);
	else
		sqlite3_bind_null(in->st, 1);
}

int64_t
db_put(struct db *db, struct ins *in, int64_t id, const char *fmt, ...)
{
	const char *s;
	va_list ap;
	int i;

	ins_open(db, in);
	bind_id(in, id);
	va_start(ap, fmt);
	for (i = 2; *fmt != '\0'; fmt++, i++) {
		if (*fmt == 'i') {
			sqlite3_bind_int64(in->st, i, va_arg(ap, int64_t));
		} else if (*fmt == 'f') {
			sqlite3_bind_double(in->st, i, va_arg(ap, double));
		} else if (*fmt == 't') {
			s = va_arg(ap, const char *);
			sqlite3_bind_text(
			    in->st, i, s != NULL ? s : "", -1, SQLITE_STATIC);
		} else
			sqlite3_bind_null(in->st, i);
	}
	va_end(ap);
	if (!try(db, in->st))
		db_fail(db);
	return sqlite3_last_insert_rowid(db->sql);
}

static void
insert(struct db *db, struct ins *in, const int64_t *row, int n)
{
	int i;

	ins_open(db, in);
	bind_id(in, row[0]);
	for (i = 1; i < n; i++)
		if (row[i] != DB_NULL)
			sqlite3_bind_int64(in->st, i + 1, row[i]);
		else
			sqlite3_bind_null(in->st, i + 1);
	if (!try(db, in->st))
		db_fail(db);
}

void
db_copy(struct db *db, struct ins *in, sqlite3_stmt *row)
{
	int i;

	ins_open(db, in);
	for (i = 0; i < sqlite3_column_count(row); i++)
		sqlite3_bind_value(in->st, i + 1, sqlite3_column_value(row, i));
	if (!try(db, in->st))
		db_fail(db);
}

void
db_add(struct db *db, struct ins *in, const int64_t *row, int n)
{
	if (db->bulk == NULL || in->asked) {
		insert(db, in, row, n);
		return;
	}
	if (in->bulk == NULL) {
		if (n != ddl_ncols(in->table))
			die("%s: %d columns", in->table, n);
		in->bulk = bulk_table(db->bulk, in->table, n, !in->entries);
		use(db, in);
	}
	if (!bulk_add(in->bulk, row))
		insert(db, in, row, n);
}

void
db_entry(struct ins *in, const int64_t *entry)
{
	if (in->bulk != NULL)
		bulk_entry(in->bulk, entry);
}

int64_t
db_text_id(struct db *db, struct ins *in, const char *s, size_t n)
{
	int64_t id = 0;

	ins_open(db, in);
	bind_id(in, 0);
	sqlite3_bind_text(in->st, 2, s, (int)n, SQLITE_STATIC);
	if (try(db, in->st))
		return sqlite3_last_insert_rowid(db->sql);
	if (in->find == NULL)
		in->find =
		    prepare(db, "SELECT id FROM dictionary WHERE string = ?1");
	sqlite3_bind_text(in->find, 1, s, (int)n, SQLITE_STATIC);
	if (sqlite3_step(in->find) == SQLITE_ROW)
		id = sqlite3_column_int64(in->find, 0);
	sqlite3_reset(in->find);
	if (id == 0)
		db_fail(db);
	return id;
}
