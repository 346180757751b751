/*
 * What later stages have summed up: iterations, time by class and device,
 * groups, findings. They are kept until the end.
 */
#ifndef DLP_DLDB_SUMS_H
#define DLP_DLDB_SUMS_H

#include "dldb.h"

enum { C_TC, C_KERN, C_MEM, C_DATA, C_IO, C_CPU, C_OTHER, C_N };

struct iter {
	int64_t iter, start, dur;
	bool counts; /* it lies in the range */
};

struct busy { /* of an iteration and a device */
	int64_t iter, dev, ns[C_N];
};

struct group {
	uint32_t path; /* word */
	int64_t level, n_call, n_eligible, n_tc, n_iter;
	int64_t sum[4], min[4], max[4]; /* cpu, gpu, overhead, idle */
};

struct finding {
	uint32_t id, problem, advice; /* words */
	bool stored;
};

struct sums {
	struct iter *iter;
	struct busy *busy;
	struct group *group;
	struct finding *finding;
	size_t n_iter, cap_iter, n_busy, cap_busy, n_group, cap_group,
	    n_finding, cap_finding;
	struct map busy_at; /* iter << 16 | device -> number, from 1 */
	bool tree;          /* there are group records */
	bool judged;        /* there are findings of dlp-advise */
};

void sums_start(struct dldb *d, struct stage *st);
void sums_free(struct dldb *d);

/* Writes a row in aggregations and all that hangs on it. False, with a
 * warning, if the stream lacks what is needed for one. */
bool sums_write(struct dldb *d);

#endif
