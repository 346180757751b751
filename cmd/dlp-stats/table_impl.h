/* A table from within. */
#ifndef STATS_TABLE_IMPL_H
#define STATS_TABLE_IMPL_H

#include "beside.h"
#include "keyset.h"
#include "run.h"
#include "table.h"

#define ROW_HEAD 5 /* bytes before a row in memory: its key, its length */

struct fill { /* rows in the order in which they came */
	struct keyset keys;
	struct buf rows;
	uint32_t *nrows; /* by key */
	size_t nrows_cap;
	uint32_t most; /* rows of a key */
};

struct table {
	int nval;
	bool distinct; /* keys have no rows */
	uint64_t gen;  /* of the keys' numbers */
	struct shapes shapes;
	struct fill fills[2];
	struct fill *in;  /* takes what comes */
	struct fill *out; /* is sorted; with it is all up to sum */
	struct keyset_order order;
	struct buf sorted;
	size_t *first, first_cap;
	int64_t *unpacked;
	size_t unpacked_cap;
	struct beside beside; /* what sorts */
	bool sorting;
	int64_t sum;
	bool closed;
	struct run_out *run;
	int nruns;
};

/* t->out, whose keys have their order, goes sorted to a run. It can be the
 * work of a thread while t->in is filled. */
void table_sort(struct table *t, struct run_out *o);

#endif
