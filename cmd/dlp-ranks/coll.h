/*
 * Collectives: which kernels of the ranks are one. Those of one type are
 * matched in their order; where clocks agree, only what ended together can be
 * one, so that ranks which recorded more, or take part in other groups, do not
 * shift all that follows.
 */
#ifndef RANKS_COLL_H
#define RANKS_COLL_H

#include "comm.h"
#include "part.h"

struct arrival {
	uint32_t part;
	int64_t start, dur, iter;
};

struct coll {
	const struct comm_type *type;
	uint32_t name; /* of the kernel, in colls.names */
	uint64_t id, nth;
	int64_t bytes; /* PART_NONE: not known */
	struct arrival *v;
	size_t n, cap;
	int64_t end; /* the latest */
};

struct colls {
	struct smap names;
	struct map count;  /* of each type, by its address */
	struct coll *open; /* in the order of their first kernels */
	size_t n, cap;
	uint64_t ids, overfull;
	bool aligned; /* clocks agree */
	size_t ranks; /* how many there are; 0: not known */
	void (*done)(void *ctx, const struct coll *c);
	void *ctx;
};

/* A kernel of communication. */
void coll_put(struct colls *cs, const struct comm_type *type, uint32_t name,
    int64_t bytes, struct arrival a);

/* Hands out what is whole at the time now; INT64_MAX: all. */
void coll_flush(struct colls *cs, int64_t now);

void coll_forget(struct colls *cs);

#endif
