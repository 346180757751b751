/* SQLite on somebody else's file; see input_db.h. */
#include <ctype.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "input_db.h"

/* A file: URI in which every byte of the path is itself. */
static void
put_uri(struct buf *b, const char *path, bool immutable)
{
	static const char hex[] = "0123456789ABCDEF";
	const unsigned char *s = (const unsigned char *)path;

	buf_puts(b, "file:");
	/* Two slashes would begin a host name. */
	if (s[0] == '/')
		buf_puts(b, "//");
	for (; *s != '\0'; s++)
		if (isalnum(*s) || strchr("/._-", *s) != NULL) {
			buf_putc(b, (char)*s);
		} else {
			buf_putc(b, '%');
			buf_putc(b, hex[*s >> 4]);
			buf_putc(b, hex[*s & 15]);
		}
	buf_puts(b, immutable ? "?immutable=1" : "?mode=ro");
	buf_putc(b, '\0');
}

static void
harden(sqlite3 *db)
{
	static const int on[] = { SQLITE_DBCONFIG_DEFENSIVE };
	static const int off[] = { SQLITE_DBCONFIG_TRUSTED_SCHEMA,
		SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
		SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
		SQLITE_DBCONFIG_ENABLE_FKEY, SQLITE_DBCONFIG_DQS_DDL,
		SQLITE_DBCONFIG_DQS_DML };
	static const int limits[][2] = {
		{ SQLITE_LIMIT_LENGTH, 1 << 28 },
		{ SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },
		{ SQLITE_LIMIT_EXPR_DEPTH, 100 },
		{ SQLITE_LIMIT_COMPOUND_SELECT, 32 },
		{ SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(on) / sizeof(on[0]); i++)
		sqlite3_db_config(db, on[i], 1, NULL);
	for (i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		sqlite3_db_config(db, off[i], 0, NULL);
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		sqlite3_limit(db, limits[i][0], limits[i][1]);
	sqlite3_exec(db, "PRAGMA cell_size_check=1", NULL, NULL, NULL);
}

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
		die("%s: corrupt database: %s", name, sqlite3_errmsg(db));
	default:
		if (wal)
			die("%s: its write-ahead log cannot be read here (%s);"
			    " copy both files to a writable folder",
			    name, sqlite3_errmsg(db));
		die("%s: cannot open the database: %s", name,
		    sqlite3_errmsg(db));
	}
}

sqlite3 *
input_db(const char *path, const char *name, bool immutable)
{
	struct buf uri = { NULL, 0, 0 };
	sqlite3 *db = NULL;
	int r;

	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	put_uri(&uri, path, immutable);
	r = sqlite3_open_v2(uri.s, &db,
	    SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	buf_free(&uri);
	if (db == NULL)
		die("out of memory");
	if (r != SQLITE_OK)
		refuse(db, name, !immutable);
	harden(db);
	/* SQLite reads the file only now. */
	if (sqlite3_exec(db, "SELECT count(*) FROM sqlite_master", NULL, NULL,
		NULL) != SQLITE_OK)
		refuse(db, name, !immutable);
	return db;
}
