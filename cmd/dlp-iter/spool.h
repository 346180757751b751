/* Items in order, and their lines, in memory and then in files: where they wait
 * until the key is known. */
#ifndef ITER_SPOOL_H
#define ITER_SPOOL_H

#include "item.h"
#include "tape.h"

struct spool { /* begins as SPOOL_NEW */
	struct tape items, lines;
	struct item last; /* that was written, or read */
};

#define SPOOL_NEW                                                              \
	{                                                                      \
		.items = TAPE_NEW, .lines = TAPE_NEW                           \
	}

void spool_put(struct spool *s, const struct item *m, const char *line);

/* Calls fn for each item, in order; nothing can be put from then on. */
void spool_look(
    struct spool *s, void (*fn)(void *ctx, const struct item *m), void *ctx);

/* The same with their lines; then the spool is empty. */
void spool_play(struct spool *s,
    void (*fn)(void *ctx, const struct item *m, const char *line), void *ctx);

#endif
