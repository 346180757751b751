/*
 * Statistics of the values of a field. As long as all of them are integers
 * they are kept and summed exactly; the first fraction makes doubles of them.
 */
#include <math.h>
#include <stdlib.h>

#include "acc.h"
#include "err.h"

static void
to_double(struct acc *c)
{
	size_t i;

	c->frac = true;
	c->dsum = wide_f64(&c->isum);
	if (c->n == 0)
		return;
	c->min.d = (double)c->min.i;
	c->max.d = (double)c->max.i;
	for (i = 0; i < c->nval; i++)
		c->val[i].d = (double)c->val[i].i;
}

static void
keep_value(struct acc *c, union num v)
{
	if (c->nval == c->cap) {
		c->cap = c->cap > 0 ? c->cap * 2 : 4;
		c->val = xrealloc(c->val, c->cap, sizeof(*c->val));
	}
	c->val[c->nval++] = v;
	c->sorted = false;
}

static void
add_int(struct acc *c, int64_t v)
{
	wide_add(&c->isum, v);
	if (c->n == 0 || v < c->min.i)
		c->min.i = v;
	if (c->n == 0 || v > c->max.i)
		c->max.i = v;
}

static void
add_double(struct acc *c, double v)
{
	c->dsum += v;
	if (c->n == 0 || v < c->min.d)
		c->min.d = v;
	if (c->n == 0 || v > c->max.d)
		c->max.d = v;
}

void
acc_add(struct acc *c, bool frac, union num v, bool keep)
{
	double d = frac ? v.d : (double)v.i, delta;

	if (frac && !c->frac)
		to_double(c);
	if (c->frac) {
		v.d = d;
		add_double(c, d);
	} else {
		add_int(c, v.i);
	}
	c->n++;
	delta = d - c->mean;
	c->mean += delta / (double)c->n;
	c->m2 += delta * (d - c->mean);
	if (keep)
		keep_value(c, v);
}

void
acc_join(struct acc *c, const struct acc *from)
{
	struct acc f = *from;
	double n = (double)c->n + (double)f.n, delta = f.mean - c->mean;
	size_t i;

	if (f.n == 0)
		return;
	if (f.frac && !c->frac)
		to_double(c);
	for (i = 0; i < f.nval; i++) {
		int64_t whole = f.val[i].i;

		if (c->frac && !f.frac)
			f.val[i].d = (double)whole;
		keep_value(c, f.val[i]);
	}
	if (c->frac && !f.frac) {
		f.dsum = wide_f64(&f.isum);
		f.min.d = (double)f.min.i;
		f.max.d = (double)f.max.i;
	}
	c->dsum += f.dsum;
	wide_join(&c->isum, &f.isum);
	if (c->n == 0 || (c->frac ? f.min.d < c->min.d : f.min.i < c->min.i))
		c->min = f.min;
	if (c->n == 0 || (c->frac ? f.max.d > c->max.d : f.max.i > c->max.i))
		c->max = f.max;
	c->m2 += f.m2 + delta * delta * (double)c->n * (double)f.n / n;
	c->mean += delta * (double)f.n / n;
	c->n += f.n;
}

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
	if (c->frac || fabs(v) < 100)
		put_f64(b, v);
	else
		buf_f64(b, v, 1);
}

static void
put_num(struct buf *b, const struct acc *c, union num v)
{
	if (c->frac)
		put_f64(b, v.d);
	else
		buf_i64(b, v.i);
}

static double
sum_f64(const struct acc *c)
{
	return c->frac ? c->dsum : wide_f64(&c->isum);
}

static int
cmp_int(const void *a, const void *b)
{
	const union num *x = a, *y = b;

	return (x->i > y->i) - (x->i < y->i);
}

static int
cmp_double(const void *a, const void *b)
{
	const union num *x = a, *y = b;

	return (x->d > y->d) - (x->d < y->d);
}

/* The least value that p percent of the values do not exceed. */
static union num
percentile(struct acc *c, double p)
{
	size_t k;

	if (!c->sorted)
		qsort(c->val, c->nval, sizeof(*c->val),
		    c->frac ? cmp_double : cmp_int);
	c->sorted = true;
	k = (size_t)ceil(p / 100 * (double)c->nval - 1e-9);
	return c->val[k > 0 ? k - 1 : 0];
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
put_text(struct buf *b, const struct smap *texts, uint32_t id)
{
	const char *s;
	size_t n;

	if (id == SMAP_NONE)
		return false;
	s = smap_str(texts, id, &n);
	buf_put(b, s, n);
	return true;
}

static bool
put_sum(struct buf *b, const struct acc *c)
{
	if (c->frac)
		put_f64(b, c->dsum);
	else
		wide_put(b, &c->isum);
	return true;
}

bool
acc_put(struct acc *c, struct buf *b, enum stat stat, double p,
    const struct acc *total, const struct smap *texts)
{
	if (stat == ST_FIRST || stat == ST_LAST)
		return put_text(
		    b, texts, stat == ST_FIRST ? c->first : c->last);
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
		put_mean(b, c, sqrt(c->m2 / (double)(c->n - 1)));
	else if (stat == ST_PERCENTILE)
		put_num(b, c, percentile(c, p));
	else
		put_num(b, c, stat == ST_MIN ? c->min : c->max);
	return true;
}
