/* --list without a key: what could be one. */
#ifndef ITER_CAND_H
#define ITER_CAND_H

#include "opkey.h"
#include "map.h"

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
size_t cand_list(struct cands *l, double total, int limit);

/* The words of the best ranges, at most limit, as a list in a sentence; empty
 * if there are none. */
const char *cand_words(struct cands *l, double total, size_t limit);

void cand_clear(struct cands *l);

/* One more length: mean and squares without keeping them; and what all of
 * them are worth. */
void cand_length(struct cand *c, double x);
void cand_judge(struct cand *c, double total);
double cand_var(const struct cand *c); /* as cand_line has it */

/* What a cand record says of a key: see common/cols.c. */
struct cand_line {
	const char *kind, *key;
	size_t nkey;
	int64_t op_id; /* -1: none */
	const char *dir;
	uint64_t n;
	double coverage, mean, score;
	double var;       /* of mean, by n - 1; NAN: of less than two lengths */
	int64_t from, to; /* the stable range; -1: none */
	const char *src;  /* escaped; NULL: none */
};

void cand_put(const struct cand_line *x);

#endif
