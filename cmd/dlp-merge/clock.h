/* The common clock: that of the first input. */
#ifndef MERGE_CLOCK_H
#define MERGE_CLOCK_H

#include "input.h"

/* Sets shift of all inputs: by UTC of their origins, and if collectives is
 * set, by those, for which files are read once more. What nothing aligns is
 * counted. */
uint64_t clock_align(
    struct input *v, int n, char *const *paths, bool collectives);

#endif
