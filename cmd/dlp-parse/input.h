/*
 * Opening a profile database: plain, compressed, on standard input, or as a
 * report that nsys can export. Whatever the file holds, it is only read and
 * nothing in it is run: no extensions, triggers, views or unsafe functions.
 */
#ifndef DLP_PARSE_INPUT_H
#define DLP_PARSE_INPUT_H

#include <sqlite3.h>

/* The database in the file path; NULL or "-" is standard input. The caller
 * closes it with sqlite3_close(). Anything else than a readable database is
 * fatal with one line. Temporary files lie in TMPDIR and are gone when this
 * returns. */
sqlite3 *input_open(const char *path);

#endif
