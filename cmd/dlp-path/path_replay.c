/*
 * What a step would take with some work changed. Its work and the points of its
 * threads are placed again in the order of time, each when the last thing that
 * it waited for is over. What happened before the step stays as it was, so that
 * a shorter duration never makes a step longer.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "num.h"
#include "path.h"

/* ns between what something waited for and its start, at most, where it waited
 * for something else in the recording */
#define GAP 1000
#define LATENCY 3000

#define SORT_BYTES ((size_t)24 << 20)

struct replay { /* of a rank */
	struct path *p;
	struct replay *ranks;
	uint32_t rank;
	size_t part;     /* of the rank */
	unsigned on;     /* FIX_BIT()s of what is changed */
	int64_t lo, hi;  /* of the step */
	int64_t cpu_hi;  /* threads are ahead, in the next step, from then on */
	int64_t cpu_end; /* the last new time of a thread before */
	int64_t ahead;   /* by which threads begin the step sooner before lo
			  * than in the recording */
	int64_t end;     /* the last new time so far */
	int64_t tail_at; /* the last recorded time, and its new time */
	int64_t tail;
	int64_t cpu_tail_at; /* the same of threads */
	int64_t cpu_tail;
	const struct path_effect *effect; /* of the changes */
	int64_t gained; /* by which the rank no longer comes late */
	int64_t *whole; /* by part: its length without what is gained */
	int64_t moved;  /* by which lo is later than recorded */
	struct path_arrival **open; /* collectives that wait for other ranks */
	size_t n_open, open_cap;
};

/* The ranks of --no-straggler, and their collectives, as dlp-ranks found
 * them. */

static int
by_coll(const void *va, const void *vb)
{
	const struct path_arrival *a = va, *b = vb;

	return CMP2(a, b, coll, rank);
}

static uint64_t
arrival_key(uint32_t rank, int64_t start, int64_t dur)
{
	return hash_mix(hash_mix((uint64_t)rank + 1) ^ (uint64_t)start) ^
	       (uint64_t)dur;
}

/* Arrivals to work, by collectives. */
static void
link_ranks(struct path *p)
{
	struct path_arrival *v = p->arrivals.v, *a;
	const struct path_work *w;
	struct map at = { 0 };
	uint64_t *no;
	size_t i;

	if (p->arrivals.n > 0)
		qsort(v, p->arrivals.n, sizeof(*v), by_coll);
	for (i = 0; i < p->arrivals.n; i++)
		*map_put(&at, arrival_key(v[i].rank, v[i].start, v[i].dur),
		    NULL) = i;
	for (i = 0; i < p->works.n && p->arrivals.n > 0; i++) {
		w = path_work_at(p, (int64_t)i);
		no = map_get(&at, arrival_key(p->stream[w->stream].rank,
				      w->start, w->end - w->start));
		a = no != NULL ? &v[*no] : NULL;
		if (a == NULL || a->work >= 0 || w->tag != TAG_COMM ||
		    a->start != w->start || a->dur != w->end - w->start)
			continue;
		a->work = (int64_t)i;
		*map_put(&p->arrival_of, i, NULL) = *no + 1;
	}
	map_free(&at);
}

/* The arrival of work at a collective of several ranks, or NULL. */
static struct path_arrival *
arrival_of(const struct path *p, int64_t work)
{
	const uint64_t *no = map_get(&p->arrival_of, (uint64_t)work);

	return no != NULL ? (struct path_arrival *)p->arrivals.v + *no - 1
			  : NULL;
}

/* If all ranks have arrived: the first of their *n arrivals, otherwise NULL. */
static struct path_arrival *
all_arrived(const struct path *p, struct path_arrival *a, size_t *n)
{
	struct path_arrival *v = p->arrivals.v, *first = a, *end = a;
	const struct path_part *x, *y;

	while (first > v && first[-1].coll == a->coll)
		first--;
	for (end = first; end < v + p->arrivals.n && end->coll == a->coll;
	     end++) {
		if (!end->here)
			return NULL;
		x = path_part(&p->rank[end->rank], end->part);
		y = path_part(&p->rank[a->rank], a->part);
		if (x->step != y->step)
			return NULL;
	}
	*n = (size_t)(end - first);
	return first;
}

/* Times of the replay. */

