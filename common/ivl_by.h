/*
 * The union of time intervals, and the sum of the unions of each key (a
 * device). As long as there is one key, the two are one and kept once.
 */
#ifndef DLP_IVL_BY_H
#define DLP_IVL_BY_H

#include <stdbool.h>

#include "flat.h"

struct ivl_by { /* zeroed: empty */
	struct ivl all;
	int64_t key; /* the only one so far */
	bool many;   /* else: */
	struct flat by;
};

void ivl_by_add(struct ivl_by *u, int64_t key, int64_t lo, int64_t hi);
int64_t ivl_by_len(const struct ivl_by *u); /* the sum over the keys */
void ivl_by_clear(struct ivl_by *u);        /* the memory of all is kept */
void ivl_by_free(struct ivl_by *u);

#endif
