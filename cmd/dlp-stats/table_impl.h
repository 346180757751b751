/* A table from within. */
#ifndef STATS_TABLE_IMPL_H
#define STATS_TABLE_IMPL_H

#include "keyset.h"
#include "run.h"
#include "table.h"

struct table {
	int nval, width; /* words in a row: key and part, values */
	bool distinct;
	uint64_t gen; /* of the keys' numbers */
	struct keyset keys;
	int64_t *row;
	size_t nrows, rowcap;
	/* for sorting, as large as the last time */
	int64_t *sorted, *joined;
	size_t joined_cap;
	uint32_t *first;
	int64_t sum;
	bool closed;
	struct run_out *run;
	int nruns;
};

static inline int64_t *
table_row(const struct table *t, int64_t *rows, size_t i)
{
	return rows + i * (size_t)t->width;
}

/* What is in memory goes sorted to a run. */
void table_sort(struct table *t, struct run_out *o);

#endif
