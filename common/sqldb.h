/*
 * SQLite, for every command that opens a database. What is read comes from
 * strangers: it is never written, nothing in it is run, only its real tables
 * can be read, and the work is bounded by the size of the file.
 */
#ifndef DLP_SQLDB_H
#define DLP_SQLDB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* The longest value or row that is read, in bytes. */

/*
 * Opens the database at path, of size bytes, to read it. immutable: nobody
 * writes it, and it has no write-ahead log. Statements can SELECT from tables
 * of the file, and do what they like with tables of temp. Returns SQLite's
 * code; *db is the caller's in any case, NULL if there is no memory. A second
 * connection to a file, for another thread, has size 0: the work is granted
 * once for both.
 */
int sqldb_read(sqlite3 **db, const char *path, bool immutable, int64_t size);

/* One to be written, which is there; and a new one without a name, in memory
 * or, if it grows, in a temporary file. Triggers and views do nothing. */
int sqldb_write(sqlite3 **db, const char *path);
int sqldb_temp(sqlite3 **db);

/* What went wrong with a database that is read, in the words of somebody with
 * a file. Valid until the next call on db. */
const char *sqldb_error(sqlite3 *db);

#endif
