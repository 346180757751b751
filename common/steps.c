/* The selected steps in time; see steps.h. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "steps.h"

void
steps_bind(struct steps_cols *c, struct rec_type *cut)
{
	c->start = rec_col(cut, "start_ns", REC_NEED);
	REC_COLS(cut, REC_OPT, { &c->iter, "iter" }, { &c->dropped, "dropped" },
	    { &c->src, "src" });
}

const struct steps_cut *
steps_read(struct steps *s, const struct steps_cols *c, const struct rec *r,
    bool *dropped)
{
	int64_t no;

	*dropped = rec_i64(r, c->dropped, &no);
	return steps_add(s, rec_int(r, c->start, INT64_MIN),
	    rec_int(r, c->iter, -1), *dropped);
}

const struct steps_cut *
steps_add(struct steps *s, int64_t at, int64_t iter, bool dropped)
{
	const struct steps_cut *last = s->n > 0 ? &s->v[s->n - 1] : NULL;
	struct steps_cut x = { .at = at, .iter = iter, .where = STEPS_IN };

	if (iter < 0 && !dropped && last != NULL && last->where != STEPS_OUT) {
		x.where = STEPS_AFTER;
		x.iter = last->iter;
	} else if (iter < 0) {
		x.where = STEPS_OUT;
	}
	if (!s->any_step && (iter >= 0 || dropped)) {
		s->first = at;
		s->any_step = true;
	}
	ARRAY_GROW(s->v, s->n, s->cap);
	s->v[s->n] = x;
	return &s->v[s->n++];
}

void
steps_work(struct steps *s, int64_t t)
{
	if (!s->any_work || t > s->work_end)
		s->work_end = t;
	s->any_work = true;
}

/* The number of cuts at or before t. */
static size_t
cuts_until(const struct steps *s, int64_t t)
{
	size_t lo = 0, hi = s->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s->v[mid].at <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Until the next cut comes, the work of the last step decides when it is over.
 */
struct steps_part
steps_at(const struct steps *s, int64_t t)
{
	struct steps_part p = { STEPS_OUT, -1, INT64_MAX };
	size_t i = cuts_until(s, t);

	if (i < s->n)
		p.end = s->v[i].at;
	if (i == 0)
		return p;
	p.where = s->v[i - 1].where;
	p.iter = s->v[i - 1].iter;
	if (p.where != STEPS_AFTER)
		return p;
	if (i < s->n) { /* another step follows: the loop continues */
		p.where = STEPS_IN;
	} else if (s->any_work && s->work_end > t) {
		p.where = STEPS_IN;
		p.end = s->work_end;
	}
	return p;
}

bool
steps_open(const struct steps *s)
{
	return s->n > 0 && s->v[s->n - 1].where == STEPS_AFTER;
}

bool
steps_end(const struct steps *s, int64_t *t)
{
	const struct steps_cut *last = s->n > 0 ? &s->v[s->n - 1] : NULL;

	if (!s->any_step || last->where == STEPS_IN)
		return false;
	*t = last->at;
	if (last->where == STEPS_AFTER && s->any_work && s->work_end > *t)
		*t = s->work_end;
	return true;
}

void
steps_free(struct steps *s)
{
	free(s->v);
	memset(s, 0, sizeof(*s));
}

/* Even values. */

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
