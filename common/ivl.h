/* Time intervals: their extent; their union: one, or one per key and the sum of
 * these. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map.h"

struct extent { /* zeroed: nothing; from the first to the last time so far */
	int64_t lo, hi;
	bool any;
};

static inline void
extent_add(struct extent *e, int64_t lo, int64_t hi)
{
	if (!e->any || lo < e->lo)
		e->lo = lo;
	if (!e->any || hi > e->hi)
		e->hi = hi;
	e->any = true;
}

struct ivl {
	struct ivl_span {
		int64_t lo, hi;
	} * v; /* disjoint, ascending */
	size_t n, cap;
	size_t head; /* of cap: free places before v */
};

/* Adds [lo, hi); does nothing if hi <= lo. */
void ivl_add(struct ivl *u, int64_t lo, int64_t hi);

int64_t ivl_len(const struct ivl *u); /* total length */

/* The length of the part inside [lo, hi). */
int64_t ivl_len_in(const struct ivl *u, int64_t lo, int64_t hi);

/* Removes the n first pieces and returns their length; *end is the end of the
 * last of them (unchanged if n is 0). */
int64_t ivl_drop(struct ivl *u, size_t n, int64_t *end);

void ivl_clear(struct ivl *u);
void ivl_free(struct ivl *u);

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

struct flat {
	struct flat_part *part;
	int n;
	struct map at; /* key -> place in part, of all but the first keys */
};

extern uint64_t flat_late;

void flat_add(struct flat *f, int64_t key, int64_t lo, int64_t hi);
int64_t flat_len(const struct flat *f);

/* Calls fn for each piece that is kept. */
void flat_each(const struct flat *f,
    void (*fn)(void *ctx, int64_t key, int64_t lo, int64_t hi), void *ctx);

void flat_clear(struct flat *f); /* empties f; keeps the memory of few keys */
void flat_free(struct flat *f);

/*
 * The union of time intervals, and the sum of the unions of each key (a
 * device). With a single key both are the same and stored once.
 */

struct ivl_by { /* zeroed: empty */
	struct ivl all;
	int64_t key; /* the only key so far */
	bool many;   /* otherwise: */
	struct flat by;
};

void ivl_by_add(struct ivl_by *u, int64_t key, int64_t lo, int64_t hi);
int64_t ivl_by_len(const struct ivl_by *u); /* the sum over the keys */
void ivl_by_clear(struct ivl_by *u);        /* keeps all memory */
void ivl_by_free(struct ivl_by *u);
