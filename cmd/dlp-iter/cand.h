/*
 * --list: what could be a key; with a key, and for --stable and --even, its
 * iterations and which of them are even.
 */
#ifndef ITER_CAND_H
#define ITER_CAND_H

#include "key.h"

struct cand {
	bool is_op, numbered;
	bool own;  /* what is taken without -k */
	bool bare; /* an op for which -k takes nothing but its number */
	uint32_t name;
	int64_t op_id;
	uint64_t n;    /* lengths */
	int64_t first; /* where the first began */
	int64_t last;  /* where the newest ended */
	double mean, m2, sum;
	double coverage, var, score; /* at the end */
};

struct cands {
	bool numbered;     /* ranges with a number alone */
	struct smap names; /* texts of ranges without numbers, ops' names and
			      keys; the value is how many of them have it */
	struct smap cands; /* by what, which, where: struct cand */
	struct cand *v;
	size_t cap;
	struct map ops; /* op id -> number in op, + 1 */
	struct cand_op {
		uint32_t name, key; /* in names; key SMAP_NONE: none */
		bool bprop;
	} * op;
	size_t nop;
	struct buf words; /* a text that is given out */
};

/* A range, which may be one; the text is that of its lane. */
void cand_range(struct cands *l, struct key *k, uint32_t src, uint32_t lane,
    const char *s, size_t n, int64_t lo, int64_t hi);

/* An op, and a run of it. */
void cand_op(struct cands *l, int64_t id, const struct op_names *s);
void cand_inst(
    struct cands *l, int64_t op_id, uint32_t src, uint32_t lane, int64_t stop);

/* The ranges of this row of the table of steps stand first; -1: none. */
void cand_own(struct cands *l, struct key *k, int row);

/* Writes the best, at most limit (0: all) of them; total is the profile's
 * time. How many there are. */
size_t cand_list(
    struct iter_out *out, struct cands *l, double total, int limit);

/* The words of the best ranges, at most limit, as a list in a sentence; empty
 * if there are none. */
const char *cand_words(struct cands *l, double total, size_t limit);

void cand_clear(struct cands *l);

struct stable {
	struct iteration *v;
	size_t n, cap;
};

void stable_add(struct stable *l, const struct iteration *x);

/* Writes a cand record of the key and all iterations; kind: what the key is;
 * lo to hi is the profile's time. */
void stable_list(struct iter_out *out, const struct stable *l, const char *key,
    const char *kind, const char *src, int64_t lo, int64_t hi);

/* The iterations of the stable range, both included; false: all of them, as no
 * two are even. */
bool stable_range(const struct stable *l, int64_t *from, int64_t *to);

/* Writes a stable record; all: of all of them, even or not. src: escaped, or
 * NULL. */
void stable_put(
    struct iter_out *out, const struct stable *l, bool all, const char *src);
void stable_clear(struct stable *l);

#endif
