/* The file that is written; see db.h. */
#include "db.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "bulk.h"
#include "ddl.h"
#include "err.h"
#include "sqldb.h"

static char *volatile doomed; /* file to remove if we end early */

static void
remove_temp(void)
{
	if (doomed != NULL)
		unlink(doomed);
	doomed = NULL;
}

static void
on_signal(int sig)
{
	if (doomed != NULL)
		unlink(doomed);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void
clean_up_later(char *temp)
{
	static const int sigs[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM };
	struct sigaction sa, old;
	size_t i;

	doomed = temp;
	atexit(remove_temp);
	for (i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		memset(&sa, 0, sizeof(sa));
		sa.sa_handler = on_signal;
		sigemptyset(&sa.sa_mask);
		if (sigaction(sigs[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(sigs[i], &sa, NULL);
	}
}

void
db_fail(const struct db *db)
{
	die("%s: %s", db->path, sqlite3_errmsg(db->sql));
}

static void
set_up(struct db *db)
{
	db_exec(db, "PRAGMA journal_mode = MEMORY");
	db_exec(db, "PRAGMA locking_mode = EXCLUSIVE");
	db_exec(db, "PRAGMA ignore_check_constraints = ON");
	db_exec(db, "PRAGMA synchronous = OFF");
	db_exec(db, "PRAGMA cache_size = -65536");
	db_exec(db, "BEGIN");
}

static void
open_file(struct db *db, const char *file)
{
	if (sqldb_write(&db->sql, file) != SQLITE_OK)
		die("%s: %s", db->path, sqlite3_errmsg(db->sql));
	set_up(db);
}

/* The file that is written. */
static const char *
file_of(const struct db *db)
{
	return db->temp != NULL ? db->temp : db->path;
}

/* A name beside path; SQLite makes the file anew with the mode of others. */
static char *
temp_beside(const char *path)
{
	struct buf b = { 0 };
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	buf_printf(&b, "%s.XXXXXX", path);
	buf_putc(&b, '\0');
	fd = mkstemp(b.s);
	if (fd < 0)
		die_errno("%s", path);
	fchmod(fd, 0666 & ~mask);
	close(fd);
	return b.s;
}

void
db_create(struct db *db, const char *path, bool force)
{
	struct stat st;

	memset(db, 0, sizeof(*db));
	db->path = path;
	if (stat(path, &st) == 0) {
		if (!S_ISREG(st.st_mode))
			die("%s: not a regular file", path);
		if (!force)
			die("%s: exists already; -f writes over it", path);
	} else if (errno != ENOENT)
		die_errno("%s", path);
	db->temp = temp_beside(path);
	clean_up_later(db->temp);
	open_file(db, db->temp);
}

void
db_open(struct db *db, const char *path)
{
	memset(db, 0, sizeof(*db));
	db->path = path;
	open_file(db, path);
}

/* Whoever prepared a statement keeps it until now. */
static void
close_sql(struct db *db)
{
	sqlite3_stmt *st;

	db_forget(db);
	while ((st = sqlite3_next_stmt(db->sql, NULL)) != NULL)
		sqlite3_finalize(st);
	if (sqlite3_close(db->sql) != SQLITE_OK)
		db_fail(db);
	db->sql = NULL;
}

void
db_bulk(struct db *db, bool more)
{
	db_exec(db, "COMMIT");
	db->bulk = xcalloc(1, sizeof(*db->bulk));
	bulk_roots(db->bulk, db->sql);
	close_sql(db);
	bulk_open(db->bulk, file_of(db), db->path);
	if (!more)
		return;
	if (sqldb_temp(&db->sql) != SQLITE_OK)
		db_fail(db);
	set_up(db);
	ddl_tables(db);
}

/* A table's rows from another database. */
static void
copy_table(struct db *db, struct db *from, const char *table)
{
	struct ins in = { .table = table };
	struct buf b = { 0 };
	sqlite3_stmt *st;

	buf_printf(&b, "SELECT * FROM %s ORDER BY id", table);
	if (sqlite3_prepare_v2(from->sql, buf_str(&b), -1, &st, NULL) !=
	    SQLITE_OK)
		db_fail(from);
	while (sqlite3_step(st) == SQLITE_ROW)
		db_copy(db, &in, st);
	if (sqlite3_finalize(st) != SQLITE_OK)
		db_fail(from);
	db_forget(db);
	buf_free(&b);
}

/* An index that lacks entries is made anew by ddl_indices(). */
static void
drop_index(void *ctx, const char *table)
{
	struct buf *b = ctx;
	char name[DDL_NAME];

	buf_printf(b, "DROP INDEX %s;", ddl_index_name(table, name));
}

void
db_bulk_end(struct db *db)
{
	struct buf drops = { 0 };
	struct db more = *db;
	int i;

	bulk_close(db->bulk, drop_index, &drops);
	free(db->bulk);
	db->bulk = NULL;
	db->used = NULL;
	open_file(db, file_of(db));
	db_exec(db, buf_str(&drops));
	buf_free(&drops);
	for (i = 0; more.sql != NULL && ddl_table(i) != NULL; i++)
		copy_table(db, &more, ddl_table(i));
	if (more.sql != NULL)
		close_sql(&more);
}

void
db_finish(struct db *db)
{
	db_exec(db, "COMMIT");
	close_sql(db);
	if (db->temp == NULL)
		return;
	if (rename(db->temp, db->path) != 0)
		die_errno("%s", db->path);
	doomed = NULL;
	free(db->temp);
	db->temp = NULL;
}

static void
drop_nothing(void *ctx, const char *table)
{
	(void)ctx, (void)table;
}

void
db_drop(struct db *db)
{
	if (db->bulk != NULL)
		bulk_close(db->bulk, drop_nothing, NULL);
	free(db->bulk);
	close_sql(db);
	remove_temp();
	free(db->temp);
	db->temp = NULL;
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
