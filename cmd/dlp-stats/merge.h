/* The groups of sorted runs. */
#ifndef STATS_MERGE_H
#define STATS_MERGE_H

#include "run.h"
#include "table.h"

struct merge {
	const struct run_out *runs;
	int n, nval;
	struct shapes *shapes; /* of their keys */
	bool codes;            /* groups need no key but its code */
	struct run_parts parts;
};

void merge_runs(const struct merge *m, table_fn *fn, void *ctx);

#endif