static bool
fixes(const struct replay *y, int fix)
{
	return (y->on & FIX_BIT(fix)) != 0;
}

static double
factor_of(const struct replay *y, const struct path_work *w, bool *gone)
{
	double f = path_fix_work(y->p, y->on, w);

	*gone = path_needless(y->p, y->on, w->helps);
	if (fixes(y, FIX_OPTIONS))
		f *= path_factor(y->p, y->effect, w, gone);
	return f;
}

static int64_t
new_end(const struct replay *y, int64_t i)
{
	const struct path_work *w = path_work_at(y->p, i);

	if (w->start < y->lo)
		return w->end;
	return ((int64_t *)y->p->new_work.v)[i];
}

static int64_t
new_point(const struct replay *y, int64_t i)
{
	const struct path_point *pt = path_point_no(y->p, i);

	if (pt->at < y->lo)
		return y->lo - y->ahead;
	return ((int64_t *)y->p->new_point.v)[i];
}

static int64_t
later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t
sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Something that ended at `was` ends at `now`. */
static void
moved(struct replay *y, int64_t was, int64_t now)
{
	y->end = later(y->end, now);
	if (was > y->tail_at || (was == y->tail_at && now > y->tail)) {
		y->tail_at = was;
		y->tail = now;
	}
}

static void
moved_thread(struct replay *y, int64_t was, int64_t now)
{
	y->cpu_end = later(y->cpu_end, now);
	if (was >= y->cpu_tail_at) {
		y->cpu_tail_at = was;
		y->cpu_tail = now;
	}
	moved(y, was, now);
}

/* Time on the CPU is nothing. */
static bool
no_cpu(const struct replay *y)
{
	return fixes(y, FIX_OPTIONS) && y->p->zero_launch;
}

/* Time of a thread, without what is removed. */
static int64_t
cpu_time(const struct replay *y, uint32_t thread, int64_t from, int64_t to)
{
	const struct path_piece *c;
	struct path_what what;
	int64_t sum = 0, until;

	if (y->on == 0 || to <= from)
		return to - from;
	if (no_cpu(y))
		return 0;
	for (; from < to; from = until) {
		c = path_piece_at(y->p, thread, from, &until);
		until = sooner(until, to);
		what = path_what(y->p, c);
		if (!fixes(y, FIX_OPTIONS) ||
		    (!path_removed(y->p, y->effect, what.op) &&
			!path_removed(y->p, y->effect, what.name)))
			sum += path_fix_cpu(y->p, &y->p->rank[y->rank], y->on,
			    &what, until - from);
	}
	return sum;
}

/* What work waited for: when that was over, and is now, and how long after at
 * most the work starts if it waited for something else. */
struct came {
	int64_t was[3], now[3], most[3];
	int64_t last; /* of was */
	int n;
};

static void
came_from(struct came *c, int64_t was, int64_t now, int64_t most)
{
	c->was[c->n] = was;
	c->now[c->n] = now;
	c->most[c->n++] = most;
	c->last = later(c->last, was);
}

/* What arrived last keeps its distance, the others have a short one. */
static int64_t
new_start(const struct replay *y, const struct path_work *w, bool gone)
{
	const struct path *p = y->p;
	const struct path_work *x;
	const struct path_point *pt;
	struct came c = { .last = INT64_MIN };
	bool no_launch = gone || no_cpu(y) || fixes(y, FIX_LAUNCHES), off;
	bool overlap =
	    fixes(y, FIX_COMM) || (fixes(y, FIX_OPTIONS) && p->overlap);
	int64_t now, over, len, gap, t = INT64_MIN;
	int i;

	if (w->after >= 0) { /* the work before, which may overlap */
		x = path_work_at(p, w->after);
		now = new_end(y, w->after);
		over = x->end - w->start;
		if (over > 0) {
			len = (int64_t)((double)(x->end - x->start) *
					factor_of(y, x, &off));
			now -= sooner(over, len);
		}
		came_from(&c, sooner(x->end, w->start), now, gone ? 0 : GAP);
	}
	if (w->launch >= 0) {
		pt = path_point_no(p, w->launch);
		came_from(&c, pt->at,
		    pt->at < y->lo ? pt->at : new_point(y, w->launch),
		    no_launch ? 0 : LATENCY);
	}
	if (w->cross >= 0) {
		x = path_work_at(p, w->cross);
		if (overlap && x->tag == TAG_COMM && w->tag != TAG_COMM)
			c.last = later(c.last, x->end);
		else
			came_from(
			    &c, x->end, new_end(y, w->cross), gone ? 0 : GAP);
	}
	for (i = 0; i < c.n; i++) {
		gap = w->start - c.was[i];
		/* A graph has no launch whose latency lies in it; streams of
		 * an op that is one kernel now do not wait for each other's. */
		if (c.was[i] != c.last || c.most[i] == 0 ||
		    fixes(y, FIX_LAUNCHES) ||
		    path_needless(p, y->on, w->product))
			gap = sooner(gap, c.most[i]);
		t = later(t, c.now[i] + gap);
	}
	return later(c.n > 0 ? t : w->start, y->lo);
}

