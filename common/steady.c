/* Finds the even ones in a sequence of values; see steady.h. */
#include <stdlib.h>

#include "err.h"
#include "steady.h"

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

double
steady_median(const int64_t *v, size_t n)
{
	int64_t *known = xcalloc(n + 1, sizeof(*known));
	size_t i, k = 0;
	double m = 0;

	for (i = 0; i < n; i++)
		if (v[i] != STEADY_NONE)
			known[k++] = v[i];
	qsort(known, k, sizeof(*known), by_value);
	if (k > 0) {
		size_t mid = k / 2, low = k % 2 > 0 ? mid : mid - 1;

		m = ((double)known[low] + (double)known[mid]) / 2;
	}
	free(known);
	return m;
}

/* True if a value is known, and near the median. */
static bool
steady_even(int64_t v, double median)
{
	double off = (double)v - median;

	return v != STEADY_NONE && median > 0 &&
	       (off < 0 ? -off : off) * 100 <= STEADY_PCT * median;
}

void
steady_range(const int64_t *v, size_t n, int64_t *from, int64_t *to)
{
	double med = steady_median(v, n);
	size_t i, at = 0, len = 0, row = 0;

	for (i = 0; i < n; i++) {
		row = steady_even(v[i], med) ? row + 1 : 0;
		if (row > 0 && row >= len) {
			len = row;
			at = i + 1 - row;
		}
	}
	*from = len > 0 ? (int64_t)at : -1;
	*to = (int64_t)(at + len) - 1;
}
