/*
 * Questions to a database: which tables and columns it has, and statements
 * whose every failure is fatal. Views do not count as tables.
 */
#ifndef DLP_PARSE_SCHEMA_H
#define DLP_PARSE_SCHEMA_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

/* Sets the file name for messages about the file that is read from now on.
 * There is one name in the process, because a message ends it. A second thread
 * reads only while a single file is open, so both threads mean the same file.
 */
void db_use(const char *path);
const char *db_path(void);

bool db_has_table(sqlite3 *db, const char *table);
bool db_has_column(sqlite3 *db, const char *table, const char *column);

/* Whether the schema has something of that name that is no index: where there
 * is no such table, a view. */
bool db_names(sqlite3 *db, const char *name);

/* False if the table has no index. */
bool db_may_have_index(sqlite3 *db, const char *table);

/* "a, b, NULL" for the names (NULL ends the list): missing columns become NULL.
 * The caller frees it. */
char *db_cols(sqlite3 *db, const char *table, const char *const *names);

/* The quoted name if the table has the column, otherwise NULL: for
 * ev_source.gid etc. The caller frees it. */
char *db_col(sqlite3 *db, const char *table, const char *name);

/* Prepares a statement; fatal with the database's message if that fails. */
sqlite3_stmt *db_prepare(sqlite3 *db, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* sqlite3_step for a query: true if there is a row. Any error is fatal, with
 * one line, because an incomplete result must not look complete. */
bool db_step(sqlite3_stmt *st);

/* A value, or column i, as an integer; EV_UNSET if it is NULL. */
static inline int64_t
db_value(sqlite3_value *v)
{
	int64_t n = sqlite3_value_int64(v);

	if (n == 0 && sqlite3_value_type(v) == SQLITE_NULL)
		return EV_UNSET;
	return n;
}

static inline int64_t
db_i64(sqlite3_stmt *st, int i)
{
	return db_value(sqlite3_column_value(st, i));
}

/* A value as text, with its length; NULL if it is NULL. Valid as long as the
 * value; a column's value is valid until the next step. */
const char *db_text(sqlite3_value *v, uint32_t *n);

/* Tables that are not read: a note says how many rows they have. Entries with
 * the same note must be adjacent; the note has their sum. */
struct left_out {
	const char *table, *note;
};
void db_note_rows(sqlite3 *db, const struct left_out *v, size_t n);

#endif
