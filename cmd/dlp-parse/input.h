/*
 * Opening a profile database: plain, compressed, on standard input, or as a
 * report that nsys can export. Whatever the file holds, it is only read and
 * nothing in it is run: no extensions, triggers, views or unsafe functions.
 */
#ifndef DLP_INPUT_H
#define DLP_INPUT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

/* The database in the file path; NULL or "-" is standard input. The caller
 * closes it with sqlite3_close(). Anything else than a readable database is
 * fatal with one line. Temporary files lie in TMPDIR and are gone when this
 * returns. */
sqlite3 *input_open(const char *path);

/* Whether the database has an ordinary table of that name; views and virtual
 * tables do not count. Fatal if the schema cannot be read. */
bool input_has_table(sqlite3 *db, const char *name);

/* Whether that table has the column (letter case does not matter, as in
 * SQL). */
bool input_has_column(sqlite3 *db, const char *table, const char *column);

#endif
