/*
 * Groups as bytes, to be sorted, or to change hands between threads: a first
 * number with the part, the sums; of several rows their number and statistics.
 * The name comes behind them, as the caller likes it.
 */
#ifndef STATS_PACKED_H
#define STATS_PACKED_H

#include "buf.h"
#include "table.h"

void packed_put(struct buf *b, const struct group *g);

/* All but the key; where the bytes of the group end. g->code.packed is as it
 * was. */
const char *packed_get(struct group *g, const char *s);

#endif
