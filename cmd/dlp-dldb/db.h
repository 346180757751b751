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

#include "pages.h"

struct db {
	sqlite3 *sql;
	struct ins *adding;            /* those with rows of db_add() */
	struct pages pages, key_pages; /* and where these are */
	const char *path;
	char *temp; /* NULL: path itself is written to */
};

/* A new one. Fatal if path exists, unless force. */
void db_create(struct db *db, const char *path, bool force);
/* One that is there, in which a transaction begins. */
void db_open(struct db *db, const char *path);
/* The half is written but for few rows: makes its indices; from now on those
 * of db_add() are there for SQL. */
void db_flush(struct db *db, bool aggregated);
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
	struct bulk *bulk; /* db_add()'s */
	struct ins *next;
};
int64_t db_put(struct db *db, struct ins *in, int64_t id, const char *fmt, ...);
/* A row of integers, id first (0: the next one), or DB_NULL, for tables with
 * many: they go past SQL, best in the order of their ids. n: their number.
 * Returns the id. */
int64_t db_add(struct db *db, struct ins *in, const int64_t *row, int n);
#define DB_ADD(db, in, ...)                                                    \
	db_add(db, in, (const int64_t[]){ __VA_ARGS__ },                       \
	    (int)(sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))
/* The row's entry in the table's index: its columns, and the row's id; best in
 * their order. Without one for each row, SQL makes the index. */
void db_add_key(struct db *db, struct ins *in, const int64_t *key, int n);
/* db_add() by SQL, at once. */
void db_put_ints(struct db *db, struct ins *in, const int64_t *row, int n);
/* Forgets what waits. */
void db_add_free(struct db *db);
/* As db_put(), false for a text that is there already: the dictionary. */
bool db_put_text(
    struct db *db, struct ins *in, int64_t *id, const char *s, size_t n);

/* The first value of a query's first row; def if it has none. */
int64_t db_int(struct db *db, const char *sql, int64_t def);

#endif
