/*
 * What is asked of a database: which tables and columns are there, and
 * statements whose every failure is fatal. Views do not count as tables.
 */
#ifndef DLP_PARSE_SCHEMA_H
#define DLP_PARSE_SCHEMA_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

/* The name, for messages, of the file that is read from now on. There is one
 * in the process, as a message ends it; a second thread reads only while a
 * single file is open, so that both mean the same. */
void db_use(const char *path);
const char *db_path(void);

bool db_has_table(sqlite3 *db, const char *table);
bool db_has_column(sqlite3 *db, const char *table, const char *column);

/* "a, b, NULL" for the names (NULL ends the list): columns that are missing
 * are NULL. To be freed. */
char *db_cols(sqlite3 *db, const char *table, const char *const *names);

/* The quoted name if the table has it, otherwise NULL: for ev_source.gid etc.
 * To be freed. */
char *db_col(sqlite3 *db, const char *table, const char *name);

/* Prepares; fatal with the database's message if it cannot. */
sqlite3_stmt *db_prepare(sqlite3 *db, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* sqlite3_step for a query: true for a row; any error is fatal, one line,
 * because a result that is not whole must not look whole. */
bool db_step(sqlite3_stmt *st);

/* A value as an integer, EV_UNSET if it is NULL; and column i so. */
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

/* A value as text and its length, NULL if it is NULL; valid as long as the
 * value, of a column until the next step. */
const char *db_text(sqlite3_value *v, uint32_t *n);

/* Tables that are not read: a note says how many rows they have. Those with
 * the same note follow one another, and it has their sum. */
struct left_out {
	const char *table, *note;
};
void db_note_rows(sqlite3 *db, const struct left_out *v, size_t n);

#endif
