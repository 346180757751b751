/*
 * Tensor Core use by kernel name: tc.rules, or the user's file. The
 * first rule whose pattern matches the lower-case demangled name decides.
 */
#ifndef FLOPS_TCRULES_H
#define FLOPS_TCRULES_H

#include <stddef.h>

#include "dtype.h"
#include "judge.h"

enum tc { TC_UNKNOWN = YNU_UNKNOWN, TC_NO = YNU_NO, TC_YES = YNU_YES };

struct tc_rule {
	const char *id;  /* shown in column tc_rule; NULL: none decided */
	enum tc verdict; /* TC_UNKNOWN: the name cannot tell */
	enum dtype dt;   /* of the operands, where the rule implies it */
};

/* Reads the rules; path NULL: the shipped ones. Call once, first. */
void tc_open(const char *path);

/* What the rules say about a name of n bytes, lower case. */
struct tc_rule tc_decide(const char *name, size_t n);

#endif
