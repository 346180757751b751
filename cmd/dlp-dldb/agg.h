/*
 * The aggregated half: what is in the iterations that count, added up by op,
 * kernel name and op type. Memory grows with ops and kernel names of ops.
 */
#ifndef DLP_DLDB_AGG_H
#define DLP_DLDB_AGG_H

#include "ops.h"
#include "raw.h"

void agg_start(struct dldb *d);
void agg_free(struct dldb *d);
/* Whether work of that kind counts there. */
bool agg_wants(enum kind kind);
void agg_work(struct dldb *d, const struct work *w);
void agg_run(struct dldb *d, const struct run *u);

/* At the end: op_nodes and what hangs on them, for this aggregation. */
void agg_write(struct dldb *d, int64_t aggr);

/* Rows of metric tables; their ids. */
int64_t put_metric(struct dldb *d, const struct metric *m, double avg);
int64_t put_metrics(struct dldb *d, const struct metric m[5]);
double metric_avg(const struct metric *m);

/* A number rounded to six decimals, as DLProf stores it. */
double round6(double v);

/* The sums of the model summary. */
struct category {
	int64_t cpu, gpu, overhead, idle, count;
};
struct totals {
	struct category all, eligible, tc, other;     /* ops */
	struct category kerns, kerns_tc, kerns_other; /* names */
	struct category memory;                       /* names of calls */
	int64_t eligible_kern_ns; /* kernels in ops that are eligible */
};
void agg_totals(struct dldb *d, struct totals *t);

/* Kernels of an iteration. */
struct iter_sum {
	int64_t n, n_tc, ns, tc_ns;
};
struct iter_sum agg_iter(const struct dldb *d, int64_t iter);

#endif
