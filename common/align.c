/*
 * Aligns clocks by common events; see align.h. For each lag of one list against
 * the other, the pairs with equal keys give differences. Their median is the
 * shift; the median deviation from it measures the fit, because a wrong lag
 * pairs unrelated events.
 */
#include <stdlib.h>

#include "align.h"
#include "array.h"
#include "err.h"
#include "num.h"

/* the most events by which one list can begin earlier */
#define LAG_MAX 64
#define EVENTS_MAX 4096 /* the most events to use: the first of either list */
#define NOISE_NS 20000  /* fits that differ by less are equally good */

static int64_t
median(int64_t *v, size_t n)
{
	qsort(v, n, sizeof(*v), array_by_i64);
	return n % 2 != 0 ? v[n / 2]
			  : v[n / 2 - 1] + num_sub(v[n / 2], v[n / 2 - 1]) / 2;
}

static int64_t
distance(int64_t a, int64_t b)
{
	return a > b ? num_sub(a, b) : num_sub(b, a);
}

/* The shift at one lag; d has room for all pairs. */
static bool
try_lag(const struct align_ev *ref, size_t nref, const struct align_ev *x,
    size_t nx, long lag, int64_t *d, struct align *a)
{
	size_t i = lag < 0 ? (size_t)-lag : 0, k;

	a->n = 0;
	for (; i < nref && (size_t)((long)i + lag) < nx; i++) {
		k = (size_t)((long)i + lag);
		if (ref[i].key == x[k].key)
			d[a->n++] = num_sub(ref[i].t, x[k].t);
	}
	if (a->n == 0)
		return false;
	a->shift = median(d, a->n);
	for (i = 0; i < a->n; i++)
		d[i] = distance(d[i], a->shift);
	a->spread = median(d, a->n);
	return true;
}

/* True if a fits better than b, which may be empty. More pairs win first,
 * because a few pairs always fit. */
static bool
better(const struct align *a, const struct align *b, const int64_t *hint)
{
	if (b->n == 0)
		return true;
	if (a->n * 2 < b->n || b->n * 2 < a->n)
		return a->n > b->n;
	if (distance(a->spread, b->spread) > NOISE_NS)
		return a->spread < b->spread;
	if (hint != NULL)
		return distance(a->shift, *hint) < distance(b->shift, *hint);
	return a->n > b->n;
}

bool
align_find(const struct align_ev *ref, size_t nref, const struct align_ev *x,
    size_t nx, const int64_t *hint, struct align *out)
{
	struct align a, best = { 0 };
	int64_t *d;
	long k;

	if (nref > EVENTS_MAX)
		nref = EVENTS_MAX;
	if (nx > EVENTS_MAX)
		nx = EVENTS_MAX;
	d = xcalloc(nref + 1, sizeof(*d));
	for (k = 0; k <= 2 * LAG_MAX; k++) /* 0 1 -1 2 -2: the first wins */
		if (try_lag(ref, nref, x, nx,
			k % 2 != 0 ? (k + 1) / 2 : -(k / 2), d, &a) &&
		    better(&a, &best, hint))
			best = a;
	free(d);
	*out = best;
	return best.n > 0;
}
