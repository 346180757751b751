/*
 * Rules as text: an op's work by expressions over the sizes of its
 * arguments. The language is that of flops.rules, where most families
 * stand, and of a user's own file; dlp-flops-rules(7) describes it.
 */
#ifndef FLOPS_ROWS_H
#define FLOPS_ROWS_H

#include "work.h"

enum { DIR_FPROP = 1, DIR_BPROP = 2 };

struct row {
	char *op;      /* name or pattern of names */
	unsigned dirs; /* DIR_* */
	enum family family;
	char *kern;         /* pattern of kernel names (pat.h); NULL: any */
	bool once;          /* the first such kernel of a run carries it all */
	bool aux;           /* such kernels are helpers */
	char *flop, *bytes; /* expressions; NULL: unknown */
	char *bus;          /* of a collective */
	bool tc;            /* Tensor Cores could do it */
	char *waits;        /* part of the name of the backward that brings the
			       size of the result */
	struct row *next;   /* of the same op */
};

/* Reads a user's file; its rules come before all others. Trouble is fatal:
 * "FILE:LINE: what". */
void rows_load(const char *path);

/* The rules of an op: the user's, else (user false) those that are shipped;
 * NULL: none. */
const struct row *rows_of(bool user, const char *op, size_t n);

/* The first rule of the list that is about this kernel, or NULL. */
const struct row *rows_match(const struct row *list, const struct work *w);

/* Fills in the answer by one rule. */
void row_apply(const struct row *row, const struct work *w, struct answer *r);

/* Fills in the answer by a list, which can be NULL: by a rule for this kernel,
 * by what its name tells, by a rule for the op. */
void rows_count(const struct row *list, const struct work *w, struct answer *r);

#endif
