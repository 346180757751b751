/* SQLite on somebody else's file; see input_db.h. */
#include "err.h"
#include "input_db.h"
#include "sqldb.h"

/* Fatal: what SQLite said, in the words of somebody with a file. */
static void
refuse(sqlite3 *db, const char *name, bool wal)
{
	switch (sqlite3_errcode(db)) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		die("%s: locked: another process is writing it", name);
	case SQLITE_NOTADB:
		die("%s: not a database, or an encrypted one", name);
	case SQLITE_CORRUPT:
		die("%s: corrupt database: %s", name, sqldb_error(db));
	default:
		if (wal)
			die("%s: its write-ahead log cannot be read here (%s);"
			    " copy both files to a writable folder",
			    name, sqldb_error(db));
		die("%s: cannot open the database: %s", name, sqldb_error(db));
	}
}

static int
begin(sqlite3 *db)
{
	return sqlite3_exec(
	    db, "BEGIN; SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
}

sqlite3 *
input_db(const char *path, const char *name, bool immutable, off_t size)
{
	sqlite3 *db = NULL;
	int r;

	r = sqldb_read(&db, path, immutable, size);
	if (db == NULL)
		die("out of memory");
	/* SQLite reads the file only now. It is read several times: what is
	 * put into its write-ahead log from now on is not seen. */
	if (r != SQLITE_OK || begin(db) != SQLITE_OK)
		refuse(db, name, !immutable);
	return db;
}

sqlite3 *
input_db_again(const char *path, const struct stat *st)
{
	sqlite3 *db = NULL;
	struct stat now;

	if (sqldb_read(&db, path, true, 0) == SQLITE_OK &&
	    begin(db) == SQLITE_OK && stat(path, &now) == 0 &&
	    now.st_dev == st->st_dev && now.st_ino == st->st_ino)
		return db;
	sqlite3_close(db);
	return NULL;
}
