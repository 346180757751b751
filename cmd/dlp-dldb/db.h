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
	struct ins *used; /* those with a statement, or a table of bulk */
	const char *path;
	char *temp; /* NULL: path itself is written to */
	struct bulk *bulk;
};

/* A new one. Fatal if path exists, unless force. */
void db_create(struct db *db, const char *path, bool force);
/* One that is there, in which a transaction begins. */
void db_open(struct db *db, const char *path);
/*
 * From here on rows of db_add() go to the file without SQLite, which has it
 * closed; if more, those of db_put() wait in another database until the end,
 * when they are copied; else there must be none. The tables are empty.
 */
void db_bulk(struct db *db, bool more);
void db_bulk_end(struct db *db);
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
	bool asked;   /* SQLite has its rows at once: somebody asks for them */
	bool entries; /* those of its index come by db_entry() */
	/* private */
	sqlite3_stmt *st, *find;
	struct bulk_table *bulk;
	struct ins *next;
	bool used;
};
int64_t db_put(struct db *db, struct ins *in, int64_t id, const char *fmt, ...);
/* NULL, in a row of integers. */
#define DB_NULL INT64_MIN
/* A row of n integers, id first (0: the next one), or DB_NULL, for tables with
 * many: see db_bulk(). */
void db_add(struct db *db, struct ins *in, const int64_t *row, int n);
/* An entry of its table's index, in the order of the index: its columns, and
 * the row's id. Only between db_bulk() and db_bulk_end(). */
void db_entry(struct ins *in, const int64_t *entry);
#define DB_ADD(db, in, ...)                                                    \
	db_add(db, in, (const int64_t[]){ __VA_ARGS__ },                       \
	    (int)(sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))
/* The id of a text in the dictionary, which gets it if need be. */
int64_t db_text_id(struct db *db, struct ins *in, const char *s, size_t n);
/* The row that a query is at, into the same table of db. */
void db_copy(struct db *db, struct ins *in, sqlite3_stmt *row);
/* The statements of the connection are no more. */
void db_forget(struct db *db);

/* The first value of a query's first row; def if it has none. */
int64_t db_int(struct db *db, const char *sql, int64_t def);

#endif
