/*
 * Tensor Core use by kernel name: an ordered list of rules as data. The
 * first rule whose pattern matches the lower-case demangled name decides.
 */
#ifndef FLOPS_TCRULES_H
#define FLOPS_TCRULES_H

#include <stddef.h>

enum tc { TC_UNKNOWN, TC_NO, TC_YES };

struct tc_rule {
	const char *id;  /* shown in column tc_rule */
	enum tc verdict; /* TC_UNKNOWN: the name cannot tell */
	const char *pat; /* pat.h */
};

/* The rule that decides about a name of n bytes, lower case; NULL if none
 * does. */
const struct tc_rule *tc_decide(const char *name, size_t n);

#endif
