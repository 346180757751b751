/*
 * A section's way: items wait until the key is known, then each gets its
 * iteration and goes out; an iteration's own record follows when it can no
 * longer change.
 */
#ifndef ITER_RUN_H
#define ITER_RUN_H

#include "cand.h"
#include "dl.h"
#include "source.h"
#include "spool.h"

struct asked { /* the options, where the stream can have its own */
	const char *key;
	int64_t from, to;
	bool filter;
};

struct run {
	/* options */
	struct key key;
	bool dlprof;
	bool cuts;   /* write where iterations begin */
	bool stable; /* write which of them are even */
	bool asked_one;
	struct asked asked;
	bool one; /* or it was found that there is no key */
	bool listing;
	bool filter;
	bool strict; /* fatal if the key or the first iteration lacks */
	int64_t from, to;
	int limit;
	/* the section */
	bool waiting; /* items go to the spool */
	bool broken;  /* at the end: its input was cut off */
	struct spool spool;
	struct sources files;
	struct opkey op;
	bool kern_kept;
	bool no_ops; /* kernels lack what dlp-correlate says of them */
	bool any_op; /* an op record was there */
	struct dl dl;
	bool steps; /* the key is a range, so no file is one iteration */
	uint64_t outside, dropped;
	struct cands cands; /* --list */
};

/* Whether iteration n is among those that are asked for. */
static inline bool
run_wanted(const struct run *g, int64_t n)
{
	return !g->filter || (n >= g->from && n <= g->to);
}

/* A section begins, ends. */
void run_section(struct run *g);
void run_end(struct run *g);

/* An item: kept while the key is not known. Of --list it needs no line. */
void run_keep(struct run *g, struct item *m, const char *line);

/* A line that nothing is added to. */
void run_pass(struct run *g, const char *line, size_t n, bool meta);

/* There is no key: all is one iteration. */
void run_no_key(struct run *g);

/* A range came that may be a step. */
void run_range(struct run *g, uint32_t src, uint32_t lane, const char *s,
    size_t n, int64_t lo, int64_t hi);

#endif
