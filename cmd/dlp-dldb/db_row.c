/* Rows of the database; see db.h. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "db.h"
#include "ddl.h"
#include "err.h"

#define MANY 16 /* rows at once: more are not faster */

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
		db_fail(db);
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
		db_fail(db);
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
		db_fail(db);
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
		db_fail(db);
	return sqlite3_last_insert_rowid(db->sql);
}

void
db_put_ints(struct db *db, struct ins *in, int64_t id, const int64_t *v, int n)
{
	int i;

	ins_open(db, in);
	bind_id(in, id);
	for (i = 0; i < n; i++)
		if (v[i] != DB_NULL)
			sqlite3_bind_int64(in->st, i + 2, v[i]);
		else
			sqlite3_bind_null(in->st, i + 2);
	if (!step(db, in->st))
		db_fail(db);
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
