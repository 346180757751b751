/* Rules by the names of their ops, and patterns of names. */
#ifndef FLOPS_ROWS_SET_H
#define FLOPS_ROWS_SET_H

#include "map.h"
#include "rows.h"

struct list { /* the rules of a name or pattern, in order */
	struct row *head, **end;
};

struct set {               /* rules from one source */
	struct smap by_op; /* names and patterns: val is a list's number */
	struct list *lists;
	size_t n, cap;
	char **text; /* of the rules, which point into it */
	size_t ntext;
};

/* Adds a copy of the rule, behind those of the same op. */
void set_add(struct set *set, const struct row *row, const char *op);

/* The first of the op's rules: of its name, else of the first pattern that it
 * matches; NULL: none. */
const struct row *set_find(const struct set *set, const char *op, size_t n);

#endif
