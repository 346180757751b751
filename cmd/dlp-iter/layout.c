/*
 * Where the iterations of a file lie in time. Step ranges belong to lanes (a
 * thread of a process). A time is looked for in the ranges of its own thread
 * first, then in those of its process, and if the process has none in those of
 * all. Cuts hold for all threads. Intervals include their start and exclude
 * their end.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "iter.h"

uint32_t
layout_lane(struct layout *p, int64_t pid, int64_t tid)
{
	int64_t id[2] = { pid, tid };
	const char *key = (const char *)id;
	bool fresh;
	uint32_t n = smap_put(&p->lanes, key, sizeof(id), &fresh), q;

	if (!fresh)
		return n;
	q = smap_put(&p->procs, key, sizeof(id[0]), &fresh);
	if (fresh) {
		p->proc = xrealloc(p->proc, (size_t)q + 1, sizeof(*p->proc));
		memset(&p->proc[q], 0, sizeof(*p->proc));
	}
	p->lane = xrealloc(p->lane, (size_t)n + 1, sizeof(*p->lane));
	memset(&p->lane[n], 0, sizeof(*p->lane));
	p->lane[n].proc = q;
	return n;
}

/* Step ranges of more threads than this hold for their own thread only: each
 * record would have to be looked for in all of them. */
#define MAX_LANES 256

static void
add_lane(struct layout_proc *q, uint32_t lane)
{
	if (q->n == MAX_LANES)
		return;
	ARRAY_GROW(q->lane, q->n, q->cap);
	q->lane[q->n++] = lane;
}

/* Whether some range of iteration n on another thread of the process does not
 * overlap [lo, hi): then the new range is not a part of that iteration. */
static bool
apart(const struct layout *p, const struct layout_lane *l, size_t n, int64_t lo,
    int64_t hi)
{
	const struct layout_proc *q = &p->proc[l->proc];
	size_t i, j;

	for (i = 0; i < q->n; i++) {
		const struct layout_lane *o = &p->lane[q->lane[i]];

		for (j = o->nv; j > 0 && o->v[j - 1].n >= n; j--)
			if (o->v[j - 1].n == n &&
			    (o->v[j - 1].hi <= lo || hi <= o->v[j - 1].lo))
				return true;
	}
	return false;
}

static struct layout_step *
step_at(struct layout *p, size_t n, int64_t lo, int64_t hi, uint32_t text)
{
	struct layout_step *s;

	if (n < p->nstep)
		return &p->step[n];
	ARRAY_GROW(p->step, p->nstep, p->step_cap);
	s = &p->step[p->nstep++];
	*s = (struct layout_step){ .lo = lo, .hi = hi, .text = text };
	return s;
}

void
layout_step(
    struct layout *p, uint32_t lane, int64_t lo, int64_t hi, uint32_t text)
{
	struct layout_lane *l = &p->lane[lane];
	struct layout_span *last;
	struct layout_step *s;
	size_t n;

	p->kind = LAYOUT_STEPS;
	last = l->nv > 0 ? &l->v[l->nv - 1] : NULL;
	if (last != NULL && last->hi == INT64_MAX && lo > last->lo) {
		/* a range that was never closed ends here */
		last->hi = lo;
		s = &p->step[last->n];
		if (s->hi == INT64_MAX) {
			s->hi = lo;
			ivl_clear(&s->cpu);
			ivl_add(&s->cpu, s->lo, lo);
		}
	}
	if (last != NULL && lo < last->hi) {
		p->nested++;
		return;
	}
	/* The iteration that it is a part of: among the newest ones, the first
	 * after the thread's last that has the same text; otherwise a new one.
	 */
	n = p->nstep > OPEN_ITERS ? p->nstep - OPEN_ITERS : 0;
	if (last != NULL && last->n + 1 > n)
		n = last->n + 1;
	while (
	    n < p->nstep && (p->step[n].text != text || apart(p, l, n, lo, hi)))
		n++;
	s = step_at(p, n, lo, hi, text);
	if (lo < s->lo)
		s->lo = lo;
	if (hi > s->hi)
		s->hi = hi;
	ivl_add(&s->cpu, lo, hi);
	if (l->nv == 0) {
		add_lane(&p->proc[l->proc], lane);
		add_lane(&p->all, lane);
	}
	ARRAY_GROW(l->v, l->nv, l->cap);
	l->v[l->nv++] = (struct layout_span){ lo, hi, (uint32_t)n };
}

