/* Means over steps, and what of their difference is noise. */
#ifndef DIFF_STAT_H
#define DIFF_STAT_H

#include "row.h"

struct sum { /* over the steps of a side that count, and its rows */
	bool any;
	double mean; /* of the time, per step */
	double var;  /* of a sample; with n > 1 */
	size_t n;    /* steps */
	double calls, flop;
	bool has_flop;
	unsigned tc;
};

/* Of v[0..n). */
void stat_of(struct sum *s, const double *v, size_t n);

/* Of rows[0..n) together. */
void stat_rows(struct sum *s, const struct side *side, size_t side_no,
    struct row *const *rows, size_t n);

/* By how much two means can differ by chance: Welch's interval of 95 %; a
 * negative number if a side has one step only. */
double stat_noise(const struct sum *a, const struct sum *b);

#endif
