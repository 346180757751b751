/*
 * SQLite on somebody else's file: it is only read, and nothing in it is run.
 */
#ifndef DLP_PARSE_INPUT_DB_H
#define DLP_PARSE_INPUT_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Opens the database at path, of size bytes with its log; name is for
 * messages, failures are fatal. immutable: nobody writes it, and it has no
 * write-ahead log. */
sqlite3 *input_db(
    const char *path, const char *name, bool immutable, off_t size);

/* A second connection, for a thread, to the database that was just opened so,
 * as immutable; st is of the file. NULL if it cannot be had. */
sqlite3 *input_db_again(const char *path, const struct stat *st);

#endif
