/* The ops of the stream. */
#ifndef DLP_DLDB_OPS_H
#define DLP_DLDB_OPS_H

#include "dldb.h"
#include "num.h"

#define N_METRIC 5
enum { M_CPU, M_GPU, M_API, M_OVERHEAD, M_IDLE };

struct metric { /* nothing yet: n is 0 */
	int64_t n, sum, min, max;
};

static inline void
metric_add(struct metric *m, int64_t v)
{
	if (m->n == 0 || v < m->min)
		m->min = v;
	if (m->n == 0 || v > m->max)
		m->max = v;
	m->sum = num_add(m->sum, v);
	m->n++;
}

void metric_merge(struct metric *m, const struct metric *of);

struct kern_sum { /* the launches of one kernel name in an op */
	struct kern_sum *next;
	uint32_t name;  /* word */
	bool tc, no_tc; /* some launch used Tensor Cores; some did not */
	struct metric api, gpu;
	int64_t tc_api, tc_gpu; /* of those that used Tensor Cores */
};

struct op {
	int64_t id;
	uint32_t type;   /* word */
	uint32_t n_runs; /* raw half: numbers given */
	uint32_t dtype;  /* word */
	bool eligible, unassociated;
	int64_t names_id, shapes_id, out_id, out_names_id; /* raw half */
	/* aggregated half */
	int64_t n_calls, n_kern;
	bool used_tc;
	struct metric *m; /* N_METRIC; NULL: none, or just one run's v */
	int64_t v[N_METRIC];
	uint32_t has; /* bits of those in v that are set */
	struct kern_sum *kerns;
};

void ops_start(struct dldb *d, struct stage *st);
void ops_free(struct dldb *d);

/* NULL if there was no such op record. Valid until the next op record. */
struct op *ops_find(const struct dldb *d, int64_t id);
size_t ops_count(const struct dldb *d);
struct op *ops_nth(const struct dldb *d, size_t i);

/* A metric of an op's runs. */
struct metric op_metric(const struct op *op, int i);

#endif
