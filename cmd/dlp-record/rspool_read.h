/*
 * Reads a folder of spools. Files come from processes that may have been
 * killed, and may be damaged: every record is checked before it is seen.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rspool.h"

struct rspool_part { /* records of one thread, one after the other */
	uint32_t tid;
	uint64_t serial;
	size_t begin, end; /* places in the file */
};

struct rspool_seen { /* how far a chunk has been read */
	uint32_t used, now;
	uint32_t tid;
	uint64_t serial;
};

struct rspool_file { /* of one process, or of one program in it */
	char *name;  /* in the folder */
	const char *map;
	size_t size;
	struct rspool_part *part; /* by thread and serial */
	size_t n_parts, parts_cap;
	struct rspool_seen *seen; /* one per chunk */
	size_t n_seen;
};

struct rspool_dir {
	char *path;
	char *session; /* its text; NULL: there is none */
	struct rspool_file *file;
	size_t n, cap;
	uint64_t bad; /* chunks or parts of them that cannot be read */
};

/* Reads a folder, or one spool; fatal if path is neither. d is all zero at
 * first. live: a recording that goes on: the files get the parts that were
 * written since the last call, and those alone. The records that were read
 * before can still be looked at, at their places. */
void rspool_read(struct rspool_dir *d, const char *path, bool live);
void rspool_free(struct rspool_dir *d);

/* The record at *at of a part, whose size and texts have been checked; NULL at
 * the end of the part. *at goes on to the next one. */
const struct rspool_rec *rspool_next(
    const struct rspool_file *f, const struct rspool_part *p, size_t *at);

/* The value of a line key=value of the session; NULL if there is none. The
 * caller frees it. */
char *rspool_session(const struct rspool_dir *d, const char *key);
