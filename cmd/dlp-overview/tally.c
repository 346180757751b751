/* Sums by name; see overview.h. */
#include <stdlib.h>

#include "err.h"
#include "overview.h"

double *
tally_at(struct tally *t, const char *name, size_t n)
{
	bool is_new;
	uint32_t i = smap_put(&t->name, name, n, &is_new);

	if (i >= t->cap) {
		t->cap = t->cap > 0 ? 2 * t->cap : 16;
		t->sum = xrealloc(t->sum, t->cap, sizeof(*t->sum));
	}
	if (is_new)
		t->sum[i] = (struct tally_sum){ 0 };
	return &t->sum[i].ns;
}

/* The place of the greatest sum that is left, or SMAP_NONE. */
static uint32_t
greatest(const struct tally *t)
{
	uint32_t i, best = SMAP_NONE;

	for (i = 0; i < t->name.n; i++) {
		if (t->sum[i].taken)
			continue;
		if (best == SMAP_NONE || t->sum[i].ns > t->sum[best].ns ||
		    (t->sum[i].ns == t->sum[best].ns &&
			strcmp(smap_str(&t->name, i, NULL),
			    smap_str(&t->name, best, NULL)) < 0))
			best = i;
	}
	return best;
}

const char *
tally_best(const struct tally *t, double *ns)
{
	uint32_t i = greatest(t);

	if (i == SMAP_NONE)
		return NULL;
	*ns = t->sum[i].ns;
	return smap_str(&t->name, i, NULL);
}

const char *
tally_take(struct tally *t, double *ns)
{
	uint32_t i = greatest(t);

	if (i == SMAP_NONE)
		return NULL;
	t->sum[i].taken = true;
	*ns = t->sum[i].ns;
	return smap_str(&t->name, i, NULL);
}
