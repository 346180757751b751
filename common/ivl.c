/* Unions of intervals; see ivl.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "ivl.h"
#include "num.h"

/* The first span that ends at or after t. */
static size_t
first_reaching(const struct ivl *u, int64_t t)
{
	size_t lo = 0, hi = u->n;

	if (hi > 0 && u->v[hi - 1].hi < t)
		return hi;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (u->v[mid].hi < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void
insert_at(struct ivl *u, size_t i, int64_t lo, int64_t hi)
{
	if (u->n == u->cap) {
		u->cap = u->cap > 0 ? u->cap * 2 : 4;
		u->v = xrealloc(u->v, u->cap, sizeof(*u->v));
	}
	memmove(u->v + i + 1, u->v + i, (u->n - i) * sizeof(*u->v));
	u->v[i] = (struct ivl_span){ lo, hi };
	u->n++;
}

void
ivl_add(struct ivl *u, int64_t lo, int64_t hi)
{
	size_t i, j;

	if (hi <= lo)
		return;
	i = first_reaching(u, lo);
	if (i == u->n || u->v[i].lo > hi) {
		insert_at(u, i, lo, hi);
		return;
	}
	if (lo < u->v[i].lo)
		u->v[i].lo = lo;
	if (hi <= u->v[i].hi)
		return;
	for (j = i + 1; j < u->n && u->v[j].lo <= hi; j++)
		if (u->v[j].hi > hi)
			hi = u->v[j].hi;
	u->v[i].hi = hi;
	memmove(u->v + i + 1, u->v + j, (u->n - j) * sizeof(*u->v));
	u->n -= j - i - 1;
}

int64_t
ivl_len(const struct ivl *u)
{
	return ivl_len_in(u, INT64_MIN, INT64_MAX);
}

int64_t
ivl_len_in(const struct ivl *u, int64_t lo, int64_t hi)
{
	int64_t sum = 0;
	size_t i;

	for (i = first_reaching(u, lo); i < u->n && u->v[i].lo < hi; i++) {
		int64_t a = u->v[i].lo > lo ? u->v[i].lo : lo;
		int64_t b = u->v[i].hi < hi ? u->v[i].hi : hi;

		if (b > a)
			sum = num_add(sum, num_sub(b, a));
	}
	return sum;
}

int64_t
ivl_drop(struct ivl *u, size_t n, int64_t *end)
{
	int64_t sum = 0;
	size_t i;

	if (n > u->n)
		n = u->n;
	for (i = 0; i < n; i++) {
		sum = num_add(sum, num_sub(u->v[i].hi, u->v[i].lo));
		*end = u->v[i].hi;
	}
	u->n -= n;
	if (n > 0)
		memmove(u->v, u->v + n, u->n * sizeof(*u->v));
	return sum;
}

void
ivl_clear(struct ivl *u)
{
	u->n = 0;
}

void
ivl_free(struct ivl *u)
{
	free(u->v);
	memset(u, 0, sizeof(*u));
}
