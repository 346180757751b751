/*
 * Questions to a database: which tables and columns it has, and statements
 * whose every failure is fatal. Views do not count as tables.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "event.h"

/* Sets the file name for messages about the file that is read from now on.
 * There is one name in the process, because a message ends it. A second thread
 * reads only while a single file is open, so both threads mean the same file.
 */
void db_use(const char *path);
const char *db_path(void);

bool db_has_table(sqlite3 *db, const char *table);
bool db_has_column(sqlite3 *db, const char *table, const char *column);
/* All of these columns (NULL ends the list). */
bool db_has_columns(sqlite3 *db, const char *table, const char *const *names);

/* Whether the schema has something of that name that is no index: where there
 * is no such table, a view. */
bool db_names(sqlite3 *db, const char *name);

/* False if the table has no index. */
bool db_may_have_index(sqlite3 *db, const char *table);

/* "a, b, NULL" for the names (NULL ends the list): missing columns become NULL.
 * The caller frees it. */
char *db_cols(sqlite3 *db, const char *table, const char *const *names);

/* Prepares a statement; fatal with the database's message if that fails. */
sqlite3_stmt *db_prepare(sqlite3 *db, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The statement "SELECT names FROM table tail"; NULL if the table does not have
 * the column that is needed. */
sqlite3_stmt *db_rows(sqlite3 *db, const char *table, const char *need,
    const char *const *names, const char *tail);

/* sqlite3_step for a query: true if there is a row. Any error is fatal, with
 * one line, because an incomplete result must not look complete. */
bool db_step(sqlite3_stmt *st);
/* The same for a statement that is read once: it is finalized at its end. False
 * for NULL. */
bool db_next(sqlite3_stmt **st);

/* The first value of a query; EV_UNSET if there is none. */
int64_t db_number(sqlite3 *db, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The rows of a table; 0 if there is no such table. */
uint64_t db_count(sqlite3 *db, const char *table);
/* Appends the text that a statement has for an id; false if it has none, or
 * there is no statement. */
bool db_string(sqlite3_stmt *st, int64_t id, struct buf *out);

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

/* The same; EV_UNSET if it is no integer. */
static inline int64_t
db_int(sqlite3_value *v)
{
	return sqlite3_value_type(v) == SQLITE_INTEGER ? sqlite3_value_int64(v)
						       : EV_UNSET;
}

/* A value as text, with its length; NULL if it is NULL. Valid as long as the
 * value; a column's value is valid until the next step. */
const char *db_text(sqlite3_value *v, uint32_t *n);

static inline const char *
db_str(sqlite3_stmt *st, int i)
{
	return (const char *)sqlite3_column_text(st, i);
}

/* Tables that are not read: a note says how many rows they have. Entries with
 * the same note must be adjacent; the note has their sum. */
struct left_out {
	const char *table, *note;
};
void db_note_rows(sqlite3 *db, const struct left_out *v, size_t n);
