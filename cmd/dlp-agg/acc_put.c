/* Statistics as text; see acc.h. */
#include <math.h>
#include <string.h>

#include "acc.h"

/* Six significant digits, at least those before the point. */
static void
put_f64(struct buf *b, double v)
{
	int k = v == 0 ? 0 : (int)floor(log10(fabs(v)));
	int decimals = k >= 5 ? 0 : k < -12 ? 18 : 5 - k;
	size_t from = b->len;

	buf_f64(b, v, decimals);
	if (memchr(b->s + from, '.', b->len - from) == NULL)
		return;
	while (b->s[b->len - 1] == '0')
		b->len--;
	if (b->s[b->len - 1] == '.')
		b->len--;
}

/* A mean of integers such as ns needs no six digits. */
static void
put_mean(struct buf *b, const struct acc *c, double v)
{
	if (acc_is_frac(c) || fabs(v) < 100)
		put_f64(b, v);
	else
		buf_f64(b, v, 1);
}

void
acc_put_value(struct buf *b, const struct acc *c, union num v)
{
	if (acc_is_frac(c))
		put_f64(b, v.d);
	else
		buf_i64(b, v.i);
}

static double
sum_f64(const struct acc *c)
{
	return acc_is_frac(c) ? c->more->dsum : wide_f64(&c->isum);
}

static bool
put_pct(struct buf *b, const struct acc *c, const struct acc *total)
{
	double all = sum_f64(total);

	if (all == 0)
		return false;
	buf_f64(b, 100 * sum_f64(c) / all, 2);
	return true;
}

static bool
put_end(struct buf *b, const struct acc *c, bool last)
{
	const struct acc_ends *e = c->ends;

	if (e == NULL || !(last ? e->has_last : e->has_first))
		return false;
	buf_put(b, last ? e->last.s : e->first.s,
	    last ? e->last.len : e->first.len);
	return true;
}

static bool
put_sum(struct buf *b, const struct acc *c)
{
	if (acc_is_frac(c))
		put_f64(b, c->more->dsum);
	else
		wide_put(b, &c->isum);
	return true;
}

bool
acc_put(struct acc *c, struct buf *b, enum stat stat, double p,
    const struct acc *total)
{
	if (stat == ST_FIRST || stat == ST_LAST)
		return put_end(b, c, stat == ST_LAST);
	if (stat == ST_NSET) {
		buf_u64(b, c->n);
		return true;
	}
	if (c->n < (stat == ST_STD ? 2 : 1))
		return false;
	if (stat == ST_PCT)
		return put_pct(b, c, total);
	if (stat == ST_SUM)
		return put_sum(b, c);
	if (stat == ST_MEAN)
		put_mean(b, c, sum_f64(c) / (double)c->n);
	else if (stat == ST_STD)
		put_mean(b, c, sqrt(c->more->m2 / (double)(c->n - 1)));
	else if (stat == ST_PERCENTILE)
		acc_put_value(b, c, acc_percentile(c, p));
	else
		acc_put_value(b, c, stat == ST_MIN ? c->min : c->max);
	return true;
}
