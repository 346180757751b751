/*
 * A sorted run of rows, in memory or in a file without a name:
 *
 *	u32 length of the key, u32 number of rows, the key,
 *	rows: i64 part, i64 values
 */
#ifndef STATS_RUN_H
#define STATS_RUN_H

#include <sys/types.h>

#include "buf.h"

#define RUN_WORDS 8

struct run_out {
	struct buf buf;
	int fd; /* -1: all in memory */
};

/* The bytes in buf to the file, if there is one and they are many. */
void run_flush(struct run_out *o, bool all);

struct run_parts {         /* rows of other parts are passed over */
	uint32_t from, to; /* to is one of them, too */
};

struct run {
	int fd;       /* -1: all is in b */
	struct buf b; /* what was read, from pos on yet to be used */
	size_t pos;
	off_t at;       /* where the file is read next */
	bool end;       /* no row is left */
	struct buf key; /* of the current row */
	uint32_t rows;  /* behind it, of the same key */
	int width;      /* words in a row */
	struct run_parts parts;
	int64_t row[RUN_WORDS];
};

void run_open(struct run *r, const struct run_out *o, int width,
    const struct run_parts *parts);
void run_close(struct run *r);
void run_next(struct run *r); /* sets end, or the row */

#endif
