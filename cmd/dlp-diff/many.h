/* Many runs side by side: a column each. */
#ifndef DIFF_MANY_H
#define DIFF_MANY_H

#include "read.h"

enum value { V_GPU, V_CPU, V_N, V_FLOP };

/* Writes join records: the n rows with the largest values (0: all). */
void many_print(const struct model *m, enum value v, size_t n);

#endif
