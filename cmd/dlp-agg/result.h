/* The result: the groups in order, up to the limit. */
#ifndef AGG_RESULT_H
#define AGG_RESULT_H

#include "group.h"

/* Writes the legend and the groups, from memory or from disk. */
void result_put(struct groups *a);

/* Notes of what is left out; the second also of the input. */
void result_notes(const struct groups *a);
void result_all_notes(const struct groups *a);

#endif
