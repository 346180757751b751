/*
 * Steps of a program that has no ranges of steps: its kernels repeat. A kernel
 * that runs once in each step comes back after the same number of kernels; the
 * longest such distance that several share is a step.
 */
#include <stdlib.h>

#include "array.h"
#include "cols.h"
#include "iter.h"
#include "num.h"

#define NAMES 2048 /* more are of no program that repeats itself */
#define ONCE 8192  /* steps, at most */
#define LEAST 5    /* steps, and kernels in a step */
#define ALIKE 3    /* kernels, or grids, that come once in a step */

struct seen { /* a kernel, by its name */
	struct run {
		int64_t t;   /* when it was launched */
		uint64_t at; /* its number among all kernels */
	} * v;
	size_t n, cap;
	double gpu_first, gpu_last; /* GPU work before these, ns */
	uint64_t gap;               /* of most of its runs, by vote */
	size_t votes, same;         /* for it; how many have had it since */
};

/* Distances within a twentieth are the same: a step can have a kernel more. */
static bool
alike(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) <= b / 20;
}

static void
add(struct repeat *o, const struct buf *name, int64_t t, double gpu_ns)
{
	bool is_new;
	uint32_t i = smap_put(&o->names, name->s, name->len, &is_new);
	struct seen *s;
	uint64_t gap;

	if (is_new) {
		o->v = xrealloc(o->v, o->names.n, sizeof(*o->v));
		o->v[i] = (struct seen){ .gpu_first = gpu_ns };
	}
	s = &o->v[i];
	if (s->n >= ONCE)
		return;
	gap = s->n > 0 ? o->at - s->v[s->n - 1].at : 0;
	if (s->votes > 0 && alike(gap, s->gap)) {
		s->votes++;
		s->same++;
	} else if (s->votes > 1) {
		s->votes--;
	} else if (s->n > 0) {
		s->gap = gap;
		s->votes = s->same = 1;
	}
	s->gpu_last = gpu_ns;
	ARRAY_GROW(s->v, s->n, s->cap);
	s->v[s->n++] = (struct run){ t, o->at };
}

/* By its name, and by its name with the grid: steps whose sizes differ have the
 * first, long steps only the second once. */
void
repeat_add(struct repeat *o, const struct rec *r, int64_t t, double gpu_ns)
{
	struct mview name = rec_get(r, COL_short), grid = rec_get(r, COL_grid);

	o->at++;
	if (name.s == NULL || t == NO_TIME || o->names.n >= NAMES)
		return;
	buf_clear(&o->tmp);
	buf_put(&o->tmp, name.s, name.n);
	add(o, &o->tmp, t, gpu_ns);
	buf_printf(&o->tmp, " %.*s", (int)grid.n, grid.s != NULL ? grid.s : "");
	add(o, &o->tmp, t, gpu_ns);
}

/* How many kernels come once in each step but for the first few, after about
 * this many others; 0 if s does not. */
static size_t
sharing(const struct repeat *o, const struct seen *s)
{
	const struct seen *x;
	size_t n = 0;
	bool own = false;

	for (x = o->v; x < o->v + o->names.n; x++)
		if (x->n >= LEAST && x->n < ONCE && x->gap >= LEAST &&
		    x->same >= LEAST - 1 && 10 * x->same >= 7 * (x->n - 1) &&
		    alike(x->gap, s->gap)) {
			n++;
			own |= x == s;
		}
	return own ? n : 0;
}

bool
repeat_cuts(struct repeat *o, struct layout *p, double gpu_ns, int64_t ns)
{
	const struct seen *best = NULL, *s;
	size_t i = 0;

	for (s = o->v; o->names.n < NAMES && s < o->v + o->names.n; s++)
		if ((best == NULL || s->gap > best->gap + best->gap / 20 ||
			(alike(s->gap, best->gap) &&
			    s->v[0].at < best->v[0].at)) &&
		    s->n >= LEAST && sharing(o, s) >= ALIKE)
			best = s;
	if (best == NULL)
		return false;
	/* what comes before is start-up */
	while (i + 2 < best->n &&
	       !alike(best->v[i + 1].at - best->v[i].at, best->gap))
		i++;
	if (best->gpu_last - best->gpu_first < gpu_ns / 2 &&
	    num_sub(best->v[best->n - 1].t, best->v[i].t) < ns / 2)
		return false;
	for (; i < best->n; i++) {
		ARRAY_GROW(p->cut, p->ncut, p->cut_cap);
		p->cut[p->ncut++] = best->v[i].t;
	}
	qsort(p->cut, p->ncut, sizeof(*p->cut), array_by_i64);
	p->kind = LAYOUT_CUTS;
	return true;
}

void
repeat_clear(struct repeat *o)
{
	size_t i;

	for (i = 0; i < o->names.n; i++)
		free(o->v[i].v);
	free(o->v);
	smap_free(&o->names);
	buf_free(&o->tmp);
}
