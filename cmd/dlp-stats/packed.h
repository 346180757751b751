/*
 * Groups as bytes, to be sorted, or to change hands between threads: a first
 * one with the part, the sums; of several rows their number and statistics;
 * and the key as it is kept.
 */
#ifndef STATS_PACKED_H
#define STATS_PACKED_H

#include "buf.h"
#include "table.h"

void packed_put(struct buf *b, const struct group *g);

/* All but the key, of which there is the code: it lies in s. */
void packed_get(struct group *g, const char *s, size_t n);

#endif
