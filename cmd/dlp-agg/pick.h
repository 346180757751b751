/* Percentiles and unions from values and pieces that are on disk. */
#ifndef AGG_PICK_H
#define AGG_PICK_H

#include "state.h"

struct pick { /* a way through sorted records */
	struct xsort *x;
	struct runs_rec r;
	bool have; /* r is one */
};

/* At the first record. */
void pick_open(struct pick *p, struct xsort *x);

/* Of a statistic that is a percentile of values in memory. */
void pick_kept(
    struct found *f, const struct spec *spec, struct group *g, int stat);

/* What is on disk of the group, and no more of groups before it. */
void pick_group(struct pick *values, struct pick *pieces, struct groups *a,
    struct state *s);

/* The percentiles of many groups, whose numbers are the keys of no. */
void pick_rest(
    struct pick *values, struct xsort *no, struct groups *a, struct state *s);

#endif
