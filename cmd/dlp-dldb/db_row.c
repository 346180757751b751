/* Rows of the database; see db.h. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "db.h"
#include "err.h"
#include "tables.h"

sqlite3_stmt *
db_prepare(struct db *db, const char *table, int rows)
{
	struct buf b = { 0 };
	sqlite3_stmt *st;
	int n;

	buf_printf(&b, "INSERT INTO %s VALUES ", table);
	while (rows-- > 0) {
		buf_puts(&b, "(?");
		for (n = table_ncols(table); n > 1; n--)
			buf_puts(&b, ",?");
		buf_puts(&b, rows > 0 ? ")," : ")");
	}
	if (sqlite3_prepare_v3(db->sql, buf_str(&b), -1,
		SQLITE_PREPARE_PERSISTENT, &st, NULL) != SQLITE_OK)
		db_fail(db);
	buf_free(&b);
	return st;
}

static void
ins_open(struct db *db, struct ins *in)
{
	if (in->st == NULL)
		in->st = db_prepare(db, in->table, 1);
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

void
db_step(struct db *db, sqlite3_stmt *st)
{
	if (!try(db, st))
		db_fail(db);
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
	db_step(db, in->st);
	return sqlite3_last_insert_rowid(db->sql);
}

bool
db_put_text(struct db *db, struct ins *in, int64_t *id, const char *s, size_t n)
{
	ins_open(db, in);
	bind_id(in, 0);
	sqlite3_bind_text(in->st, 2, s, (int)n, SQLITE_STATIC);
	if (!try(db, in->st))
		return false;
	*id = sqlite3_last_insert_rowid(db->sql);
	return true;
}
