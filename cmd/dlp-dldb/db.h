/*
 * The database that is written: under a name of its own beside the wanted
 * one, which it gets when it is whole; so a run that fails leaves nothing.
 * All failures are fatal.
 */
#ifndef DLP_DLDB_DB_H
#define DLP_DLDB_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct db {
	sqlite3 *sql;
	struct ins *adding; /* those with rows of db_add() */
	const char *path;
	char *temp; /* NULL: path itself is written to */
};

/* A new one. Fatal if path exists, unless force. */
void db_create(struct db *db, const char *path, bool force);
/* One that is there, in which a transaction begins. */
void db_open(struct db *db, const char *path);
/* All rows of db_add() so far are there for queries. */
void db_flush(struct db *db);
/* Commits, closes, with all statements; path is the database from now on. */
void db_finish(struct db *db);
/* Closes; what db_create() made is gone. */
void db_drop(struct db *db);

/* Ends with the database's message. */
void db_fail(const struct db *db) __attribute__((noreturn));

void db_exec(struct db *db, const char *sql);
bool db_try(struct db *db, const char *sql); /* false: a constraint */

/*
 * Rows of a table. fmt has a letter per column behind id: i int64_t, f
 * double, t const char * (NULL is ""), n nothing (NULL). id 0: the next one;
 * returns the id.
 */
struct ins {
	const char *table;
	sqlite3_stmt *st;
	/* of db_add() */
	sqlite3_stmt *many;
	int64_t *rows;
	int n_rows, n_cols;
	struct ins *next;
};
int64_t db_put(struct db *db, struct ins *in, int64_t id, const char *fmt, ...);
/* NULL, in a row of integers. */
#define DB_NULL INT64_MIN
/* A row of n integers, id first (0: the next one), or DB_NULL, for tables with
 * many: some wait, and go together. */
void db_add(struct db *db, struct ins *in, const int64_t *row, int n);
#define DB_ADD(db, in, ...)                                                    \
	db_add(db, in, (const int64_t[]){ __VA_ARGS__ },                       \
	    (int)(sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))
/* Forgets what waits. */
void db_add_free(struct db *db);
/* As db_put(), false for a text that is there already: the dictionary. */
bool db_put_text(
    struct db *db, struct ins *in, int64_t *id, const char *s, size_t n);

/* A statement that adds so many rows, and its step. */
sqlite3_stmt *db_prepare(struct db *db, const char *table, int rows);
void db_step(struct db *db, sqlite3_stmt *st);

/* The first value of a query's first row; def if it has none. */
int64_t db_int(struct db *db, const char *sql, int64_t def);

#endif
