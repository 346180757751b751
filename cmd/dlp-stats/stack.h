/*
 * The ranges open on each thread, in launch order: what work lies in which,
 * for the reports that want projections or kernels by range.
 */
#ifndef STATS_STACK_H
#define STATS_STACK_H

#include "report.h"

void stack_range(const struct range *r);
void stack_gpu(const struct gpu *g); /* of a call */
void stack_end(void);                /* of the section: closes all */

#endif
