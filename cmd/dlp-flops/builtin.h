/* The table of ops whose count is a function. */
#ifndef FLOPS_BUILTIN_H
#define FLOPS_BUILTIN_H

#include "rules.h"

/* The row of an op type; NULL if it has none. */
const struct rule *built_in(const char *op, size_t n);

#endif
