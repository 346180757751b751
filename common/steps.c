/* The selected steps in time; see steps.h. */
#include <math.h>
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

/* A GPU that idles starts a launch within microseconds. */
#define WAITED_NS 1000000

/* A wait in a program's middle has other reasons, such as a function of the
 * host in a queue: it must be longer than all that was recorded until then. */
void
steps_earlier_add(
    struct steps_earlier *e, const struct workrec *w, bool launched)
{
	int64_t from = w->api_end, waited, end = w->end;

	if (e->work.any && e->work.hi > from)
		from = e->work.hi;
	waited = num_sub(w->start, from);
	if (launched && w->has_api_dur && waited > WAITED_NS &&
	    waited > num_sub(e->work.hi, e->work.lo)) {
		launched = false;
		end = w->start;
	}
	if (!launched && (!e->any || end > e->end)) {
		e->any = true;
		e->end = end;
	}
	extent_add(&e->work, w->start, w->end);
}

/* A copy on another stream may run before it. */
bool
steps_earlier_delays(
    const struct steps_earlier *e, int64_t gpu_ns, int64_t gpu_end)
{
	return e->any && gpu_ns - gpu_ns / 10 <= num_sub(gpu_end, e->end);
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

#define RATIO (1 + STEADY_PCT / 100.0)

/* Adds the lengths of those of v[0..n) that count; how many do. */
static size_t
sum_of(const struct steady_step *v, size_t n, double *sum)
{
	size_t i, k = 0;

	*sum = 0;
	for (i = 0; i < n; i++)
		if (counts(&v[i])) {
			*sum += (double)v[i].ns;
			k++;
		}
	return k;
}

/* Where warm-up ends: steps at the beginning that are longer than all later
 * ones, as long as two later ones show it. An outlier, which only the longest
 * of the later ones can be, does not count if it is alone. */
static size_t
warm_up(const struct steady_step *v, size_t n)
{
	int64_t most = 0, second = 0; /* of the steps behind i */
	size_t i, later = 0, end = 0;
	bool *longer = xcalloc(n + 1, sizeof(*longer));

	for (i = n; i-- > 0;) {
		if (!counts(&v[i])) {
			longer[i] = true;
			continue;
		}
		longer[i] = later > 1 && (double)v[i].ns >
					     RATIO * (later > 3 ? (double)second
								: (double)most);
		if (v[i].ns > most) {
			second = most;
			most = v[i].ns;
		} else if (v[i].ns > second) {
			second = v[i].ns;
		}
		later++;
	}
	while (end < n && longer[end])
		end++;
	/* of many such steps, only those that become shorter one by one: a
	 * loop that runs faster later has not warmed up before */
	for (i = 0; end > (n + 3) / 4 && i < end; i++)
		if (counts(&v[i]) && counts(&v[i + 1]) &&
		    (double)v[i].ns <= RATIO * (double)v[i + 1].ns)
			end = i;
	free(longer);
	return later > 0 ? end : 0;
}

/* The median distance from the median. */
static double
spread(const struct steady_step *v, size_t n, double median)
{
	struct steady_step *off = xcalloc(n + 1, sizeof(*off));
	double m;
	size_t i;

	for (i = 0; i < n; i++) {
		off[i] = v[i];
		if (counts(&v[i]))
			off[i].ns = (int64_t)fabs((double)v[i].ns - median);
	}
	m = steady_median(off, n);
	free(off);
	return m;
}

/* Finds the steps that are far from the median and unlike every other one that
 * is: what happens once, such as a checkpoint that is written. Those that come
 * again are the program. In the middle only long ones that move the mean are
 * left out, because steps on one side of them are left out too. */
static void
find_alone(struct steady_step *v, size_t n, size_t from)
{
	double med = steady_median(v + from, n - from), sum, off, x;
	double far = 5 * spread(v + from, n - from, med);
	size_t i, j, k = sum_of(v + from, n - from, &sum);

	if (far < med * (RATIO - 1))
		far = med * (RATIO - 1);
	for (i = from; i < n && k > 2; i++) {
		off = fabs((double)v[i].ns - med);
		if (!counts(&v[i]) || off <= far ||
		    (i > from && i + 1 < n &&
			((double)v[i].ns < med || off * 100 <= sum)))
			continue;
		for (j = from; j < n; j++) {
			x = (double)v[j].ns - (double)v[i].ns;
			if (j != i && counts(&v[j]) &&
			    fabs((double)v[j].ns - med) > far &&
			    fabs(x) <= off / 2)
				break;
		}
		v[i].alone = j == n;
	}
}

/* The longest sequence without steps that are left out, the later one of
 * equals. */
static size_t
longest(const struct steady_step *v, size_t n, size_t from, size_t *at)
{
	size_t i, row = 0, len = 0;

	for (i = from; i < n; i++) {
		row = counts(&v[i]) && !v[i].alone ? row + 1 : 0;
		if (row > 0 && row >= len) {
			len = row;
			*at = i + 1 - row;
		}
	}
	return len;
}

/* Takes all steps from the first to the last one that counts, if the longest
 * sequence does not stand for all of them. */
static size_t
widen(
    const struct steady_step *v, size_t n, size_t from, size_t *at, size_t len)
{
	double all, part;
	size_t k = sum_of(v + from, n - from, &all), i, to = *at + len,
	       lo = *at;

	for (i = from; i < n; i++) {
		if (!counts(&v[i]))
			continue;
		if (v[i].alone) {
			all -= (double)v[i].ns;
			k--;
			continue;
		}
		lo = i < lo ? i : lo;
		to = i + 1 > to ? i + 1 : to;
	}
	sum_of(v + *at, len, &part);
	if (k == 0 || fabs(part / (double)len - all / (double)k) * 100 <=
			  STEADY_MEAN_PCT * all / (double)k)
		return len;
	for (i = lo; i < to; i++)
		if (v[i].ns == STEADY_NONE)
			return len;
	*at = lo;
	return to - lo;
}

enum steady_by
steady_range(
    struct steady_step *v, size_t n, int64_t *from, int64_t *to, size_t *n_warm)
{
	size_t i, at = 0, len, warm;
	double med;

	leave_out(v, n, true, 1);
	leave_out(v, n, false, 2);
	warm = warm_up(v, n);
	find_alone(v, n, warm);
	len = longest(v, n, warm, &at);
	*n_warm = warm;
	*from = *to = -1;
	if (len == 0)
		return STEADY_BY_NONE;
	len = widen(v, n, warm, &at, len);
	*from = (int64_t)at;
	*to = (int64_t)(at + len) - 1;
	for (i = at; i < at + len; i++)
		v[i].once = v[i].alone = false;
	if (len == 1 && n > 1)
		return STEADY_BY_ALONE;
	med = steady_median(v + at, len);
	for (i = at; i < at + len; i++)
		if (!steady_even(&v[i], med))
			return STEADY_BY_ALL;
	return STEADY_BY_MEDIAN;
}
