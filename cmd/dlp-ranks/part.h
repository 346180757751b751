/*
 * Who takes part in collectives: a process on a device of a file. It has a
 * number: the rank that the stream tells, else its place in the order of
 * arrival.
 */
#ifndef RANKS_PART_H
#define RANKS_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "ivl.h"
#include "map.h"
#include "timeheap.h"

#define PART_NONE INT64_MIN /* a number that is not known */

struct share { /* of a participant in an iteration */
	uint32_t part;
	int64_t iter; /* PART_NONE: outside of them */
	uint64_t n;   /* communication kernels */
	int64_t comm_ns, exposed_ns, wait_ns, first, end;
};

struct span {
	int64_t lo, hi, iter;
};

struct part {
	uint32_t src; /* its text's number, in parts.srcs; SMAP_NONE */
	int64_t pid, dev;
	char *label;      /* its number as text: 3, or 3.1 for another device */
	struct ivl other; /* when other kernels ran; what is past is dropped */
	uint64_t added;
	struct timeheap comm; /* not counted yet, by start, then iteration */
	int64_t counted;      /* communication up to here is */
	bool apart;           /* of another run */
};

struct parts {
	struct smap srcs;  /* texts of src; value: rank + 1, or 0 */
	struct smap keys;  /* of the participants, by number */
	struct smap ranks; /* labels that are taken */
	struct part *v;
	size_t n, cap;
	size_t n_apart;     /* of another run */
	size_t nrank, nsrc; /* rank records, and files that were named */
	struct share *share;
	size_t nshare, share_cap;
	struct map share_at; /* participant and iteration -> share + 1 */
};

/* A rank record. */
void part_rank(struct parts *ps, const char *src, size_t n, int64_t rank);

/* A file is named: without rank records, they are numbered so. */
void part_src(struct parts *ps, const char *src, size_t n);

/* The participant's number in v; src NULL: unset; rank: of the record, or
 * PART_NONE. */
uint32_t part_find(struct parts *ps, const char *src, size_t n, int64_t rank,
    int64_t pid, int64_t dev);

/* How many there are, told by rank records, or files; 0: not known, as where
 * a rank has several devices. */
size_t part_count(const struct parts *ps);

/* Its kernel ran [lo, hi), one of communication or another; now: no kernel
 * that is still to come starts before. */
void part_kern(
    struct parts *ps, uint32_t part, bool comm, struct span s, int64_t now);

/* Of an iteration, made if it is new. */
struct share *part_share(struct parts *ps, uint32_t part, int64_t iter);

/* Counts all communication that is left. */
void part_finish(struct parts *ps);

void part_forget(struct parts *ps);

#endif
