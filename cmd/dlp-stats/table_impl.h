/* A table from within. */
#ifndef STATS_TABLE_IMPL_H
#define STATS_TABLE_IMPL_H

#include "keyset.h"
#include "run.h"
#include "table.h"

#define ROW_HEAD 5 /* bytes before a row in memory: its key, its length */

struct table {
	int nval;
	bool distinct; /* keys have no rows */
	uint64_t gen;  /* of the keys' numbers */
	struct shapes shapes;
	struct keyset keys;
	struct buf rows; /* in the order in which they came */
	uint32_t *nrows; /* by key */
	size_t nrows_cap;
	uint32_t most; /* rows of a key */
	/* for sorting, as large as the last time */
	struct buf sorted;
	size_t *first;
	int64_t *unpacked;
	size_t unpacked_cap;
	int64_t sum;
	bool closed;
	struct run_out *run;
	int nruns;
};

/* What is in memory goes sorted to a run. */
void table_sort(struct table *t, struct run_out *o);

#endif