/* Work ends at `end`; where the part ends before, so much of it counts. */
static void
ended(struct replay *y, const struct path_work *w, int64_t end)
{
	moved(y, sooner(w->end, y->hi), end - later(w->end - y->hi, 0));
}

/* When the median rank arrives, after the begin of its step; of two ranks that
 * is the first one. */
static int64_t
median_arrival(
    const struct replay *ranks, const struct path_arrival *a, size_t n)
{
	int64_t *v = xcalloc(n, sizeof(*v)), t;
	const struct replay *y;
	size_t i;

	for (i = 0; i < n; i++) {
		y = &ranks[a[i].rank];
		v[i] = a[i].now - y->lo - y->gained;
	}
	qsort(v, n, sizeof(*v), array_by_i64);
	t = v[(n - 1) / 2];
	free(v);
	return t;
}

/* When the last rank arrives, if steps follow each other as they do now. */
static int64_t
last_arrival(const struct replay *ranks, const struct path_arrival *a, size_t n)
{
	int64_t t = INT64_MIN;

	while (n-- > 0)
		t = later(t, a[n].now + ranks[a[n].rank].moved);
	return t;
}

/* All ranks are at the collective: it begins with the last one, or without
 * stragglers with the median one. Then the time by which a rank comes later is
 * taken from the rank's step. */
static void
meet(struct replay *ranks, struct path_arrival *a, size_t n)
{
	bool median = fixes(&ranks[a->rank], FIX_STRAGGLER);
	int64_t at =
	    median ? median_arrival(ranks, a, n) : last_arrival(ranks, a, n);
	int64_t end;
	struct replay *y;
	size_t i, k;

	for (i = 0; i < n; i++) {
		y = &ranks[a[i].rank];
		for (k = 0; k < y->n_open && y->open[k] != &a[i]; k++)
			;
		if (k < y->n_open)
			y->open[k] = y->open[--y->n_open];
		end = at + a[i].comm_now - y->moved;
		if (median) {
			y->gained = later(y->gained, a[i].now - y->lo - at);
			end = y->lo + y->gained + at + a[i].comm_now;
		}
		((int64_t *)y->p->new_work.v)[a[i].work] = end;
		ended(y, path_work_at(y->p, a[i].work), end);
	}
}

/* Work starts now; true: it is a collective, and ends when the others came. */
static bool
arrived(struct replay *y, int64_t i, int64_t now, double factor)
{
	struct path_arrival *a, *first;
	size_t n;

	if (y->on == 0 || path_work_at(y->p, i)->tag != TAG_COMM)
		return false;
	a = arrival_of(y->p, i);
	if (a == NULL) {
		y->p->alone += y->p->no_straggler;
		return false;
	}
	a->now = now;
	a->comm_now = (int64_t)((double)a->comm * factor + 0.5);
	a->part = y->part;
	a->here = true;
	ARRAY_GROW(y->open, y->n_open, y->open_cap);
	y->open[y->n_open++] = a;
	first = all_arrived(y->p, a, &n);
	if (first != NULL)
		meet(y->ranks, first, n);
	return true;
}

static void
place_work(struct replay *y, int64_t i)
{
	const struct path_work *w = path_work_at(y->p, i);
	int64_t start, hi = sooner(w->end, y->hi);
	bool gone;
	double f = factor_of(y, w, &gone);

	start = new_start(y, w, gone);
	((int64_t *)y->p->new_work.v)[i] =
	    start + (int64_t)((double)(w->end - w->start) * f + 0.5);
	if (!arrived(y, i, start, f))
		moved(y, hi,
		    start + (int64_t)((double)(hi - w->start) * f + 0.5));
}

