/* See dict_own_db.h. */
#include "dict_own_db.h"

#include "err.h"
#include "sqldb.h"

/* A range is in the lines of all kernels that were launched in it, the node of
 * a graph in those of all its replays. */
static const char schema[] =
    "CREATE TABLE r (pid, tid, t, e, text, UNIQUE (pid, tid, t, e, text));"
    "CREATE TABLE n (pid, tid, t, node, UNIQUE (pid, node));"
    "CREATE TABLE k (t, pid, tid, idx, start, dur, api, api_dur, dev, stream,"
    " g0, g1, g2, b0, b1, b2, short, name, node)";
static const char put_r[] = "INSERT OR IGNORE INTO r VALUES (?,?,?,?,?)";
static const char put_n[] = "INSERT OR IGNORE INTO n VALUES (?,?,?,?)";
static const char put_k[] =
    "INSERT INTO k VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";

sqlite3_stmt *own_db_r, *own_db_n, *own_db_k;

static sqlite3 *db;

void
own_db_ok(int rc)
{
	if (rc != SQLITE_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		die("a temporary database: %s", sqlite3_errmsg(db));
}

sqlite3_stmt *
own_db_statement(const char *sql)
{
	sqlite3_stmt *st;

	own_db_ok(sqlite3_prepare_v2(db, sql, -1, &st, NULL));
	return st;
}

void
own_db_open(void)
{
	if (db != NULL)
		return;
	own_db_ok(sqldb_temp(&db));
	own_db_ok(sqlite3_exec(db, schema, NULL, NULL, NULL));
	own_db_ok(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL));
	own_db_r = own_db_statement(put_r);
	own_db_k = own_db_statement(put_k);
	own_db_n = own_db_statement(put_n);
}

bool
own_db_is_open(void)
{
	return db != NULL;
}

void
own_db_close(void)
{
	own_db_ok(sqlite3_finalize(own_db_r));
	own_db_ok(sqlite3_finalize(own_db_k));
	own_db_ok(sqlite3_finalize(own_db_n));
	own_db_ok(sqlite3_close(db));
	db = NULL;
}
