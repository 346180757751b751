/*
 * Records to be sorted: in memory, and where they are too many, in sorted
 * runs on disk.
 */
#ifndef AGG_OUTSORT_H
#define AGG_OUTSORT_H

#include <stdint.h>

#include "buf.h"
#include "runs.h"
#include "sort.h"

struct line { /* a record that is kept: its place in lines.text */
	size_t at;
	uint32_t len, key; /* key: number of its keys in lines.val */
	int legend;        /* a number of the caller's */
};

struct lines {
	const struct sort *sort;
	struct buf text;
	struct line *line;
	size_t n, cap;
	struct sort_val *val; /* per key: of many lines the same */
	size_t n_keys;
	struct runs runs; /* on disk */
};

/* The order of the lines in memory: idx[l->n] gets their numbers. Equals stay
 * in the order of their arrival. */
void outsort_order(const struct lines *l, size_t *idx);

/* The lines in memory, in the order of idx, to a run. */
void outsort_run(struct lines *l, const size_t *idx);

/* Calls fn for each record of all runs, in order, and removes the runs. */
void outsort_merge(struct lines *l,
    void (*fn)(void *ctx, int legend, const char *s, size_t len), void *ctx);

#endif
