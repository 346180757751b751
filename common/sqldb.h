/*
 * SQLite, for every command that opens a database. Files come from strangers: a
 * file is never written, nothing in it is executed, only its real tables can be
 * read, and the work is bounded by the size of the file.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Opens the database at path, of size bytes, for reading. immutable: nobody
 * writes it, and it has no write-ahead log. Statements can SELECT from tables
 * of the file, and use tables of temp freely. Returns SQLite's code; the caller
 * owns *db in any case, which is NULL if there is no memory. A second
 * connection to the file, for another thread, has size 0, because both share
 * the allowed work.
 */
int sqldb_read(sqlite3 **db, const char *path, bool immutable, int64_t size);

/* sqldb_write: an existing database, for writing. The other: a new one without
 * a name, in memory or, if it grows, in a temporary file. Triggers and views
 * have no effect. */
int sqldb_write(sqlite3 **db, const char *path);
int sqldb_temp(sqlite3 **db);

/* The error of a database that is read, in the words of a user with a file.
 * Valid until the next call on db. */
const char *sqldb_error(sqlite3 *db);