static void
place_point(struct replay *y, int64_t i)
{
	const struct path *p = y->p;
	const struct path_point *pt = path_point_no(p, i), *b;
	int64_t from = y->lo, t = from - y->ahead, back;

	if (pt->before >= 0) {
		b = path_point_no(p, pt->before);
		from = later(from, b->at);
		t = new_point(y, pt->before);
	}
	if (!pt->blocked)
		t += cpu_time(y, pt->thread, from, pt->at);
	if (!pt->own_before && i > (int64_t)p->thread[pt->thread].lo)
		t = later(t, new_point(y, i - 1));
	/* unless the thread no longer waits there for the GPU */
	if (pt->kind == POINT_END && pt->work >= 0 &&
	    !fixes(y, pt->fetches ? FIX_COPIES : FIX_SYNC)) {
		back = pt->at - path_work_at(p, pt->work)->end;
		if (!pt->blocked)
			back =
			    sooner(back, cpu_time(y, pt->thread, from, pt->at));
		t = later(t, new_end(y, pt->work) + back);
	}
	t = later(t, y->lo - y->ahead);
	((int64_t *)p->new_point.v)[i] = t;
	if (pt->at <= y->cpu_hi)
		moved_thread(y, pt->at, t);
}

/* The time in which threads are active after their last points. */
static void
end_threads(struct replay *y)
{
	const struct path *p = y->p;
	const struct path_piece *c, *first;
	int64_t until, k, active, hi = sooner(y->hi, y->cpu_hi), at;
	uint32_t i;

	for (i = 0; i < p->n_thread; i++) {
		k = p->thread[i].rank == y->rank ? path_point_at(p, i, hi - 1)
						 : -1;
		if (k < 0 || (at = path_point_no(p, k)->at) < y->lo)
			continue;
		active = hi;
		c = path_piece_at(p, i, hi - 1, &until);
		first =
		    (struct path_piece *)p->pieces.v + p->thread[i].piece_lo;
		for (; c != NULL && c >= first && c->outer == PATH_NONE; c--)
			active = c->start;
		if (active > at)
			moved_thread(y, active,
			    new_point(y, k) + cpu_time(y, i, at, active));
	}
}

/* The order of time, in which a thing follows all that it waited for: work by
 * its start, after the point that launched it. */
struct moment {
	int64_t at, no;
	bool work;
};

static void
put_moment(struct xsort *x, int64_t at, bool work, int64_t no)
{
	struct moment m = { at, no, work };

	xsort_put(x, &m, sizeof(m), "", 0);
}

static int
by_time(const void *ctx, const char *a, size_t an, const char *b, size_t bn)
{
	struct moment x, y;

	(void)ctx;
	(void)an;
	(void)bn;
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	if (x.at != y.at)
		return x.at < y.at ? -1 : 1;
	if (x.work != y.work)
		return x.work ? 1 : -1;
	return x.no < y.no ? -1 : x.no > y.no;
}

/* The first part from i on that has a length. */
static size_t
next_part(const struct path_rank *k, size_t i)
{
	while (i < k->parts.n && path_part(k, i)->hi <= path_part(k, i)->lo)
		i++;
	return i;
}

static void
begin_part(struct replay *y)
{
	const struct path_rank *k = &y->p->rank[y->rank];
	const struct path_part *part;

	y->part = next_part(k, y->part);
	if (y->part == k->parts.n)
		return;
	part = path_part(k, y->part);
	y->lo = part->lo;
	y->hi = part->hi;
	y->cpu_hi = part->cpu_hi;
	y->end = y->tail_at = y->tail = y->cpu_tail_at = y->lo;
	y->cpu_end = y->cpu_tail = y->lo - y->ahead;
	y->gained = 0;
}

/* Times of the threads, which work in turn, from..to: by how much less they
 * take, without waiting for the GPU; what data takes that they load. */
enum sum_of { SUM_SAVED, SUM_LOADED };

