/* Statements on the database; see db.h. */
#include "db.h"
#include "err.h"

void
db_fail(const struct db *db)
{
	die("%s: %s", db->path, sqlite3_errmsg(db->sql));
}

void
db_exec(struct db *db, const char *sql)
{
	if (sqlite3_exec(db->sql, sql, NULL, NULL, NULL) != SQLITE_OK)
		db_fail(db);
}

bool
db_try(struct db *db, const char *sql)
{
	int rc = sqlite3_exec(db->sql, sql, NULL, NULL, NULL);

	if (rc != SQLITE_OK && rc != SQLITE_CONSTRAINT)
		db_fail(db);
	return rc == SQLITE_OK;
}

int64_t
db_int(struct db *db, const char *sql, int64_t def)
{
	sqlite3_stmt *st;

	if (sqlite3_prepare_v2(db->sql, sql, -1, &st, NULL) != SQLITE_OK)
		db_fail(db);
	if (sqlite3_step(st) == SQLITE_ROW &&
	    sqlite3_column_type(st, 0) != SQLITE_NULL)
		def = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return def;
}
