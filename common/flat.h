/*
 * Flattened time: the union of intervals per key (a process, a device), and the
 * sum of these.
 *
 * All pieces of all unions are kept up to 4 million (64 MB). Above that, a
 * union of more than 1024 pieces keeps only the newer half. An interval that
 * begins before the kept pieces counts only from there on, and is counted in
 * *flat_late. The same happens when two unions are joined of which both have
 * dropped pieces, because these may overlap.
 */
#ifndef DLP_FLAT_H
#define DLP_FLAT_H

#include "ivl.h"

struct flat {
	struct flat_part *part;
	int n;
};

extern uint64_t flat_late;

void flat_add(struct flat *f, int64_t key, int64_t lo, int64_t hi);
void flat_join(struct flat *f, const struct flat *from); /* adds all of it */
int64_t flat_len(const struct flat *f);

/* Calls fn for each piece that is kept. */
void flat_each(const struct flat *f,
    void (*fn)(void *ctx, int64_t key, int64_t lo, int64_t hi), void *ctx);

/* The number of pieces of all unions; and replaces pieces of one by their sum:
 * all but the newest one of each key. */
size_t flat_pieces(void);
void flat_fold(struct flat *f);

void flat_clear(struct flat *f); /* empties f; keeps the memory of the first
				  * parts */
void flat_free(struct flat *f);

#endif
