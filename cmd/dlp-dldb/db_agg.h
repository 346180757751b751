/*
 * The aggregated half: sums over the selected iterations, by op, kernel name
 * and op type. Memory grows with the number of ops and of kernel names in ops.
 *
 * Kernels by op and iteration, and the selected kernels, are kept until the
 * end. Memory holds a limited number of them; then all go to disk. A pair that
 * occurs again gets another number, and the sums of all its numbers are added
 * at the end.
 */
#ifndef DB_AGG_H
#define DB_AGG_H

#include "db_halves.h"
#include "xsort.h"

/* Reads records of the stages before and keeps them until sums_write(), which
 * writes a row in aggregations and everything that refers to it. False, with a
 * warning, if records that it needs are missing. */
void sums_start(struct db_halves *d, struct stage *st);
void sums_free(struct db_halves *d);
bool sums_write(struct db_halves *d);

void agg_start(struct db_halves *d);
void agg_free(struct db_halves *d);
/* True if work of that kind is added up there. */
bool agg_wants(enum db_kind kind);
void agg_work(struct db_halves *d, const struct db_work *w);
void agg_run(struct db_halves *d, const struct db_run *u);

/* Called at the end: writes op_nodes and the tables that refer to it, for this
 * aggregation. */
void agg_write(struct db_halves *d, int64_t aggr);

int64_t agg_put_metrics(struct db_halves *d, const struct db_metric m[5]);

/* A number rounded to six decimals, as DLProf stores it. */
double agg_round(double v);

/* The sums of the model summary. */
struct db_category {
	int64_t cpu, gpu, overhead, idle, count;
};
struct db_totals {
	struct db_category all, eligible, tc, other;     /* ops */
	struct db_category kerns, kerns_tc, kerns_other; /* names */
	struct db_category memory;                       /* names of calls */
	int64_t eligible_kern_ns; /* kernels in ops that are eligible */
};
void agg_totals(struct db_halves *d, struct db_totals *t);

/* Kernels of an iteration. */
struct iter_sum {
	int64_t n, n_tc, ns, tc_ns;
};
struct iter_sum agg_iter(const struct db_halves *d, int64_t iter);

struct agg_kern { /* a kernel as it is stored on disk */
	int64_t id;
	uint64_t pair; /* one of the numbers of its pair */
};

#define AGG_CACHE 4096

struct agg_metric { /* a row of the table metric; id 0 if not written yet */
	struct db_metric m;
	double avg;
	int64_t id;
};

struct db_agg {
	struct map pair; /* op << 32 | iteration -> number in pairs, from 1 */
	struct agg_pair *pairs;
	size_t n_pairs, cap_pairs, max_pairs;
	uint64_t first_pair; /* the number of pairs[0] among all pairs, from
			      * 0 */
	struct xsort old;    /* earlier pairs, by op and iteration */
	bool any_old;
	struct map iter; /* iteration -> number in iters, from 1 */
	struct iter_sum *iters;
	size_t n_iters, cap_iters;
	struct db_category memory;
	struct smap names, tc_names, mem_names;
	int fd;                             /* -1 until it is needed */
	struct agg_metric cache[AGG_CACHE]; /* rows that were written
					     * recently */
	struct agg_kern *held;
	size_t n_held, cap_held, max_held;
};

void agg_kern(struct db_halves *d, const struct db_work *w);

#endif
