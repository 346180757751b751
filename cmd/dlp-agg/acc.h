/* Statistics of the values of one field in one group. */
#ifndef AGG_ACC_H
#define AGG_ACC_H

#include "map.h"
#include "wide.h"

enum stat {
	ST_COUNT, /* of the group, as ST_UNION: not of a field's values */
	ST_NSET,
	ST_SUM,
	ST_MEAN,
	ST_MIN,
	ST_MAX,
	ST_PERCENTILE,
	ST_STD,
	ST_UNION,
	ST_PCT,
	ST_FIRST,
	ST_LAST,
};

union num {
	int64_t i;
	double d;
};

struct acc {
	uint64_t n; /* values that are set */
	bool frac;  /* one had a fraction: all are doubles */
	bool sorted;
	struct wide isum;
	double dsum, mean, m2;
	union num min, max;
	union num *val; /* all of them, for percentiles */
	size_t nval, cap;
	uint32_t first, last; /* the texts' numbers in a map of the caller's,
				 or SMAP_NONE */
};

/* v is a double if frac; keep: it is kept for percentiles. */
void acc_add(struct acc *c, bool frac, union num v, bool keep);

/* from is of no more use then: its values are taken. */
void acc_join(struct acc *c, const struct acc *from);

/* Appends the statistic to b; false, and nothing, if it is unset. p: which
 * percentile; total: of all groups, for percentages; texts: the map of first
 * and last. */
bool acc_put(struct acc *c, struct buf *b, enum stat stat, double p,
    const struct acc *total, const struct smap *texts);

#endif
