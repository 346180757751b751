/* DLProf's detectors of iterations; see rule.h and dlprof.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "rule.h"

void
no_iterations(const struct facts *f, double limit, struct verdict *v)
{
	(void)limit;
	if (f->key_found < 0) {
		unjudged(v, "iterations: dlp-iter --dlprof");
		return;
	}
	v->judged = f->key_found == 0 ? V_YES : V_NO;
	buf_puts(&v->problem,
	    "Unable to split profile into training iterations: key op ");
	buf_put(&v->problem, f->key.s, f->key.len);
	buf_puts(&v->problem, " not found");
	buf_puts(&v->advice, "Specify key op by setting the --key_op argument");
}

static int
by_length(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t
median(const int64_t *v, size_t n)
{
	int64_t *w = xmalloc((n + 1) * sizeof(*w)), m;

	memcpy(w, v, n * sizeof(*w));
	qsort(w, n, sizeof(*w), by_length);
	m = w[n / 2];
	free(w);
	return m;
}

/* The longest row of iterations within 10 % of the median, the later one of
 * equals; false if there is none. */
static bool
stable_range(const struct facts *f, size_t *from, size_t *to)
{
	double m = (double)median(f->iter_ns, f->n_iter), x;
	size_t i, len = 0, best = 0;

	for (i = 0; i < f->n_iter; i++) {
		x = (double)f->iter_ns[i];
		len = x >= 0.9 * m && x <= 1.1 * m ? len + 1 : 0;
		if (len > 0 && len >= best) {
			best = len;
			*to = i;
			*from = i + 1 - len;
		}
	}
	return best > 1 && best < f->n_iter;
}

void
bad_range(const struct facts *f, double limit, struct verdict *v)
{
	double mean = 0, sq = 0;
	size_t i, from = 0, to = 0;

	if (f->n_iter < 3)
		return;
	for (i = 0; i < f->n_iter; i++)
		mean += (double)f->iter_ns[i] / (double)f->n_iter;
	for (i = 0; i < f->n_iter; i++)
		sq += ((double)f->iter_ns[i] - mean) *
		      ((double)f->iter_ns[i] - mean);
	if (mean <= 0 ||
	    !above(v, 100 * sqrt(sq / (double)(f->n_iter - 1)) / mean, limit))
		return;
	buf_printf(&v->problem,
	    "The iteration range %lld to %lld holds iterations of very"
	    " different lengths: they deviate by %s%% of their mean",
	    (long long)f->iter_no[0], (long long)f->iter_no[f->n_iter - 1],
	    buf_str(&v->value));
	if (stable_range(f, &from, &to))
		buf_printf(&v->advice,
		    "Choose the iteration range %lld to %lld"
		    " (--iter_start=%lld --iter_stop=%lld)",
		    (long long)f->iter_no[from], (long long)f->iter_no[to],
		    (long long)f->iter_no[from], (long long)f->iter_no[to]);
	else
		buf_puts(&v->advice,
		    "Profile more iterations, after the warm-up, and choose"
		    " some that are alike");
}
