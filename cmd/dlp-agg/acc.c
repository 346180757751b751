/*
 * Statistics of the values of a field. As long as all of them are integers
 * they are kept and summed exactly; the first fraction makes doubles of them.
 */
#include <math.h>
#include <stdlib.h>

#include "acc.h"
#include "err.h"

struct acc_more *
acc_more(struct acc *c)
{
	if (c->more == NULL)
		c->more = xcalloc(1, sizeof(*c->more));
	return c->more;
}

static void
to_double(struct acc *c)
{
	struct acc_more *m = acc_more(c);
	size_t i;

	m->frac = true;
	m->dsum = wide_f64(&c->isum);
	if (c->n == 0)
		return;
	c->min.d = (double)c->min.i;
	c->max.d = (double)c->max.i;
	for (i = 0; i < m->nval; i++)
		m->val[i].d = (double)m->val[i].i;
}

void
acc_keep(struct acc_more *m, union num v)
{
	if (m->nval == m->cap) {
		m->cap = m->cap > 0 ? m->cap * 2 : 4;
		m->val = xrealloc(m->val, m->cap, sizeof(*m->val));
	}
	m->val[m->nval++] = v;
	m->sorted = false;
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
	c->more->dsum += v;
	if (c->n == 0 || v < c->min.d)
		c->min.d = v;
	if (c->n == 0 || v > c->max.d)
		c->max.d = v;
}

/* c->n counts the value already. */
static void
add_std(struct acc *c, double d)
{
	struct acc_more *m = acc_more(c);
	double delta = d - m->mean;

	m->mean += delta / (double)c->n;
	m->m2 += delta * (d - m->mean);
}

size_t
acc_add(struct acc *c, bool frac, union num v, int want)
{
	double d = frac ? v.d : (double)v.i;
	size_t cap;

	if (frac && !acc_is_frac(c))
		to_double(c);
	if (acc_is_frac(c)) {
		v.d = d;
		add_double(c, d);
	} else {
		add_int(c, v.i);
	}
	c->n++;
	if (want & ACC_STD)
		add_std(c, d);
	if (!(want & ACC_VALUES))
		return 0;
	cap = acc_more(c)->cap;
	acc_keep(c->more, v);
	return c->more->cap - cap;
}

static void
join_values(struct acc *c, const struct acc_more *from)
{
	size_t i;

	if (from->rounded)
		acc_more(c)->rounded = true;
	for (i = 0; i < from->nval; i++) {
		union num v = from->val[i];

		if (acc_is_frac(c) && !from->frac)
			v.d = (double)from->val[i].i;
		acc_keep(acc_more(c), v);
	}
}

/* Of two deviations that of all; from->more is there. */
static void
join_std(struct acc *c, const struct acc *from)
{
	struct acc_more *m = acc_more(c);
	double n = (double)c->n + (double)from->n;
	double delta = from->more->mean - m->mean;

	m->m2 +=
	    from->more->m2 + delta * delta * (double)c->n * (double)from->n / n;
	m->mean += delta * (double)from->n / n;
}

void
acc_join(struct acc *c, const struct acc *from, bool values)
{
	struct acc f = *from;

	if (f.n == 0)
		return;
	if (acc_is_frac(&f) && !acc_is_frac(c))
		to_double(c);
	if (values && f.more != NULL)
		join_values(c, f.more);
	if (acc_is_frac(c) && !acc_is_frac(&f)) {
		f.min.d = (double)f.min.i;
		f.max.d = (double)f.max.i;
	}
	if (acc_is_frac(c))
		c->more->dsum +=
		    acc_is_frac(&f) ? f.more->dsum : wide_f64(&f.isum);
	wide_join(&c->isum, &f.isum);
	if (c->n == 0 ||
	    (acc_is_frac(c) ? f.min.d < c->min.d : f.min.i < c->min.i))
		c->min = f.min;
	if (c->n == 0 ||
	    (acc_is_frac(c) ? f.max.d > c->max.d : f.max.i > c->max.i))
		c->max = f.max;
	if (f.more != NULL)
		join_std(c, &f);
	c->n += f.n;
}

void
acc_extreme(struct acc *c, const struct acc *x, bool least)
{
	union num v = least ? x->min : x->max;

	if (acc_is_frac(x) && !acc_is_frac(c))
		to_double(c);
	if (acc_is_frac(c) && !acc_is_frac(x)) {
		int64_t whole = v.i;

		v.d = (double)whole;
	}
	if (least)
		c->min = v;
	else
		c->max = v;
}

void
acc_free(struct acc *c)
{
	if (c->more != NULL)
		free(c->more->val);
	free(c->more);
	if (c->ends != NULL) {
		buf_free(&c->ends->first);
		buf_free(&c->ends->last);
	}
	free(c->ends);
}

static struct acc_ends *
ends(struct acc *c)
{
	if (c->ends == NULL)
		c->ends = xcalloc(1, sizeof(*c->ends));
	return c->ends;
}

void
acc_first(struct acc *c, const char *s, size_t n)
{
	struct acc_ends *e = ends(c);

	if (e->has_first)
		return;
	buf_put(&e->first, s, n);
	e->has_first = true;
}

void
acc_last(struct acc *c, const char *s, size_t n)
{
	struct acc_ends *e = ends(c);

	buf_clear(&e->last);
	buf_put(&e->last, s, n);
	e->has_last = true;
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

void
acc_sort(struct acc_more *m)
{
	if (!m->sorted && m->nval > 0)
		qsort(m->val, m->nval, sizeof(*m->val),
		    m->frac ? cmp_double : cmp_int);
	m->sorted = true;
}

/* The least value that p percent of the values do not exceed. */
uint64_t
acc_rank(uint64_t n, double p)
{
	uint64_t k = (uint64_t)ceil(p / 100 * (double)n - 1e-9);

	return k > 0 ? k : 1;
}

union num
acc_percentile(struct acc *c, double p)
{
	acc_sort(c->more);
	return c->more->val[acc_rank(c->more->nval, p) - 1];
}
