/* Two runs, compared: records, and what is said besides. */
#ifndef DIFF_COMPARE_H
#define DIFF_COMPARE_H

#include "read.h"

struct how {
	size_t limit; /* rows; 0: all */
	double noise; /* the least change that counts, as a part of 1 */
	bool gate;    /* exit 1 if the step is slower by more than: */
	double fail_over;
};

/* Says on standard error what differs in the two sides besides the times. */
void compare_facts(const struct side *s);

/* Writes the comparison of sides 0 and 1, which are trimmed; the exit
 * status. */
int compare(struct model *m, const struct how *how);

#endif
