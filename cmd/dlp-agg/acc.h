/* Statistics of the values of one field in one group. */
#ifndef AGG_ACC_H
#define AGG_ACC_H

#include "buf.h"
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
	struct wide isum;
	union num min, max;
	struct acc_ends *ends; /* the first and last text; NULL: none yet */
	struct acc_more *more; /* what few groups need; NULL: all values are
				  integers */
};

struct acc_ends {
	struct buf first, last;
	bool has_first, has_last;
};

struct acc_more {
	bool frac;    /* one had a fraction: all are doubles */
	bool sorted;  /* the values */
	bool rounded; /* and cut to few digits: part.h */
	double dsum, mean, m2;
	union num *val; /* all of them, for percentiles */
	size_t nval, cap;
};

/* What a value is wanted for, besides sum, least and greatest. */
enum { ACC_VALUES = 1 /* percentiles */, ACC_STD = 2 };

/* v is a double if frac. By how many values the room for them grew. */
size_t acc_add(struct acc *c, bool frac, union num v, int want);

/* values: with those for percentiles, which are from's no longer. */
void acc_join(struct acc *c, const struct acc *from, bool values);

void acc_free(struct acc *c);

/* A text is the last one, and the first if there is none yet. */
void acc_first(struct acc *c, const char *s, size_t n);
void acc_last(struct acc *c, const char *s, size_t n);

/* For those who read a state (part.h): what few need, made; one value more;
 * the values in order; and x's least (or greatest) value as c's. */
struct acc_more *acc_more(struct acc *c);
void acc_keep(struct acc_more *m, union num v);
void acc_sort(struct acc_more *m);
void acc_extreme(struct acc *c, const struct acc *x, bool least);

/* Whether the values are doubles. */
static inline bool
acc_is_frac(const struct acc *c)
{
	return c->more != NULL && c->more->frac;
}

/* Of n values in order, the place of that percentile, from 1; the one that
 * is there, of values that are kept. */
uint64_t acc_rank(uint64_t n, double p);
union num acc_percentile(struct acc *c, double p);

/* acc_put.c. Appends a value of the field. */
void acc_put_value(struct buf *b, const struct acc *c, union num v);

/* Appends the statistic to b; false, and nothing, if it is unset. p: which
 * percentile; total: of all groups, for percentages. */
bool acc_put(struct acc *c, struct buf *b, enum stat stat, double p,
    const struct acc *total);

#endif
