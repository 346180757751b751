/*
 * Sorts any number of records in bounded memory. A record is a key and a value,
 * both bytes that the caller chooses; records of equal keys stay in the order
 * of their arrival.
 *
 *	xsort_open(&x, runs_bytes, NULL, bytes); xsort_put(&x, ...) ...
 *	while (xsort_next(&x, &rec)) ...
 *
 * Records beyond the bound go to sorted runs in temporary files, which are
 * merged as soon as there are many, so that few files are open. The files have
 * no name and are in TMPDIR; errors, such as a full disk, are fatal.
 */
#pragma once

#include "buf.h"

/* The order of keys: < 0, 0, > 0. ctx is that of xsort_open. */
typedef int runs_cmp(
    const void *ctx, const char *a, size_t an, const char *b, size_t bn);

struct runs_rec { /* views, valid until the next call */
	const char *key, *val;
	size_t nkey, nval;
};

/* Compares keys as bytes; a key precedes the longer ones that begin with it. */
int runs_bytes(
    const void *ctx, const char *a, size_t an, const char *b, size_t bn);

struct xsort { /* all zero, except the members that xsort_open sets */
	runs_cmp *cmp;
	const void *ctx;
	size_t bound; /* bytes in memory */
	struct buf text;
	struct xsort_ent *ent;
	size_t n, cap, pos;
	bool sorted;
	/* on disk */
	struct sorted_run *run;
	size_t nruns;
	struct buf out;      /* put, and not yet written */
	struct buf last;     /* the key that was put last */
	bool any;            /* a record was put into this run */
	size_t *heap, nheap; /* of the merge: numbers of runs */
	bool merging, moved; /* moved: the first of the heap was returned */
};

void xsort_open(struct xsort *x, runs_cmp *cmp, const void *ctx, size_t bound);
void xsort_put(struct xsort *x, const void *key, size_t nkey, const void *val,
    size_t nval);

/* The next record in order, after all were put; false at the end. */
bool xsort_next(struct xsort *x, struct runs_rec *rec);

void xsort_again(struct xsort *x); /* the next one is the first */
void xsort_close(struct xsort *x); /* empties x, which can be used again */
