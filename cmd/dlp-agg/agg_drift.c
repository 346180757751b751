/*
 * How values change from the first record of a group to the last one: the line
 * of least squares through them, by their place in the order, and how far it
 * can be off. All is kept as sums, so that no value is.
 */
#include <math.h>

#include "agg_group.h"
#include "array.h"

#define FEW 10 /* fewer values do not show how they depend on each other */

/* The place x is 1, 2, ... n, whose mean was n / 2 before the last one. */
void
drift_add(struct acc_more *m, uint64_t n, double v)
{
	struct acc_drift *d = &m->drift;

	d->co += (double)n / 2 * (v - m->mean);
	if (n == 1)
		d->first = v;
	else
		d->diff2 += (v - d->last) * (v - d->last);
	d->last = v;
}

/* Student's t for 95 %, two-sided. */
static double
student(double df)
{
	static const double t[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447,
		2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
		2.120, 2.110, 2.101, 2.093, 2.086 };
	const size_t n = ARRAY_LEN(t);

	if (df <= (double)n)
		return t[(size_t)df - 1];
	return 1.96 + 2.4 / df + 2.6 / (df * df);
}

/* By how much the variance of the line is larger because neighbours are alike:
 * (1 + r) / (1 - r), where r, by Durbin and Watson, follows from the squared
 * differences of neighbours. */
static double
alike(const struct acc_drift *d, double n, double slope, double rest)
{
	double diff2 = d->diff2 - 2 * slope * (d->last - d->first) +
		       (n - 1) * slope * slope;
	double r = rest > 0 ? 1 - diff2 / rest / 2 : 0;

	if (n < FEW || r <= 0)
		return 1;
	return r < 0.99 ? (1 + r) / (1 - r) : 199;
}

bool
drift_put(
    struct buf *b, const struct acc_more *m, uint64_t count, enum agg_stat stat)
{
	double n = (double)count, sxx = n * (n * n - 1) / 12, slope, rest, v;

	if (count < 3 || m->drift.joined || m->mean == 0 || !isfinite(m->mean))
		return false;
	slope = m->drift.co / sxx;
	rest = m->m2 - slope * m->drift.co;
	if (rest < 0)
		rest = 0;
	v = slope;
	if (stat == ST_DRIFTERR)
		v = student(n - 2) * sqrt(rest / (n - 2) / sxx *
					  alike(&m->drift, n, slope, rest));
	v *= 100 * (n - 1) / fabs(m->mean);
	if (!isfinite(v))
		return false;
	buf_f64(b, v, 2);
	return true;
}
