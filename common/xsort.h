/*
 * Sorts any number of records in bounded memory: records beyond the bound go to
 * sorted runs on disk (runs.h). Equal ones stay in the order of arrival.
 *
 *	xsort_open(&x, runs_bytes, NULL, bytes); xsort_put(&x, ...) ...
 *	while (xsort_next(&x, &rec)) ...
 */
#ifndef DLP_XSORT_H
#define DLP_XSORT_H

#include "runs.h"

struct xsort {
	struct runs runs;
	size_t bound; /* bytes in memory */
	struct buf text;
	struct xsort_ent *ent;
	size_t n, cap, pos;
	bool sorted;
};

void xsort_open(struct xsort *x, runs_cmp *cmp, const void *ctx, size_t bound);
void xsort_put(struct xsort *x, const void *key, size_t nkey, const void *val,
    size_t nval);

/* The next record in order, after all were put; false at the end. */
bool xsort_next(struct xsort *x, struct runs_rec *rec);

void xsort_again(struct xsort *x); /* the next one is the first */
void xsort_close(struct xsort *x); /* empties x, which can be used again */

#endif
