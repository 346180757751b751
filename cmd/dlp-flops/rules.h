/*
 * The rules: which op is counted how. One table (builtin.c) leads from the op
 * to its family's functions, a family is a file; the rest is said in text
 * (flops.rules, rows.h).
 */
#ifndef FLOPS_RULES_H
#define FLOPS_RULES_H

#include "buf.h"
#include "rows.h"
#include "work.h"

struct rule {
	const char *op; /* op type; with "Mod." before it for cells */
	enum family family;
	/* Fills in flop, bytes and role; NULL: unknown. */
	void (*count)(const struct work *w, struct answer *r, int arg);
	int arg;
	/* PyProf's params: a pattern for params_spec, or a function. */
	const char *spec;
	bool (*params)(const struct work *w, struct buf *b);
	/* Where emit_nvtx's sizes are not enough: part of the name of the
	 * backward whose gradient brings the rest. */
	const char *bwd;
};

/* Rules as text of a rule that rule_find gave: the user's, which come before
 * its function, and those that are shipped, which come after; NULL: none. */
const struct row *rule_user(const struct rule *rule);
const struct row *rule_rows(const struct rule *rule);

/* NULL if there is none. */
const struct rule *rule_find(
    const char *mod, size_t nmod, const char *op, size_t nop);

/* Whether the params depend on the kernel's grid. rule may be NULL. */
bool rule_by_grid(const struct rule *rule);

/* What PyProf prints as params; false if it has nothing to print (then b is
 * as it was). rule may be NULL. */
bool rule_params(const struct rule *rule, const struct work *w, struct buf *b);

#endif
