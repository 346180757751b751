/*
 * Writes a database of SQLite. A new one has a temporary name beside the final
 * one, and gets the final name when it is complete, so that a run that fails
 * leaves nothing. All failures are fatal.
 *
 * Its schema is a data file of SQL (common/shipped.h). The tables of a database
 * have the numbers in which the file creates them, from 0.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

#define DBW_NULL INT64_MIN /* in a row of integers: NULL */

struct dbw_table {
	char *create; /* its statement; NULL: the table is there */
	char *name;
	sqlite3_stmt *one;  /* inserts one row; NULL if not prepared */
	sqlite3_stmt *many; /* for dbw_add(): many rows in one statement */
	int64_t *rows;      /* rows that wait */
	int n_rows, n_cols;
};

struct dbw {
	sqlite3 *sql;
	const char *path;
	char *temp;         /* NULL: writes to path itself */
	const char *exists; /* NULL: path may be overwritten */
	struct dbw_table *table;
	size_t n_tables;
	sqlite3_stmt *row; /* the one that is being filled, and how far */
	int col;
};

/* Creates a database and begins a transaction. If path exists, the message is
 * path and `exists`; NULL allows it. */
void dbw_create(struct dbw *db, const char *path, const char *exists);
/* Opens an existing one and begins a transaction. */
void dbw_open(struct dbw *db, const char *path);
/* The n tables of a schema. They are there, or, with `create`, each is created
 * with its first row. */
void dbw_tables(struct dbw *db, const char *schema, size_t n, bool create);
/* The next statement of a data file, as one line; false at the end. Statements
 * end with a semicolon at the end of a line, comments are before them. */
bool dbw_statement(const char **text, struct buf *b);
/* Executes the statements of a data file, each as one line, as SQLite stores
 * those that create something. */
void dbw_script(struct dbw *db, const char *text);
/* Commits and closes everything; path is the database from now on. */
void dbw_finish(struct dbw *db);
/* Closes it and removes what dbw_create() made. */
void dbw_drop(struct dbw *db);
/* Signals that end the process remove it, too. */
void dbw_catch_signals(void);

void dbw_exec(struct dbw *db, const char *sql);
/* False if a constraint fails. */
bool dbw_try(struct dbw *db, const char *sql);
sqlite3_stmt *dbw_prepare(struct dbw *db, const char *sql);

/* A row: begin, a value for each column in order, end. Columns without a value
 * are NULL. dbw_end_try() is false if a constraint does not allow the row. */
void dbw_begin(struct dbw *db, unsigned table);
void dbw_ints(struct dbw *db, const int64_t *v, int n);
void dbw_f64(struct dbw *db, double v);
void dbw_text(struct dbw *db, const char *s, size_t n); /* s NULL: NULL */
void dbw_str(struct dbw *db, const char *s);
void dbw_nulls(struct dbw *db, int n);
void dbw_end(struct dbw *db);
bool dbw_end_try(struct dbw *db);

/* A whole row of integers. */
void dbw_row(struct dbw *db, unsigned table, const int64_t *v, int n);
/* A whole row. fmt has a letter per column after id: i int64_t, f double, t
 * const char * (NULL is ""), n nothing (NULL). id 0 means the next one; returns
 * the id. */
int64_t dbw_put(
    struct dbw *db, unsigned table, int64_t id, const char *fmt, ...);

/* Adds a row of n integers, id first (0: the next one), to a table with many
 * rows. Some rows wait, and are written together; dbw_flush() writes all, so
 * that queries find them. */
void dbw_add(struct dbw *db, unsigned table, const int64_t *row, int n);
void dbw_flush(struct dbw *db);

#define DBW_LIST(...)                                                          \
	(const int64_t[]){ __VA_ARGS__ },                                      \
	    (int)(sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))
#define DBW_INTS(db, ...) dbw_ints(db, DBW_LIST(__VA_ARGS__))
#define DBW_ROW(db, t, ...) dbw_row(db, t, DBW_LIST(__VA_ARGS__))
#define DBW_ADD(db, t, ...) dbw_add(db, t, DBW_LIST(__VA_ARGS__))
