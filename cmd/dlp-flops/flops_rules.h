/*
 * The rules of ops. The table in flops_rules.c maps an op to the function of
 * its family (families.h). Most families are rules in text (flops.rules, and a
 * user's own file), which flops_rules_text.c reads and applies. pyprof_params.c
 * prints PyProf's params column.
 */
#ifndef FLOPS_RULES_H
#define FLOPS_RULES_H

#include "buf.h"
#include "families.h"
#include "map.h"

enum { DIR_FPROP = 1, DIR_BPROP = 2 };

struct rule_row {      /* a rule in text; dlp-flops-rules(7) */
	char *op;      /* name or pattern of names */
	unsigned dirs; /* DIR_* */
	enum family family;
	char *kern;         /* pattern of kernel names (pat.h); NULL: any */
	bool once;          /* the first such kernel of a run carries all the
			     * work */
	bool aux;           /* such kernels are helpers */
	char *flop, *bytes; /* expressions; NULL if unknown */
	char *bus;          /* of a collective */
	bool tc;            /* Tensor Cores can do it */
	char *waits; /* part of the name of the backward that brings the size
		      * of the result */
	struct rule_row *next; /* next row of the same op */
};

/* Appends PyProf's params of an op; false if PyProf prints none. */
typedef bool params_fn(const struct kern_work *w, struct buf *b);

struct flops_rule {
	const char *op; /* op type; for cells preceded by "Mod." */
	enum family family;
	count_fn *count; /* NULL: rows count, or nothing does */
	int arg;         /* of count */
	/* PyProf's way to print the params: a pattern, or a function. */
	const char *spec;
	params_fn *params;
	/* Set if emit_nvtx's sizes are not enough: part of the name of the
	 * backward whose gradient brings the rest. */
	const char *bwd;
	/* Rules in text: the user's are tried before count, the shipped ones
	 * after it. NULL if there are none. */
	const struct rule_row *user, *rows;
};

struct rule_list { /* the rules of a name or pattern, in order */
	struct rule_row *head, **end;
};

struct rule_set {          /* rules in text from one source */
	struct smap by_op; /* names and patterns: val is a list's number */
	struct rule_list *lists;
	size_t n, cap;
	char **text; /* texts of the rules, which point into them */
	size_t ntext;
};

struct flops_rules {             /* zeroed: nothing is read or looked up yet */
	struct rule_set user;    /* of the files that the user gave */
	struct rule_set shipped; /* of flops.rules, read at the first use */
	bool has_shipped;
	struct smap by_op; /* modules and ops: val is a number in found, + 1 */
	struct flops_rule **found; /* NULL: the op has no rule */
	size_t nfound, cap;
	struct buf key, name; /* scratch */
};

/* The rule of an op; NULL if it has none. It lives as long as rules. */
const struct flops_rule *rule_find(struct flops_rules *rules, const char *mod,
    size_t nmod, const char *op, size_t nop);

/* Reads a user's file of rules, which precede all others. Errors are fatal:
 * "FILE:LINE: what". */
void rows_load(struct flops_rules *rules, const char *path);

/* The first row of an op, of the user's rules or of the shipped ones; NULL if
 * there is none. */
const struct rule_row *rows_of(
    struct flops_rules *rules, bool users, const char *op, size_t n);

/* The first row of the list that applies to this kernel, or NULL. */
const struct rule_row *rows_match(
    const struct rule_row *list, const struct kern_work *w);

/* Fills in the answer by one row. */
void row_apply(
    const struct rule_row *row, const struct kern_work *w, struct answer *r);

/* Fills in the answer: by a row for this kernel, by the kernel's name, or by a
 * row for the op. list may be NULL. */
void rows_count(
    const struct rule_row *list, const struct kern_work *w, struct answer *r);

/* Appends PyProf's params; false if PyProf prints none (then b is unchanged).
 * rule may be NULL. */
bool rule_params(
    const struct flops_rule *rule, const struct kern_work *w, struct buf *b);

/* True if the params depend on the kernel's grid. rule may be NULL. */
bool rule_params_by_grid(const struct flops_rule *rule);

/* PyProf's params of the ops that have a format of their own. */
params_fn linear_params, mm_params, addmm_params, bmm_params, conv_params,
    cell_params;

#endif
