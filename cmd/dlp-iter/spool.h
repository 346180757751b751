/* Items in order, in memory and then in a nameless file in TMPDIR. */
#ifndef ITER_SPOOL_H
#define ITER_SPOOL_H

#include "buf.h"
#include "item.h"

struct spool {
	struct buf b;
	int fd;        /* the file; -1: none yet */
	uint64_t size; /* bytes in the file */
};

void spool_put(struct spool *s, const struct item *m, const char *line);

/* Calls fn for each item, in order, and empties the spool. */
void spool_play(struct spool *s,
    void (*fn)(void *ctx, const struct item *m, const char *line), void *ctx);

/* The same, and the spool stays as it is. */
void spool_look(struct spool *s,
    void (*fn)(void *ctx, const struct item *m, const char *line), void *ctx);

#endif
