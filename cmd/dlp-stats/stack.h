/*
 * The ranges open on each thread, in launch order: what work lies in which,
 * for the reports that want projections or kernels by range.
 */
#ifndef STATS_STACK_H
#define STATS_STACK_H

#include "report.h"

/* Whether a report that was asked for needs it. */
bool stack_wanted(void);

void stack_range(const struct range *r);
void stack_gpu(const struct gpu *g);     /* of a call */
void stack_innermost(struct gpu *g);     /* sets range, if that is wanted */
void stack_no_call(const struct gpu *g); /* whose call is not there */
void stack_end(void);                    /* of the section: closes all */

#endif