static int64_t
threads_sum(struct replay *y, int64_t from, int64_t to, enum sum_of which)
{
	const struct path *p = y->p;
	const struct path_rank *k = &p->rank[y->rank];
	const struct path_piece *c;
	struct path_what what;
	int64_t sum = 0, at, until;
	uint32_t i;

	for (i = 0; i < p->n_thread && y->on != 0; i++) {
		if (p->thread[i].rank != y->rank)
			continue;
		for (at = from; at < to; at = until) {
			c = path_piece_at(p, i, at, &until);
			until = sooner(until, to);
			what = path_what(p, c);
			if (which == SUM_LOADED &&
			    (what.is & (IS_LOADER | IS_WAIT)) == IS_LOADER)
				sum += path_fix_cpu(p, k,
				    y->on & ~FIX_BIT(FIX_LOADER), &what,
				    until - at);
			if (which == SUM_LOADED || c == NULL ||
			    c->outer == PATH_NONE)
				continue;
			sum += until - at;
			if ((what.is & IS_BLOCK) == 0)
				sum -= cpu_time(y, i, at, until);
		}
	}
	return sum;
}

/* What the CPU did besides the changes that are asked for is replayed, too. */
static bool
fixed(const struct replay *y)
{
	return (y->on & ~FIX_ASKED) != 0;
}

/* The time from..to near the end of a part, in which the thread that came last
 * goes on, in the next step perhaps. */
static int64_t
tail_time(struct replay *y, int64_t from, int64_t to)
{
	const struct path *p = y->p;
	int64_t last = PATH_UNSET, k, at;
	uint32_t i, thread = PATH_NONE;

	if (no_cpu(y) || from >= to)
		return 0;
	for (i = 0; i < p->n_thread && fixed(y); i++) {
		k = p->thread[i].rank == y->rank
			? path_point_at(p, i, y->hi - 1)
			: -1;
		at = k >= 0 ? path_point_no(p, k)->at : PATH_UNSET;
		if (at > last) {
			last = at;
			thread = i;
		}
	}
	return thread != PATH_NONE ? cpu_time(y, thread, from, to) : to - from;
}

/* The next step follows, and its threads begin it without waiting for the GPU:
 * how much sooner before its begin than in the recording, if this one takes
 * len, at most by a step of theirs. */
static int64_t
next_ahead(struct replay *y, int64_t len, int64_t most)
{
	const struct path_rank *k = &y->p->rank[y->rank];
	const struct path_part *next;
	int64_t cpu_lo, begins, ahead;
	size_t i = next_part(k, y->part + 1);

	if (!fixed(y) || fixes(y, FIX_STRAGGLER) || i == k->parts.n)
		return 0;
	next = path_part(k, i);
	if (next->iter == PATH_NONE || next->lo != y->hi)
		return 0;
	cpu_lo = sooner(next->cpu_lo, y->hi);
	begins = y->cpu_tail + tail_time(y, y->cpu_tail_at, cpu_lo);
	ahead = y->lo + len - begins - (y->hi - cpu_lo);
	return later(sooner(ahead, most), 0);
}

/* Adds the length of the part to v. */
static void
end_part(struct replay *y, int64_t *v)
{
	const struct path *p = y->p;
	const struct path_part *part = path_part(&p->rank[y->rank], y->part);
	int64_t end, was = sooner(part->cpu_hi, y->hi) - part->cpu_lo, made;
	int64_t len = y->hi - y->lo;
	struct path_arrival *a;
	size_t i;

	/* the others do not come in this step: it takes as long as it took */
	for (i = 0; i < y->n_open; i++) {
		a = y->open[i];
		y->p->alone += y->p->no_straggler;
		a->here = false;
		ended(y, path_work_at(y->p, a->work),
		    ((int64_t *)y->p->new_work.v)[a->work]);
	}
	y->n_open = 0;
	end_threads(y);
	end = later(y->end, y->tail + tail_time(y, y->tail_at, y->hi));
	/* A thread that is ahead of the GPU does not end the step, but steps
	 * cannot follow each other faster than it makes them. */
	if (part->cpu_hi <= y->lo) /* all before */
		made = no_cpu(y)
			   ? 0
			   : sooner(was, len) - threads_sum(y, part->cpu_lo,
						    part->cpu_hi, SUM_SAVED);
	else
		made = y->cpu_end - (y->lo - y->ahead) +
		       (no_cpu(y) ? 0
				  : y->lo - part->cpu_lo -
					threads_sum(y, part->cpu_lo, y->lo,
					    SUM_SAVED)) -
		       later(was - len, 0);
	/* workers share the loading, while the step runs */
	if (fixes(y, FIX_LOADER))
		made = later(made,
		    threads_sum(y, y->lo, y->hi, SUM_LOADED) / path_workers(p));
	len = later(end - y->lo, made);
	y->whole[y->part] = len;
	len = later(len - y->gained, 0);
	v[y->part] = len;
	y->moved += len - (y->hi - y->lo);
	y->ahead = next_ahead(y, v[y->part], made);
	y->part++;
	begin_part(y);
}

