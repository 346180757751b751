/*
 * The union of time intervals, and the sum of the unions of each key (a
 * device). With a single key both are the same and stored once.
 */
#ifndef DLP_IVL_BY_H
#define DLP_IVL_BY_H

#include <stdbool.h>

#include "flat.h"

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

#endif
