/* A run: one or several aggregations, and what becomes of the input. */
#ifndef AGG_PLAN_H
#define AGG_PLAN_H

#include "spec.h"

struct plan {
	struct spec **spec; /* one without statistics stands alone */
	int n;
	bool pass;   /* the input is passed on, the results behind it */
	char **keep; /* of it only these types; NULL: all */
	int nkeep;
	bool partial, merge;
	size_t memory; /* -S */
};

/* One more aggregation; the options that follow are its own. */
struct spec *plan_add(struct plan *p);

/* What was not asked for, and what does not go together; fatal. */
void plan_check(struct plan *p);

#endif
