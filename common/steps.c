/* The selected steps in time; see steps.h. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "mview.h"
#include "steps.h"

const struct steps_cut *
steps_read(struct steps *s, const struct rec *r, bool *dropped)
{
	int64_t no;

	*dropped = rec_num(r, COL_dropped, &no);
	return steps_add(s, rec_num_or(r, COL_start_ns, INT64_MIN),
	    rec_num_or(r, COL_iter, -1), *dropped);
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

/* Until the next cut comes, the work of the last step decides when it is over.
 */
struct steps_part
steps_at(const struct steps *s, int64_t t)
{
	struct steps_part p = { STEPS_OUT, -1, INT64_MAX };
	size_t i = array_until(
	    s->v, s->n, sizeof(*s->v), offsetof(struct steps_cut, at), t);

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

	if (last == NULL || !s->any_step || last->where == STEPS_IN)
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

/* Even steps. */

#define LOAD_PCT 2
#define ALLOC_PCT 5

enum steady_call
steady_call(const char *api, size_t n)
{
	static const struct {
		const char *begin;
		enum steady_call is;
	} known[] = {
		{ "cuModuleLoad", STEADY_CALL_LOADS },
		{ "cuLibraryLoad", STEADY_CALL_LOADS },
		{ "cudaLibraryLoad", STEADY_CALL_LOADS },
		{ "cuLinkComplete", STEADY_CALL_LOADS },
		{ "cudaMallocAsync", STEADY_CALL_OTHER },
		{ "cudaMalloc", STEADY_CALL_ALLOCATES },
		{ "cudaHostAlloc", STEADY_CALL_ALLOCATES },
		{ "cuMemAllocAsync", STEADY_CALL_OTHER },
		{ "cuMemAlloc", STEADY_CALL_ALLOCATES },
		{ "cuMemCreate", STEADY_CALL_ALLOCATES },
		{ "cuMemMap", STEADY_CALL_ALLOCATES },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(known) && api != NULL; i++)
		if (text_starts(api, n, known[i].begin))
			return known[i].is;
	return STEADY_CALL_OTHER;
}

static bool
counts(const struct steady_step *s)
{
	return s->ns != STEADY_NONE && !s->once;
}

double
steady_median(const struct steady_step *v, size_t n)
{
	int64_t *known = xcalloc(n + 1, sizeof(*known));
	size_t i, k = 0;
	double m = 0;

	for (i = 0; i < n; i++)
		if (counts(&v[i]))
			known[k++] = v[i].ns;
	qsort(known, k, sizeof(*known), array_by_i64);
	if (k > 0) {
		size_t mid = k / 2, low = k % 2 > 0 ? mid : mid - 1;

		m = ((double)known[low] + (double)known[mid]) / 2;
	}
	free(known);
	return m;
}

/* More than pct percent of the step's time. */
static bool
is_much(const struct steady_step *s, int64_t ns, int pct)
{
	return (double)ns * 100 > (double)s->ns * pct;
}

/* Leaves the steps out that have work done once, unless fewer than `least`
 * others remain. */
static void
leave_out(struct steady_step *v, size_t n, bool loads, size_t least)
{
	size_t i, rest = 0;

	for (i = 0; i < n; i++)
		rest += counts(&v[i]) &&
			!(loads ? is_much(&v[i], v[i].load_ns, LOAD_PCT)
				: is_much(&v[i], v[i].alloc_ns, ALLOC_PCT));
	for (i = 0; i < n && rest >= least; i++)
		v[i].once |= v[i].ns != STEADY_NONE &&
			     (loads ? is_much(&v[i], v[i].load_ns, LOAD_PCT)
				    : is_much(&v[i], v[i].alloc_ns, ALLOC_PCT));
}

/* True if the step is near the median. */
bool
steady_even(const struct steady_step *s, double median)
{
	double off = (double)s->ns - median;

	return counts(s) && median > 0 &&
	       (off < 0 ? -off : off) * 100 <= STEADY_PCT * median;
}

/* The longest sequence from *from on in which all steps agree; its length. */
static size_t
agreeing(const struct steady_step *v, size_t n, int64_t *from)
{
	size_t i, k, best = 0;
	int64_t lo, hi;

	for (i = 0; i < n; i++) {
		lo = INT64_MAX;
		hi = 0;
		for (k = i; k < n && counts(&v[k]); k++) {
			lo = v[k].ns < lo ? v[k].ns : lo;
			hi = v[k].ns > hi ? v[k].ns : hi;
			if ((double)hi * 100 > (double)lo * (100 + STEADY_PCT))
				break;
		}
		if (k > i && k - i >= best) {
			best = k - i;
			*from = (int64_t)i;
		}
	}
	return best;
}

enum steady_by
steady_range(struct steady_step *v, size_t n, int64_t *from, int64_t *to)
{
	size_t i, at = 0, len = 0, row = 0;
	enum steady_by by = STEADY_BY_MEDIAN;
	double med;

	leave_out(v, n, true, 1);
	leave_out(v, n, false, 2);
	med = steady_median(v, n);
	for (i = 0; i < n; i++) {
		row = steady_even(&v[i], med) ? row + 1 : 0;
		if (row > 0 && row >= len) {
			len = row;
			at = i + 1 - row;
		}
	}
	*from = len > 0 ? (int64_t)at : -1;
	if (len < 2 && n > 1) {
		int64_t start = -1;
		size_t k = agreeing(v, n, &start);

		by = len > 0 ? STEADY_BY_ALONE : STEADY_BY_NONE;
		if (k > 1) {
			by = STEADY_BY_EACH;
			*from = start;
			len = k;
		}
	}
	*to = *from + (int64_t)len - 1;
	if (len == 0)
		*to = -1;
	return by;
}
