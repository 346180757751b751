/*
 * Writes the database: its file, its rows, and the queries that read them back.
 * A new database is written under a temporary name and renamed when it is
 * complete, so that a run that fails leaves nothing. All failures are fatal.
 */
#include "db.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "buf.h"
#include "err.h"
#include "sqldb.h"

/* The file to remove if the process ends early. One per process, because a
 * signal handler has no argument. */
static char *volatile doomed;

static void
remove_temp(void)
{
	if (doomed != NULL)
		unlink(doomed);
	doomed = NULL;
}

/* The signal then ends the process as if it had no handler. */
static void
on_signal(int sig)
{
	if (doomed != NULL)
		unlink(doomed);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Removes temp when the process ends, unless `doomed` is NULL by then. A signal
 * that is ignored, as under nohup, stays ignored. */
static void
clean_up_later(char *temp)
{
	static const int sigs[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM };
	struct sigaction sa, old;
	size_t i;

	doomed = temp;
	atexit(remove_temp);
	for (i = 0; i < ARRAY_LEN(sigs); i++) {
		memset(&sa, 0, sizeof(sa));
		sa.sa_handler = on_signal;
		sigemptyset(&sa.sa_mask);
		if (sigaction(sigs[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(sigs[i], &sa, NULL);
	}
}

static void
open_file(struct db *db, const char *file)
{
	if (sqldb_write(&db->sql, file) != SQLITE_OK)
		die("%s: %s", db->path, sqlite3_errmsg(db->sql));
	db_exec(db, "PRAGMA journal_mode = MEMORY");
	db_exec(db, "PRAGMA locking_mode = EXCLUSIVE");
	db_exec(db, "PRAGMA ignore_check_constraints = ON");
	db_exec(db, "PRAGMA synchronous = OFF");
	db_exec(db, "PRAGMA cache_size = -65536");
	db_exec(db, "BEGIN");
}

/* Creates an empty file in the folder of path and returns its name. mkstemp()
 * makes it private; it then gets the mode that a new file usually has. umask()
 * returns the mask only if it sets one. */
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

/* Frees the rows that wait (without writing them) and all statements. */
static void
close_inserts(struct db *db)
{
	sqlite3_stmt *st;
	size_t i;

	for (i = 0; i < DB_TABLES; i++)
		free(db->ins[i].rows);
	memset(db->ins, 0, sizeof(db->ins));
	db->find_text = NULL;
	while ((st = sqlite3_next_stmt(db->sql, NULL)) != NULL)
		sqlite3_finalize(st);
}

/* Ends the process with the database's message. */
static void
db_fail(const struct db *db)
{
	die("%s: %s", db->path, sqlite3_errmsg(db->sql));
}

void
db_finish(struct db *db)
{
	db_exec(db, "COMMIT");
	close_inserts(db);
	if (sqlite3_close(db->sql) != SQLITE_OK)
		db_fail(db);
	db->sql = NULL;
	if (db->temp == NULL)
		return;
	if (rename(db->temp, db->path) != 0)
		die_errno("%s", db->path);
	doomed = NULL;
	free(db->temp);
	db->temp = NULL;
}

void
db_drop(struct db *db)
{
	close_inserts(db);
	sqlite3_close(db->sql);
	db->sql = NULL;
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

/* An INSERT of this many rows; its parameters are their columns in order. */
static sqlite3_stmt *
prepare(struct db *db, enum db_table t, int rows)
{
	struct buf b = { 0 };
	sqlite3_stmt *st;
	int n;

	buf_printf(&b, "INSERT INTO %s VALUES ", db_table_name(t));
	while (rows-- > 0) {
		buf_puts(&b, "(?");
		for (n = db_table_cols(t); n > 1; n--)
			buf_puts(&b, ",?");
		buf_puts(&b, rows > 0 ? ")," : ")");
	}
	if (sqlite3_prepare_v3(db->sql, buf_str(&b), -1,
		SQLITE_PREPARE_PERSISTENT, &st, NULL) != SQLITE_OK)
		db_fail(db);
	buf_free(&b);
	return st;
}

/* The table's inserts, with the statement for one row prepared. */
static struct db_insert *
insert_of(struct db *db, enum db_table t)
{
	struct db_insert *in = &db->ins[t];

	if (in->st == NULL)
		in->st = prepare(db, t, 1);
	return in;
}

/* Adds the bound row; false if a constraint does not allow it. */
static bool
try_step(struct db *db, sqlite3_stmt *st)
{
	int rc = sqlite3_step(st);

	sqlite3_reset(st);
	if (rc != SQLITE_DONE && rc != SQLITE_CONSTRAINT)
		db_fail(db);
	return rc == SQLITE_DONE;
}

static void
step_row(struct db *db, sqlite3_stmt *st)
{
	if (!try_step(db, st))
		db_fail(db);
}

/* For id 0 SQLite chooses the next one. */
static void
bind_id(struct db_insert *in, int64_t id)
{
	if (id != 0)
		sqlite3_bind_int64(in->st, 1, id);
	else
		sqlite3_bind_null(in->st, 1);
}

int64_t
db_put(struct db *db, enum db_table t, int64_t id, const char *fmt, ...)
{
	struct db_insert *in = insert_of(db, t);
	const char *s;
	va_list ap;
	int i;

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
	step_row(db, in->st);
	return sqlite3_last_insert_rowid(db->sql);
}

/* The id of a text that the dictionary already has: its texts are unique, so
 * adding one again fails. */
static int64_t
find_text(struct db *db, const char *s, size_t n)
{
	int64_t id = 0;

	if (db->find_text == NULL &&
	    sqlite3_prepare_v2(db->sql,
		"SELECT id FROM dictionary WHERE string = ?1", -1,
		&db->find_text, NULL) != SQLITE_OK)
		db_fail(db);
	sqlite3_bind_text(db->find_text, 1, s, (int)n, SQLITE_STATIC);
	if (sqlite3_step(db->find_text) == SQLITE_ROW)
		id = sqlite3_column_int64(db->find_text, 0);
	sqlite3_reset(db->find_text);
	if (id == 0)
		die("%s: dictionary: %s", db->path, sqlite3_errmsg(db->sql));
	return id;
}

int64_t
db_put_text(struct db *db, const char *s, size_t n)
{
	struct db_insert *in = insert_of(db, T_DICTIONARY);

	bind_id(in, 0);
	sqlite3_bind_text(in->st, 2, s, (int)n, SQLITE_STATIC);
	if (!try_step(db, in->st))
		return find_text(db, s, n);
	return sqlite3_last_insert_rowid(db->sql);
}

#define MANY 32 /* rows in one INSERT: more are not faster */

static void
many_open(struct db *db, struct db_insert *in, enum db_table t, int n)
{
	in->n_cols = db_table_cols(t);
	if (in->n_cols != n)
		die("%s: %d columns", db_table_name(t), n);
	in->many = prepare(db, t, MANY);
	in->rows = xcalloc(MANY, (size_t)n * sizeof(*in->rows));
}

/* Binds n of the rows that wait, from row `from`. The first column is the id; 0
 * lets SQLite choose it. */
static void
bind_rows(const struct db_insert *in, sqlite3_stmt *st, int from, int n)
{
	const int64_t *v = in->rows + (size_t)from * (size_t)in->n_cols;
	int i, k;

	for (i = 0; i < n * in->n_cols; i += in->n_cols) {
		if (v[i] != 0)
			sqlite3_bind_int64(st, i + 1, v[i]);
		else
			sqlite3_bind_null(st, i + 1);
		for (k = 1; k < in->n_cols; k++)
			if (v[i + k] != DB_NULL)
				sqlite3_bind_int64(st, i + k + 1, v[i + k]);
			else
				sqlite3_bind_null(st, i + k + 1);
	}
}

static void
flush_rows(struct db *db, enum db_table t)
{
	struct db_insert *in = &db->ins[t];
	int i;

	if (in->n_rows == MANY) {
		bind_rows(in, in->many, 0, MANY);
		step_row(db, in->many);
	} else {
		for (i = 0; i < in->n_rows; i++) {
			bind_rows(in, insert_of(db, t)->st, i, 1);
			step_row(db, in->st);
		}
	}
	in->n_rows = 0;
}

void
db_add(struct db *db, enum db_table t, const int64_t *row, int n)
{
	struct db_insert *in = &db->ins[t];

	if (in->many == NULL)
		many_open(db, in, t, n);
	memcpy(in->rows + (size_t)in->n_rows * (size_t)n, row,
	    (size_t)n * sizeof(*row));
	if (++in->n_rows == MANY)
		flush_rows(db, t);
}

void
db_flush(struct db *db)
{
	int t;

	for (t = 0; t < DB_TABLES; t++)
		flush_rows(db, (enum db_table)t);
}
