/* SQLite on files of strangers; see sqldb.h. */
#include "sqldb.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "sqlvfs.h"

/*
 * A file of a few pages can be a tree with more rows than there are atoms, by
 * pages that are used many times. Steps of SQLite's machine that are granted
 * by byte: the widest statement takes about 100 for a row of 20 bytes, and
 * each table is read three times.
 */
#define STEPS_PER_BYTE 256
#define STEPS_AT_LEAST 20000000
#define STEPS_AT_ONCE 100000

static _Atomic int64_t steps_left; /* of all that are open; threads share it */

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
	static const int off[] = { SQLITE_DBCONFIG_TRUSTED_SCHEMA,
		SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
		SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER,
		SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
		SQLITE_DBCONFIG_ENABLE_FKEY, SQLITE_DBCONFIG_WRITABLE_SCHEMA,
		SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_DQS_DML };
	static const int limits[][2] = {
		{ SQLITE_LIMIT_LENGTH, SQLDB_LENGTH },
		{ SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },
		{ SQLITE_LIMIT_EXPR_DEPTH, 100 },
		{ SQLITE_LIMIT_COMPOUND_SELECT, 32 },
		{ SQLITE_LIMIT_VDBE_OP, 100000 },
		{ SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};
	size_t i;

	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	for (i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		sqlite3_db_config(db, off[i], 0, NULL);
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		sqlite3_limit(db, limits[i][0], limits[i][1]);
	sqlite3_drop_modules(db, NULL); /* no virtual tables */
	sqlite3_exec(db, "PRAGMA cell_size_check=1", NULL, NULL, NULL);
}

static bool
may_pragma(const char *name)
{
	return strcmp(name, "table_info") == 0 ||
	       strcmp(name, "table_xinfo") == 0;
}

/* db is main or temp; by is the view or trigger that wants it. The file is
 * open for reading: what is allowed here still cannot write it. */
static int
authorize(void *ctx, int what, const char *a, const char *b, const char *db,
    const char *by)
{
	(void)ctx;
	(void)b;
	if (by != NULL)
		return SQLITE_DENY;
	if (db != NULL && strcmp(db, "temp") == 0)
		return SQLITE_OK;
	switch (what) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_FUNCTION:
	case SQLITE_TRANSACTION:
		return SQLITE_OK;
	case SQLITE_UPDATE: /* asked when pragma_table_info is declared */
		return strcmp(a, "sqlite_master") == 0 ? SQLITE_OK
						       : SQLITE_DENY;
	case SQLITE_PRAGMA:
		return a != NULL && may_pragma(a) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

static int
spend(void *ctx)
{
	(void)ctx;
	steps_left -= STEPS_AT_ONCE;
	return steps_left < 0;
}

static void
set_budget(sqlite3 *db, int64_t size)
{
	if (size > INT64_MAX / 4 / STEPS_PER_BYTE)
		size = INT64_MAX / 4 / STEPS_PER_BYTE;
	if (steps_left < INT64_MAX / 2)
		steps_left += STEPS_AT_LEAST + size * STEPS_PER_BYTE;
	sqlite3_progress_handler(db, STEPS_AT_ONCE, spend, NULL);
}

int
sqldb_read(sqlite3 **db, const char *path, bool immutable, int64_t size)
{
	struct buf uri = { NULL, 0, 0 };
	int rc;

	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	put_uri(&uri, path, immutable);
	rc = sqlite3_open_v2(uri.s, db,
	    SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
	    immutable ? sqlvfs_ahead() : NULL);
	buf_free(&uri);
	if (rc != SQLITE_OK)
		return rc;
	harden(*db);
	set_budget(*db, size);
	return sqlite3_set_authorizer(*db, authorize, NULL);
}

int
sqldb_write(sqlite3 **db, const char *path)
{
	int rc = sqlite3_open_v2(path, db, SQLITE_OPEN_READWRITE, NULL);

	if (rc == SQLITE_OK)
		harden(*db);
	return rc;
}

int
sqldb_temp(sqlite3 **db)
{
	int rc = sqlite3_open("", db);

	if (rc == SQLITE_OK)
		harden(*db);
	return rc;
}

const char *
sqldb_error(sqlite3 *db)
{
	static _Thread_local char text[80];

	switch (sqlite3_errcode(db)) {
	case SQLITE_TOOBIG:
		snprintf(text, sizeof(text),
		    "a value or row of more than %d MiB", SQLDB_LENGTH >> 20);
		return text;
	case SQLITE_INTERRUPT:
		return "corrupt database: more to read than a file of its"
		       " size can hold";
	case SQLITE_AUTH:
		return "not what a profiler writes: a view, or code, where a"
		       " table should be";
	default:
		return sqlite3_errmsg(db);
	}
}
