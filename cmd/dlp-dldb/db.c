/* The file that is written, and rows; see db.h. */
#include "db.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "ddl.h"
#include "err.h"

#define MANY 16 /* rows at once: more are not faster */

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

static void
fail(const struct db *db)
{
	die("%s: %s", db->path, sqlite3_errmsg(db->sql));
}

static void
open_file(struct db *db, const char *file, int flags)
{
	if (sqlite3_open_v2(file, &db->sql, flags, NULL) != SQLITE_OK)
		die("%s: %s", db->path, sqlite3_errmsg(db->sql));
	db_exec(db, "PRAGMA journal_mode = MEMORY");
	db_exec(db, "PRAGMA synchronous = OFF");
	db_exec(db, "PRAGMA cache_size = -65536");
	db_exec(db, "BEGIN");
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
	open_file(db, db->temp, SQLITE_OPEN_READWRITE);
}

void
db_open(struct db *db, const char *path)
{
	memset(db, 0, sizeof(*db));
	db->path = path;
	open_file(db, path, SQLITE_OPEN_READWRITE);
}

/* Whoever prepared one keeps it until now. */
static void
close_statements(struct db *db)
{
	sqlite3_stmt *st;

	while ((st = sqlite3_next_stmt(db->sql, NULL)) != NULL)
		sqlite3_finalize(st);
}

static void
free_rows(struct db *db)
{
	struct ins *in;

	for (in = db->adding; in != NULL; in = in->next) {
		free(in->rows);
		in->rows = NULL;
		in->many = in->st = NULL;
	}
	db->adding = NULL;
}

void
db_finish(struct db *db)
{
	db_flush(db);
	free_rows(db);
	db_exec(db, "COMMIT");
	close_statements(db);
	if (sqlite3_close(db->sql) != SQLITE_OK)
		fail(db);
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
	free_rows(db);
	close_statements(db);
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
		fail(db);
}

bool
db_try(struct db *db, const char *sql)
{
	int rc = sqlite3_exec(db->sql, sql, NULL, NULL, NULL);

	if (rc != SQLITE_OK && rc != SQLITE_CONSTRAINT)
		fail(db);
	return rc == SQLITE_OK;
}

static sqlite3_stmt *
prepare(struct db *db, const char *table, int rows)
{
	struct buf b = { 0 };
	sqlite3_stmt *st;
	int n;

	buf_printf(&b, "INSERT INTO %s VALUES ", table);
	while (rows-- > 0) {
		buf_puts(&b, "(?");
		for (n = ddl_ncols(table); n > 1; n--)
			buf_puts(&b, ",?");
		buf_puts(&b, rows > 0 ? ")," : ")");
	}
	if (sqlite3_prepare_v3(db->sql, buf_str(&b), -1,
		SQLITE_PREPARE_PERSISTENT, &st, NULL) != SQLITE_OK)
		fail(db);
	buf_free(&b);
	return st;
}

static void
ins_open(struct db *db, struct ins *in)
{
	if (in->st == NULL)
		in->st = prepare(db, in->table, 1);
}

static bool
step(struct db *db, sqlite3_stmt *st)
{
	int rc = sqlite3_step(st);

	sqlite3_reset(st);
	if (rc != SQLITE_DONE && rc != SQLITE_CONSTRAINT)
		fail(db);
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

/* Puts rows from..from+n-1 with a statement for that many. */
static void
put_rows(struct db *db, struct ins *in, sqlite3_stmt *st, int from, int n)
{
	const int64_t *v = in->rows + (size_t)from * (size_t)in->n_cols;
	int i, k;

	for (i = 0; i < n * in->n_cols; i += in->n_cols) {
		if (v[i] != 0)
			sqlite3_bind_int64(st, i + 1, v[i]);
		else
			sqlite3_bind_null(st, i + 1);
		for (k = 1; k < in->n_cols; k++)
			sqlite3_bind_int64(st, i + k + 1, v[i + k]);
	}
	if (!step(db, st))
		fail(db);
}

static void
flush_rows(struct db *db, struct ins *in)
{
	int i;

	if (in->n_rows == MANY) {
		put_rows(db, in, in->many, 0, MANY);
	} else {
		ins_open(db, in);
		for (i = 0; i < in->n_rows; i++)
			put_rows(db, in, in->st, i, 1);
	}
	in->n_rows = 0;
}

void
db_flush(struct db *db)
{
	struct ins *in;

	for (in = db->adding; in != NULL; in = in->next)
		flush_rows(db, in);
}

void
db_add(struct db *db, struct ins *in, const int64_t *row, int n)
{
	if (in->many == NULL) {
		in->n_cols = ddl_ncols(in->table);
		if (in->n_cols != n)
			die("%s: %d columns", in->table, n);
		in->many = prepare(db, in->table, MANY);
		in->rows = xcalloc(MANY, (size_t)n * sizeof(*in->rows));
		in->next = db->adding;
		db->adding = in;
	}
	memcpy(in->rows + (size_t)in->n_rows * (size_t)n, row,
	    (size_t)n * sizeof(*row));
	if (++in->n_rows == MANY)
		flush_rows(db, in);
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
	if (!step(db, in->st))
		fail(db);
	return sqlite3_last_insert_rowid(db->sql);
}

bool
db_put_text(struct db *db, struct ins *in, int64_t *id, const char *s, size_t n)
{
	ins_open(db, in);
	bind_id(in, 0);
	sqlite3_bind_text(in->st, 2, s, (int)n, SQLITE_STATIC);
	if (!step(db, in->st))
		return false;
	*id = sqlite3_last_insert_rowid(db->sql);
	return true;
}

int64_t
db_int(struct db *db, const char *sql, int64_t def)
{
	sqlite3_stmt *st;

	if (sqlite3_prepare_v2(db->sql, sql, -1, &st, NULL) != SQLITE_OK)
		fail(db);
	if (sqlite3_step(st) == SQLITE_ROW &&
	    sqlite3_column_type(st, 0) != SQLITE_NULL)
		def = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return def;
}
