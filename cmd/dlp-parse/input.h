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

/* One more connection to the database that was opened last, for another
 * thread: the caller's, once. NULL where none is sure to see the same, the
 * file is too small to be worth it, or there is one processor. */
sqlite3 *input_second(void);

/* A temporary copy of a compressed file, whose first n bytes are in head: a
 * database or a .dict. The next input_open() is of the copy, unless it was
 * removed, with input_forget(). Returns its path. */
const char *input_unpack(
    const char *name, int fd, const unsigned char *head, size_t n);
void input_forget(void);

#endif
