/* Bytes that are written one behind the other, then read so, as often as
 * wanted: a few in memory, more in a nameless file in TMPDIR. Trouble with it,
 * such as a full disk, is fatal. */
#ifndef ITER_TAPE_H
#define ITER_TAPE_H

#include "buf.h"

struct tape {
	struct buf b;
	int fd;        /* the file; TAPE_NEW: none yet */
	uint64_t size; /* bytes in the file */
	uint64_t left; /* of them not read yet */
	size_t pos;    /* in b: what was read */
	bool reading;
};

#define TAPE_NEW                                                               \
	{                                                                      \
		.fd = -1                                                       \
	}

void tape_full(struct tape *t); /* for tape_put() */

/* Appends n bytes. */
static inline void
tape_put(struct tape *t, const char *s, size_t n)
{
	buf_put(&t->b, s, n);
	if (t->b.len >= 8 * 1024 * 1024)
		tape_full(t);
}

/* All is written: reading begins, from the start; this can be said again. */
void tape_rewind(struct tape *t);

/* At least `want` of the bytes that were not read yet, or all of them; *n is
 * how many. They stay where they are until the next call. */
const char *tape_at(struct tape *t, size_t want, size_t *n);

/* n of them are read. */
static inline void
tape_skip(struct tape *t, size_t n)
{
	t->pos += n;
}

void tape_free(struct tape *t); /* it is new again */

#endif
