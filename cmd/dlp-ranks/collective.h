/*
 * What the files of dlp-ranks share: which kernels communicate, who takes part
 * in that, and which kernels of the ranks are one collective.
 */
#ifndef RANKS_COLLECTIVE_H
#define RANKS_COLLECTIVE_H

#include "ivl.h"
#include "map.h"
#include "namerule.h"
#include "timeheap.h"

struct comm_type {
	const char *name; /* "all_reduce"; lives as long as the program */
	bool together;    /* ends on all ranks at about the same time */
	bool pair;        /* of some ranks only: no collective */
};

struct comm_rules {
	struct namerules rules;
	struct comm_type *types; /* one per rule */
	struct smap names;       /* that were seen; rule + 1, or 0 */
};

/* path: a file of rules, NULL: the shipped one. Bad rules are fatal. */
void comm_open(struct comm_rules *c, const char *path);

/* Of a kernel's name (unescaped); NULL: it is no communication. The result
 * lives as long as the program. */
const struct comm_type *comm_find(
    struct comm_rules *c, const char *name, size_t n);

/*
 * participant.c: a process on a device of a file. Its number is the rank that
 * the stream gives it, otherwise its place in the order of arrival.
 */
#define PART_NONE INT64_MIN /* a number that is not known */

struct rank_share { /* of a participant in an iteration */
	uint32_t part;
	const char *label; /* that of the participant */
	int64_t iter;      /* PART_NONE: outside of them */
	uint64_t n;        /* communication kernels */
	int64_t comm_ns, exposed_ns, wait_ns, first, end;
};

struct rank_span {
	int64_t lo, hi, iter;
};

struct rank_part {
	uint32_t src; /* its text's number, in parts.srcs; SMAP_NONE */
	int64_t pid, dev;
	char *label;      /* its number as text: 3, or 3.1 for another device */
	struct ivl other; /* when other kernels ran; what is past is dropped */
	uint64_t added;
	struct timeheap comm; /* not counted yet, by start, then iteration */
	int64_t counted;      /* communication up to here is */
	bool apart;           /* of another run */
};

struct rank_parts {
	struct smap srcs;  /* texts of src; value: rank + 1, or 0 */
	struct smap keys;  /* of the participants, by number */
	struct smap ranks; /* labels that are taken */
	struct rank_part *v;
	size_t n, cap;
	size_t n_apart;     /* of another run */
	size_t nrank, nsrc; /* rank records, and files that were named */
	struct rank_share *share;
	size_t nshare, share_cap;
	struct map share_at; /* participant and iteration -> share + 1 */
};

/* A rank record. */
void part_rank(struct rank_parts *ps, const char *src, size_t n, int64_t rank);

/* A file is named: without rank records, they are numbered so. */
void part_src(struct rank_parts *ps, const char *src, size_t n);

/* The participant's number in v; src NULL: unset; rank: of the record, or
 * PART_NONE. */
uint32_t part_find(struct rank_parts *ps, const char *src, size_t n,
    int64_t rank, int64_t pid, int64_t dev);

/* How many there are, told by rank records, or files; 0: not known, as where
 * a rank has several devices. */
size_t part_count(const struct rank_parts *ps);

/* Its kernel ran [lo, hi), one of communication or another; now: no kernel
 * that is still to come starts before. */
void part_kern(struct rank_parts *ps, uint32_t part, bool comm,
    struct rank_span s, int64_t now);

/* Of an iteration, made if it is new. */
struct rank_share *part_share(
    struct rank_parts *ps, uint32_t part, int64_t iter);

/* Counts all communication that is left. */
void part_finish(struct rank_parts *ps);

void part_forget(struct rank_parts *ps);

/*
 * collective.c: collectives of one type are matched in their order. Where
 * clocks agree, only kernels that ended together can be one, so that ranks
 * which recorded more, or take part in other groups, do not shift all that
 * follows.
 */
struct arrival {
	uint32_t part;
	int64_t start, dur, iter;
};

struct rank_coll {
	const struct comm_type *type;
	uint32_t name; /* of the kernel, in colls.names */
	uint64_t id, nth;
	int64_t bytes; /* PART_NONE: not known */
	struct arrival *v;
	size_t n, cap;
	int64_t end; /* the latest */
};

struct open_colls {
	struct smap names;
	struct map count;       /* of each type, by its address */
	struct rank_coll *open; /* in the order of their first kernels */
	size_t n, cap;
	uint64_t ids, overfull;
	bool aligned; /* clocks agree */
	size_t ranks; /* how many there are; 0: not known */
	void (*done)(void *ctx, const struct rank_coll *c);
	void *ctx;
};

/* A kernel of communication. */
void coll_put(struct open_colls *cs, const struct comm_type *type,
    uint32_t name, int64_t bytes, struct arrival a);

/* Hands out what is whole at the time now; INT64_MAX: all. */
void coll_flush(struct open_colls *cs, int64_t now);

void coll_forget(struct open_colls *cs);

/* ranks_put.c: the records. */
struct ranks_out {
	struct out_type *coll, *arrive, *comm, *skew;
	uint64_t incomplete; /* collectives that some ranks are missing in */
};

void ranks_put_open(struct ranks_out *o);

/* A coll record, and an arrive record per rank; waits go to the ranks'
 * shares. */
void ranks_put_coll(struct ranks_out *o, const struct open_colls *cs,
    struct rank_parts *ps, const struct rank_coll *c);

/* A comm record per rank and iteration, a skew record per iteration. */
void ranks_put_shares(const struct ranks_out *o, const struct open_colls *cs,
    struct rank_parts *ps);

void ranks_put_notes(struct ranks_out *o, const struct open_colls *cs);

#endif