struct pace {
	int64_t step, whole;
};

static int
by_pace(const void *va, const void *vb)
{
	const struct pace *a = va, *b = vb;

	return CMP2(a, b, step, whole);
}

/* A rank that is late in turn with others gains from none of them: a step is
 * not shorter than that of the median rank. */
static void
keep_pace(const struct path *p, const int64_t *whole, size_t n, int64_t *v)
{
	struct pace *x = xcalloc(n + 1, sizeof(*x));
	struct map median = { 0 };
	const struct path_part *part;
	size_t at = 0, first, i;
	uint32_t k;

	for (k = 0; k < p->n_rank; k++)
		for (i = 0; i < p->rank[k].parts.n; i++, at++)
			x[at] = (struct pace){ path_part(&p->rank[k], i)->step,
				whole[at] };
	qsort(x, n, sizeof(*x), by_pace);
	for (first = 0; first < n; first = i) {
		for (i = first; i < n && x[i].step == x[first].step; i++)
			;
		*map_put(&median, (uint64_t)x[first].step, NULL) =
		    (first + i - 1) / 2;
	}
	for (k = 0, at = 0; k < p->n_rank; k++)
		for (i = 0; i < p->rank[k].parts.n; i++, at++) {
			part = path_part(&p->rank[k], i);
			if (part->step != PATH_NONE)
				v[at] = later(
				    v[at], sooner(part->hi - part->lo,
					       x[*map_get(&median, part->step)]
						   .whole));
		}
	map_free(&median);
	free(x);
}

/* All parts, in their order; to v, those of each rank after the last one's. */
static void
replay_all(struct path *p, struct xsort *x, const struct path_effect *effect,
    unsigned on, int64_t *v)
{
	struct replay *ranks = xcalloc(p->n_rank, sizeof(*ranks)), *y;
	int64_t **to = xcalloc(p->n_rank, sizeof(*to)), *whole;
	struct runs_rec rec;
	struct moment m;
	uint32_t k;
	size_t i, n = 0;

	for (i = 0; i < p->arrivals.n; i++)
		((struct path_arrival *)p->arrivals.v)[i].here = false;
	for (k = 0; k < p->n_rank; k++)
		n += p->rank[k].parts.n;
	whole = xcalloc(n + 1, sizeof(*whole));
	for (k = 0, n = 0; k < p->n_rank; n += p->rank[k++].parts.n) {
		ranks[k] = (struct replay){ .p = p,
			.ranks = ranks,
			.rank = k,
			.on = on,
			.whole = whole + n,
			.effect = effect };
		to[k] = v + n;
		begin_part(&ranks[k]);
	}
	for (xsort_again(x); xsort_next(x, &rec);) {
		memcpy(&m, rec.key, sizeof(m));
		k = m.work ? p->stream[path_work_at(p, m.no)->stream].rank
			   : p->thread[path_point_no(p, m.no)->thread].rank;
		y = &ranks[k];
		while (y->part < p->rank[k].parts.n && m.at >= y->hi)
			end_part(y, to[k]);
		if (y->part == p->rank[k].parts.n || m.at < y->lo)
			continue;
		if (m.work)
			place_work(y, m.no);
		else
			place_point(y, m.no);
	}
	for (k = 0; k < p->n_rank; k++) {
		while (ranks[k].part < p->rank[k].parts.n)
			end_part(&ranks[k], to[k]);
		free(ranks[k].open);
	}
	if ((on & FIX_BIT(FIX_STRAGGLER)) != 0)
		keep_pace(p, whole, n, v);
	free(whole);
	free(ranks);
	free(to);
}