void
layout_kept(struct layout *p, int64_t lo, int64_t hi)
{
	p->kind = LAYOUT_KEPT;
	step_at(p, p->nstep, lo, hi, 0);
}

/* The range at t; NULL: none. Times come nearly in order, so that the last one
 * that begins at t or before is mostly the one that was found last, or the
 * next. */
static const struct layout_span *
span_at(struct layout_lane *l, int64_t t)
{
	size_t lo = 0, hi = l->nv, n;

	if (l->nv == 0)
		return NULL;
	if (l->v[l->at].lo <= t) {
		lo = l->at;
		if (lo + 1 == hi || t < l->v[lo + 1].lo)
			hi = lo + 1;
		else if (++lo + 1 == hi || t < l->v[lo + 1].lo)
			hi = lo + 1;
	}
	n = array_until(l->v + lo, hi - lo, sizeof(*l->v),
	    offsetof(struct layout_span, lo), t);
	lo += n > 0 ? n - 1 : 0;
	l->at = lo;
	return l->v[lo].lo <= t && t < l->v[lo].hi ? &l->v[lo] : NULL;
}

int64_t
layout_where(struct layout *p, uint32_t lane, int64_t t)
{
	const struct layout_span *s, *best = NULL;
	const struct layout_proc *q;
	size_t i, n;

	if (p->kind == LAYOUT_ONE)
		return 0;
	if (t == NO_TIME)
		return -1;
	if (p->kind == LAYOUT_CUTS)
		return (int64_t)array_until(
		    p->cut, p->ncut, sizeof(*p->cut), 0, t);
	if (p->kind == LAYOUT_KEPT) {
		/* the last step that began at or before t, if it goes on */
		n = array_until(p->step, p->nstep, sizeof(*p->step),
		    offsetof(struct layout_step, lo), t);
		return n > 0 && t < p->step[n - 1].hi ? (int64_t)n - 1 : -1;
	}
	s = span_at(&p->lane[lane], t);
	if (s != NULL)
		return s->n;
	q = &p->proc[p->lane[lane].proc];
	/* Has the process step ranges at t or before? Later ones must not
	 * count: a stream that is cut as it comes does not know them yet, and
	 * must give the same result as one that waited in the spool. */
	for (i = 0; i < q->n && p->lane[q->lane[i]].v[0].lo > t; i++)
		;
	if (i == q->n)
		q = &p->all;
	for (i = 0; i < q->n; i++) {
		s = span_at(&p->lane[q->lane[i]], t);
		if (s != NULL && (best == NULL || s->lo > best->lo))
			best = s;
	}
	return best != NULL ? (int64_t)best->n : -1;
}

size_t
layout_count(const struct layout *p)
{
	if (p->kind == LAYOUT_STEPS || p->kind == LAYOUT_KEPT)
		return p->nstep;
	return p->kind == LAYOUT_CUTS ? p->ncut + 1 : 1;
}

bool
layout_begin(const struct layout *p, size_t n, int64_t *lo)
{
	if (n >= layout_count(p))
		return false;
	*lo = NO_TIME;
	if (p->kind == LAYOUT_STEPS || p->kind == LAYOUT_KEPT)
		*lo = p->step[n].lo;
	else if (p->kind == LAYOUT_CUTS && n > 0)
		*lo = p->cut[n - 1];
	return true;
}

void
layout_clear(struct layout *p)
{
	size_t i;

	for (i = 0; i < p->lanes.n; i++)
		free(p->lane[i].v);
	for (i = 0; i < p->procs.n; i++)
		free(p->proc[i].lane);
	for (i = 0; i < p->nstep; i++)
		ivl_free(&p->step[i].cpu);
	free(p->lane);
	free(p->proc);
	free(p->all.lane);
	free(p->step);
	free(p->cut);
	smap_free(&p->lanes);
	smap_free(&p->procs);
	smap_free(&p->texts);
	memset(p, 0, sizeof(*p));
}
