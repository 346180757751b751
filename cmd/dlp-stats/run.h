/*
 * A sorted run of rows, in memory or in a file without a name, of numbers as
 * in varint.h:
 *
 *	2 * length of the key + 1 if it is packed, number of rows, the key,
 *	rows: 8 * part + number of values, values; 0 are left out at the end
 */
#ifndef STATS_RUN_H
#define STATS_RUN_H

#include <sys/types.h>

#include "shapes.h"
#include "table.h"
#include "varint.h"

#define RUN_WORDS (1 + TABLE_VALS) /* of a row at most: part, values */
#define RUN_ROW_MAX (VARINT_MAX * RUN_WORDS)
#define RUN_SLACK (RUN_ROW_MAX * 2) /* to be read behind the end, unused */

struct run_out {
	struct buf buf;
	int fd;      /* -1: all in memory */
	bool packed; /* all keys are */
};

void run_put_key(struct run_out *o, const struct table_code *c, size_t nrows);
void run_add_row(struct run_out *o, const int64_t *row, int nval);
void run_put_empty(struct run_out *o); /* a row of part 0 without values */

/* The bytes in buf to the file, if there is one and they are many. */
void run_flush(struct run_out *o, bool all);

/* A row at p, where there is room for RUN_ROW_MAX bytes; behind it. */
static inline char *
run_put_row(char *p, uint32_t part, const int64_t *v, int nval)
{
	int i;

	while (nval > 0 && v[nval - 1] == 0)
		nval--;
	p = varint_put(p, (uint64_t)part << 3 | (unsigned)nval);
	for (i = 0; i < nval; i++)
		p = varint_put(p, varint_fold(v[i]));
	return p;
}

/* The part and values of the row at p. */
static inline const char *
run_get_row(const char *p, int64_t *row, int nval)
{
	uint64_t v;
	int i, n;

	p = varint_get(p, &v);
	n = (int)(v & 7);
	row[0] = (int64_t)(v >> 3);
	for (i = 1; i <= nval; i++) {
		v = 0;
		if (i <= n)
			p = varint_get(p, &v);
		row[i] = varint_unfold(v);
	}
	return p;
}

void run_text(
    const struct shapes *x, const struct table_code *c, struct buf *b);

struct run_parts {         /* rows of other parts are passed over */
	uint32_t from, to; /* to is one of them, too */
};

struct run {
	int fd;       /* -1: all is in b */
	struct buf b; /* what was read, from pos on yet to be used */
	size_t pos;
	off_t at;               /* where the file is read next */
	bool end;               /* no row is left */
	struct table_code code; /* the current row's key, as it lies in keep */
	struct buf keep, key;   /* key: what it is compared by */
	uint64_t chunk;         /* text_chunk() of it */
	bool has_key;
	size_t rows; /* behind it, of the same key */
	int nval;
	const struct shapes *shapes; /* of keys */
	bool packed;                 /* all runs' keys are: no text is needed
					to compare them */
	struct run_parts parts;
	int64_t row[RUN_WORDS];
};

void run_open(struct run *r, const struct run_out *o);
void run_close(struct run *r);
void run_next(struct run *r); /* sets end, or the row and its key */

#endif
