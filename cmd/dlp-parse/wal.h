/*
 * The write-ahead log of a database: whether SQLite will read all of it. It
 * takes a log up to the last change that is whole and says nothing of the rest.
 */
#ifndef WAL_H
#define WAL_H

#include <stdint.h>

/* What is wrong with the log at path, a file that is not empty, and *at which
 * byte; NULL: nothing. */
const char *wal_fault(const char *path, int64_t *at);

#endif
