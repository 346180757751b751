/*
 * Copies and the kernels that run beside them. A device's time is swept in
 * order behind the launches, as what is launched from now on begins later.
 */
#ifndef EXPOSE_EXPOSE_H
#define EXPOSE_EXPOSE_H

#include "job.h"
#include "map.h"
#include "sweep.h"

struct dev {
	struct sweep sweep;
	size_t n_kern; /* active */
	struct job **first;
	size_t n_group;
	int64_t t;
	bool named; /* the file has a name: column src */
};

struct expose { /* zeroed */
	struct dev *dev;
	size_t n_dev;
	struct smap devs, groups; /* "src\tdev"; "kind\tsrc\tdst" */
	struct job *spare;
	int64_t now;
	uint64_t early;
};

/* The device's place; key tells it from others, of other files too. */
struct dev *expose_dev(struct expose *x, const char *key, size_t n);

/* An empty job for expose_add(). */
struct job *expose_job(struct expose *x);

void expose_now(struct expose *x, int64_t t);

/* The job is now launched, and runs from start on. */
void expose_add(struct expose *x, struct dev *d, struct job *j);

void expose_end(struct expose *x); /* the last records, and notes */
void expose_clear(struct expose *x);

#endif