/* Without steps the whole time of the rank is one. */
static void
put_replayed(struct path *p, const struct path_rank *k, const char *change,
    const int64_t *same, const int64_t *bare, const int64_t *changed)
{
	struct out_type *t = p->n_rank > 1 ? p->out_src : p->out;
	const struct path_part *part;
	int64_t len, off;
	bool steps = false;
	size_t i;

	for (i = 0; i < k->parts.n; i++)
		steps = steps || path_part(k, i)->iter != PATH_NONE;
	for (i = 0; i < k->parts.n; i++) {
		part = path_part(k, i);
		len = part->hi - part->lo;
		if (len <= 0 || (steps && part->iter == PATH_NONE))
			continue;
		off = same[i] > len ? same[i] - len : len - same[i];
		out_rec(t);
		out_view(smap_view(&p->texts, part->iter));
		out_i64(len);
		out_i64(same[i]);
		out_i64(changed[i]);
		out_f64(true, 100.0 * (double)off / (double)len, 3);
		out_opt(k->no >= 0, k->no);
		out_word(change);
		out_opt(p->bare, bare[i]);
		if (t != p->out)
			out_view(smap_view(&p->texts, k->src));
		out_end();
	}
}

struct out_type *
path_whatif_type(bool src)
{
	static const char *const names[] = { "iter", "step_ns", "replay_ns",
		"predicted_ns", "error_pct", "rank", "change", "bare_ns",
		"src" };

	return out_type("whatif", names, ARRAY_LEN(names) - !src);
}

static int64_t *
times(struct path_list *l, size_t n)
{
	l->size = sizeof(int64_t);
	l->cap = n + 1;
	l->v = spill_alloc(l->cap, l->size);
	return l->v;
}

struct passes { /* over the same section */
	struct path *p;
	struct xsort x;
	struct path_effect effect;
	int64_t *same, *bare, *changed;
};

/* Replays the section with what is on, and writes it. */
static void
put_pass(struct passes *s, const char *change, unsigned on)
{
	struct path *p = s->p;
	size_t k, at = 0;

	replay_all(p, &s->x, &s->effect, on, s->changed);
	for (k = 0; k < p->n_rank; at += p->rank[k++].parts.n)
		put_replayed(p, &p->rank[k], change, s->same + at, s->bare + at,
		    s->changed + at);
}

static void
put_passes(struct passes *s)
{
	struct path *p = s->p;
	unsigned bare = p->bare ? FIX_BIT(FIX_RECORDED) : 0;
	int fix;

	replay_all(p, &s->x, &s->effect, 0, s->same);
	if (p->bare)
		replay_all(p, &s->x, &s->effect, bare, s->bare);
	if (!p->each) {
		put_pass(s, NULL,
		    bare | FIX_BIT(FIX_OPTIONS) | (p->all ? FIX_ALL : 0) |
			(p->no_straggler ? FIX_BIT(FIX_STRAGGLER) : 0) |
			(p->retype.tensor ? FIX_BIT(FIX_TENSOR_CORES) : 0));
		return;
	}
	for (fix = 0; fix < N_FIX; fix++)
		if ((p->fixes & FIX_BIT(fix)) != 0)
			put_pass(s, path_fix_names[fix], bare | FIX_BIT(fix));
	put_pass(s, "all", bare | FIX_ALL);
}

void
path_replay(struct path *p)
{
	struct path_list same = { 0 }, bare = { 0 }, changed = { 0 };
	struct passes s = { .p = p };
	size_t n = 0, k;

	for (k = 0; k < p->n_rank; k++)
		n += p->rank[k].parts.n;
	s.same = times(&same, n);
	s.bare = times(&bare, n);
	s.changed = times(&changed, n);
	times(&p->new_work, p->works.n);
	times(&p->new_point, p->points.n);
	link_ranks(p);
	xsort_open(&s.x, by_time, NULL, SORT_BYTES);
	for (k = 0; k < p->works.n; k++)
		put_moment(
		    &s.x, path_work_at(p, (int64_t)k)->start, true, (int64_t)k);
	for (k = 0; k < p->points.n; k++)
		put_moment(
		    &s.x, path_point_no(p, (int64_t)k)->at, false, (int64_t)k);
	path_effect_open(p, &s.effect);
	path_fix_open(p);
	put_passes(&s);
	xsort_close(&s.x);
	free(s.effect.match);
	free(s.effect.latency);
	path_list_free(&same);
	path_list_free(&bare);
	path_list_free(&changed);
	path_list_free(&p->new_work);
	path_list_free(&p->new_point);
}
