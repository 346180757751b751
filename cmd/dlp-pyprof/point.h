/* Element-wise ops: which there are, and the later rules. */
#ifndef PYPROF_POINT_H
#define PYPROF_POINT_H

#include "rule.h"

/* Whether PyProf took an op for one. */
bool is_pointwise(struct mview op);

bool pointwise_last(const struct call *c, struct result *r);

#endif
