/* The raw half: all runs, calls and GPU work. */
#ifndef DLP_DLDB_RAW_H
#define DLP_DLDB_RAW_H

#include "work.h"

struct run { /* an inst record */
	struct op *op;
	int64_t id, start, dur, pid, tid, iter;
	int64_t v[5]; /* metrics by enum of ops.h */
	bool has[5];
};

void raw_start(struct dldb *d);
void raw_work(struct dldb *d, const struct work *w);
void raw_run(struct dldb *d, const struct run *run);
/* The number of the work's run in its op, from 0. */
int64_t raw_nth(struct dldb *d, const struct work *w);
/* At the end: runs that work named and that never came. */
void raw_end(struct dldb *d);
void raw_free(struct dldb *d);

#endif
