/* The groups of sorted runs. */
#ifndef STATS_MERGE_H
#define STATS_MERGE_H

#include "run.h"
#include "table.h"

void merge_runs(const struct run_out *o, int n, int nval,
    const struct run_parts *parts, table_fn *fn, void *ctx);

#endif
