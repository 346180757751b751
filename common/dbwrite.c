/* Writes databases; see dbwrite.h. */
#include "dbwrite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
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

/* A signal that is ignored, as under nohup, stays ignored. */
void
dbw_catch_signals(void)
{
	static const int sigs[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM };
	struct sigaction sa, old;
	size_t i;

	for (i = 0; i < ARRAY_LEN(sigs); i++) {
		memset(&sa, 0, sizeof(sa));
		sa.sa_handler = on_signal;
		sigemptyset(&sa.sa_mask);
		if (sigaction(sigs[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(sigs[i], &sa, NULL);
	}
}

/* Ends the process with the database's message. */
static void
dbw_fail(const struct dbw *db)
{
	die("%s: %s", db->path, sqlite3_errmsg(db->sql));
}

void
dbw_exec(struct dbw *db, const char *sql)
{
	if (sqlite3_exec(db->sql, sql, NULL, NULL, NULL) != SQLITE_OK)
		dbw_fail(db);
}

bool
dbw_try(struct dbw *db, const char *sql)
{
	int rc = sqlite3_exec(db->sql, sql, NULL, NULL, NULL);

	if (rc != SQLITE_OK && rc != SQLITE_CONSTRAINT)
		dbw_fail(db);
	return rc == SQLITE_OK;
}

sqlite3_stmt *
dbw_prepare(struct dbw *db, const char *sql)
{
	sqlite3_stmt *st;

	if (sqlite3_prepare_v3(db->sql, sql, -1, SQLITE_PREPARE_PERSISTENT, &st,
		NULL) != SQLITE_OK)
		dbw_fail(db);
	return st;
}

static void
open_file(struct dbw *db, const char *file)
{
	/* there is one thread; fails harmlessly if SQLite is in use already */
	(void)sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	if (sqldb_write(&db->sql, file) != SQLITE_OK)
		dbw_fail(db);
	dbw_exec(db, "PRAGMA locking_mode = EXCLUSIVE;"
		     "PRAGMA ignore_check_constraints = ON;"
		     "PRAGMA cache_size = -65536");
}

/* Creates an empty file in the folder of path and returns its name. mkstemp()
 * makes it private; it then gets the mode that a new file usually has. umask()
 * returns the mask only if it sets one. */
static char *
temp_beside(const char *path)
{
	struct buf b = { 0 };
	mode_t mask = umask(0);
	int fd, err;

	umask(mask);
	buf_printf(&b, "%s.XXXXXX", path);
	buf_putc(&b, '\0');
	fd = mkstemp(b.s);
	if (fd < 0)
		die_errno("%s", path);
	if (fchmod(fd, 0666 & ~mask) != 0) {
		err = errno;
		unlink(b.s);
		errno = err;
		die_errno("%s", b.s);
	}
	close(fd);
	return b.s;
}

void
dbw_create(struct dbw *db, const char *path, const char *exists)
{
	struct stat st;

	memset(db, 0, sizeof(*db));
	db->path = path;
	db->exists = exists;
	if (stat(path, &st) == 0) {
		if (!S_ISREG(st.st_mode))
			die("%s: not a regular file", path);
		if (exists != NULL)
			die("%s%s", path, exists);
	} else if (errno != ENOENT)
		die_errno("%s", path);
	doomed = db->temp = temp_beside(path);
	atexit(remove_temp);
	open_file(db, db->temp);
	/* an incomplete file is removed, so it needs no protection */
	dbw_exec(db, "PRAGMA journal_mode = MEMORY;"
		     "PRAGMA synchronous = OFF;"
		     "BEGIN");
}

void
dbw_open(struct dbw *db, const char *path)
{
	memset(db, 0, sizeof(*db));
	db->path = path;
	open_file(db, path);
	dbw_exec(db, "BEGIN");
}

bool
dbw_statement(const char **text, struct buf *b)
{
	const char *s = *text + strspn(*text, " \n");

	while (strncmp(s, "--", 2) == 0) {
		s += strcspn(s, "\n");
		s += strspn(s, " \n");
	}
	buf_clear(b);
	for (; *s != '\0' && strncmp(s, ";\n", 2) != 0; s++) {
		if (*s != '\n') {
			buf_putc(b, *s);
			continue;
		}
		buf_putc(b, ' ');
		s += strspn(s, " \n") - 1;
	}
	*text = *s != '\0' ? s + 1 : s;
	return b->len > 0;
}

void
dbw_script(struct dbw *db, const char *text)
{
	struct buf b = { 0 };

	while (dbw_statement(&text, &b))
		dbw_exec(db, buf_str(&b));
	buf_free(&b);
}

void
dbw_tables(struct dbw *db, const char *schema, size_t n, bool create)
{
	struct buf b = { 0 };
	struct dbw_table *t;
	const char *name;

	db->table = xcalloc(n, sizeof(*db->table));
	while (db->n_tables < n && dbw_statement(&schema, &b)) {
		t = &db->table[db->n_tables++];
		name = buf_str(&b) + strlen("CREATE TABLE ");
		t->name = xmemdup(name, strcspn(name, " "));
		t->create = create ? xmemdup(b.s, b.len) : NULL;
	}
	buf_free(&b);
	if (db->n_tables < n || schema[strspn(schema, " \n")] != '\0')
		die("the schema does not have %zu tables", n);
}

/* Frees the rows that wait (without writing them) and all statements. */
static void
dbw_close(struct dbw *db)
{
	sqlite3_stmt *st;
	size_t i;

	for (i = 0; i < db->n_tables; i++) {
		free(db->table[i].rows);
		free(db->table[i].create);
		free(db->table[i].name);
	}
	free(db->table);
	while ((st = sqlite3_next_stmt(db->sql, NULL)) != NULL)
		sqlite3_finalize(st);
}

/* If path must not be overwritten, the name must still be free: another process
 * may have taken it since dbw_create() looked. */
static void
claim(const struct dbw *db)
{
	int fd;

	if (db->exists == NULL)
		return;
	fd = open(db->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 && errno == EEXIST)
		die("%s%s", db->path, db->exists);
	if (fd < 0)
		die_errno("%s", db->path);
	close(fd);
}

void
dbw_finish(struct dbw *db)
{
	dbw_exec(db, "COMMIT");
	dbw_close(db);
	if (sqlite3_close(db->sql) != SQLITE_OK)
		dbw_fail(db);
	if (db->temp != NULL) {
		claim(db);
		if (rename(db->temp, db->path) != 0)
			die_errno("%s", db->path);
		doomed = NULL;
		free(db->temp);
	}
	memset(db, 0, sizeof(*db));
}

void
dbw_drop(struct dbw *db)
{
	dbw_close(db);
	sqlite3_close(db->sql);
	remove_temp();
	free(db->temp);
	memset(db, 0, sizeof(*db));
}

/* An INSERT of this many rows; its parameters are their columns in order. */
static sqlite3_stmt *
prepare_insert(struct dbw *db, const struct dbw_table *t, int rows)
{
	struct buf b = { 0 };
	sqlite3_stmt *st;
	int n;

	buf_printf(&b, "INSERT INTO %s VALUES ", t->name);
	while (rows-- > 0) {
		buf_puts(&b, "(?");
		for (n = t->n_cols; n > 1; n--)
			buf_puts(&b, ",?");
		buf_puts(&b, rows > 0 ? ")," : ")");
	}
	st = dbw_prepare(db, buf_str(&b));
	buf_free(&b);
	return st;
}

/* The table, which is there, with the statement for one row. */
static struct dbw_table *
table_of(struct dbw *db, unsigned no)
{
	struct dbw_table *t = &db->table[no];
	struct buf b = { 0 };
	sqlite3_stmt *st;

	if (t->one != NULL)
		return t;
	if (t->create != NULL)
		dbw_exec(db, t->create);
	free(t->create);
	t->create = NULL;
	buf_printf(&b, "SELECT * FROM %s", t->name);
	st = dbw_prepare(db, buf_str(&b));
	t->n_cols = sqlite3_column_count(st);
	sqlite3_finalize(st);
	buf_free(&b);
	t->one = prepare_insert(db, t, 1);
	return t;
}

void
dbw_begin(struct dbw *db, unsigned table)
{
	db->row = table_of(db, table)->one;
	db->col = 0;
}

void
dbw_ints(struct dbw *db, const int64_t *v, int n)
{
	for (; n-- > 0; v++)
		if (*v != DBW_NULL)
			sqlite3_bind_int64(db->row, ++db->col, *v);
		else
			sqlite3_bind_null(db->row, ++db->col);
}

void
dbw_f64(struct dbw *db, double v)
{
	sqlite3_bind_double(db->row, ++db->col, v);
}

void
dbw_text(struct dbw *db, const char *s, size_t n)
{
	sqlite3_bind_text64(
	    db->row, ++db->col, s, n, SQLITE_STATIC, SQLITE_UTF8);
}

void
dbw_str(struct dbw *db, const char *s)
{
	dbw_text(db, s, s != NULL ? strlen(s) : 0);
}

void
dbw_nulls(struct dbw *db, int n)
{
	while (n-- > 0)
		sqlite3_bind_null(db->row, ++db->col);
}

bool
dbw_end_try(struct dbw *db)
{
	int rc;

	dbw_nulls(db, sqlite3_bind_parameter_count(db->row) - db->col);
	/* Adds the bound row; false if a constraint does not allow it. */
	rc = sqlite3_step(db->row);
	sqlite3_reset(db->row);
	if (rc != SQLITE_DONE && rc != SQLITE_CONSTRAINT)
		dbw_fail(db);
	return rc == SQLITE_DONE;
}

void
dbw_end(struct dbw *db)
{
	if (!dbw_end_try(db))
		dbw_fail(db);
}

void
dbw_row(struct dbw *db, unsigned table, const int64_t *v, int n)
{
	dbw_begin(db, table);
	dbw_ints(db, v, n);
	dbw_end(db);
}

int64_t
dbw_put(struct dbw *db, unsigned table, int64_t id, const char *fmt, ...)
{
	const char *s;
	va_list ap;

	dbw_begin(db, table);
	DBW_INTS(db, id != 0 ? id : DBW_NULL);
	va_start(ap, fmt);
	for (; *fmt != '\0'; fmt++) {
		if (*fmt == 'i') {
			sqlite3_bind_int64(
			    db->row, ++db->col, va_arg(ap, int64_t));
		} else if (*fmt == 'f') {
			dbw_f64(db, va_arg(ap, double));
		} else if (*fmt == 't') {
			s = va_arg(ap, const char *);
			dbw_str(db, s != NULL ? s : "");
		} else
			dbw_nulls(db, 1);
	}
	va_end(ap);
	dbw_end(db);
	return sqlite3_last_insert_rowid(db->sql);
}

#define MANY 32 /* rows in one INSERT: more are not faster */

/* Binds n of the rows that wait, from row `from`. The first column is the id; 0
 * lets SQLite choose it. */
static void
bind_rows(struct dbw *db, const struct dbw_table *t, sqlite3_stmt *st, int from,
    int n)
{
	const int64_t *v = t->rows + (size_t)from * (size_t)t->n_cols;

	db->row = st;
	for (db->col = 0; n-- > 0; v += t->n_cols) {
		DBW_INTS(db, v[0] != 0 ? v[0] : DBW_NULL);
		dbw_ints(db, v + 1, t->n_cols - 1);
	}
	dbw_end(db);
}

static void
flush_rows(struct dbw *db, struct dbw_table *t)
{
	int i;

	if (t->n_rows == MANY)
		bind_rows(db, t, t->many, 0, MANY);
	else
		for (i = 0; i < t->n_rows; i++)
			bind_rows(db, t, t->one, i, 1);
	t->n_rows = 0;
}

void
dbw_add(struct dbw *db, unsigned table, const int64_t *row, int n)
{
	struct dbw_table *t = &db->table[table];

	if (t->many == NULL) {
		t = table_of(db, table);
		if (t->n_cols != n)
			die("%s: %d columns", t->name, n);
		t->many = prepare_insert(db, t, MANY);
		t->rows = xcalloc(MANY, (size_t)n * sizeof(*t->rows));
	}
	memcpy(t->rows + (size_t)t->n_rows * (size_t)n, row,
	    (size_t)n * sizeof(*row));
	if (++t->n_rows == MANY)
		flush_rows(db, t);
}

void
dbw_flush(struct dbw *db)
{
	size_t i;

	for (i = 0; i < db->n_tables; i++)
		flush_rows(db, &db->table[i]);
}
