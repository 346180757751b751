/* Means and noise; see stat.h. */
#include <math.h>
#include <stdlib.h>

#include "err.h"
#include "num.h"
#include "stat.h"

void
stat_of(struct sum *s, const double *v, size_t n)
{
	double sum = 0, sq = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += v[i];
	s->n = n;
	s->mean = n > 0 ? sum / (double)n : 0;
	for (i = 0; i < n; i++)
		sq += (v[i] - s->mean) * (v[i] - s->mean);
	s->var = n > 1 ? sq / (double)(n - 1) : 0;
}

struct totals {
	int64_t flop;
	uint64_t n;
};

static void
add_cells(struct sum *s, struct totals *t, const struct side *side,
    const struct cells *c, double *v)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		const struct cell *x = &c->v[i];
		const struct step *step = &side->step[x->step];

		if (!step->used)
			continue;
		s->any = true;
		v[step->pos] += (double)x->ns;
		t->n += x->n;
		t->flop = num_add(t->flop, x->flop);
		s->has_flop |= x->has_flop;
		s->tc |= x->tc;
	}
}

void
stat_rows(struct sum *s, const struct side *side, size_t side_no,
    struct row *const *rows, size_t n)
{
	double *v = xcalloc(side->n_used + 1, sizeof(*v));
	struct totals t = { 0 };
	size_t i;

	*s = (struct sum){ 0 };
	for (i = 0; i < n; i++)
		if (side_no < rows[i]->n_side)
			add_cells(s, &t, side, &rows[i]->side[side_no], v);
	stat_of(s, v, side->n_used);
	if (side->n_used > 0) {
		s->calls = (double)t.n / (double)side->n_used;
		s->flop = (double)t.flop / (double)side->n_used;
	}
	free(v);
}

/* The 97.5 % quantile of Student's t with df degrees of freedom, taken at the
 * next lower whole number. */
static double
student(double df)
{
	static const double t[] = { 12.706, 12.706, 4.303, 3.182, 2.776, 2.571,
		2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
		2.131, 2.120, 2.110, 2.101, 2.093, 2.086 };
	size_t n = sizeof(t) / sizeof(t[0]);

	if (df < (double)n)
		return t[(size_t)df];
	return 1.96 + 2.5 / df;
}

double
stat_noise(const struct sum *a, const struct sum *b)
{
	double va, vb, df;

	if (a->n < 2 || b->n < 2)
		return -1;
	va = a->var / (double)a->n;
	vb = b->var / (double)b->n;
	if (va + vb <= 0)
		return 0;
	df = (va + vb) * (va + vb) /
	     (va * va / (double)(a->n - 1) + vb * vb / (double)(b->n - 1));
	return student(df) * sqrt(va + vb);
}
