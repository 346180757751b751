/* Kernels with PyProf's numbers, as records. */
#ifndef PYPROF_PRINT_H
#define PYPROF_PRINT_H

#include "kern.h"
#include "rule.h"

void print_open(void);

/* r: what the rule said; NULL: the kernel has no arguments, so no rule. died:
 * there is a rule, and PyProf would have stopped. */
void print_kern(const struct kern *k, int64_t idx, const struct marker *m,
    const struct result *r, bool died);

#endif
