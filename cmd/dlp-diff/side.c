/* The steps of a side; see side.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "side.h"
#include "steady.h"

uint32_t
side_new_run(struct side *s, struct mview file)
{
	s->run = xrealloc(s->run, s->n_run + 1, sizeof(*s->run));
	s->run[s->n_run] = (struct run){ .name = side_file_name(file) };
	return (uint32_t)s->n_run++;
}

char *
side_file_name(struct mview path)
{
	size_t i = path.n;

	while (i > 0 && path.s[i - 1] != '/')
		i--;
	return i < path.n ? xmemdup(path.s + i, path.n - i) : NULL;
}

uint32_t
side_step(struct side *s, uint32_t run, int64_t iter)
{
	bool fresh;
	uint64_t *at = map_put(&s->at,
	    (uint64_t)run << 40 | ((uint64_t)iter & 0xffffffffff), &fresh);

	if (!fresh)
		return (uint32_t)*at;
	if (s->n == s->cap) {
		s->cap = s->cap > 0 ? s->cap * 2 : 64;
		s->step = xrealloc(s->step, s->cap, sizeof(*s->step));
	}
	memset(&s->step[s->n], 0, sizeof(*s->step));
	s->step[s->n].run = run;
	s->step[s->n].iter = iter;
	*at = s->n;
	return (uint32_t)s->n++;
}

static int
by_run(const void *a, const void *b)
{
	const struct step *x = *(struct step *const *)a;
	const struct step *y = *(struct step *const *)b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return (x->iter > y->iter) - (x->iter < y->iter);
}

/* The even ones of the steps v[0..n) of a run, or all where none is. */
static void
even_range(struct step **v, size_t n, int64_t *from, int64_t *to)
{
	int64_t *ns = xcalloc(n + 1, sizeof(*ns)), lo, hi;
	size_t i;

	for (i = 0; i < n; i++)
		ns[i] = v[i]->has ? v[i]->ns : STEADY_NONE;
	steady_range(ns, n, &lo, &hi);
	if (n > 1 && lo >= 0) {
		*from = v[lo]->iter;
		*to = v[hi]->iter;
	}
	free(ns);
}

/* Of the steps v[0..n) of a run, in order. */
static void
trim_run(struct run *r, struct step **v, size_t n, const struct trim *how)
{
	size_t i;

	r->n = (int64_t)n;
	r->from = v[0]->iter;
	r->to = v[n - 1]->iter;
	if (how->to >= 0) {
		r->from = how->from;
		r->to = how->to;
	} else if (!how->all) {
		even_range(v, n, &r->from, &r->to);
	}
	for (i = 0; i < n; i++)
		v[i]->used =
		    v[i]->has && v[i]->iter >= r->from && v[i]->iter <= r->to;
}

void
side_trim(struct side *s, const struct trim *how)
{
	struct step **v = xcalloc(s->n + 1, sizeof(struct step *));
	size_t i, k;

	for (i = 0; i < s->n; i++)
		v[i] = &s->step[i];
	qsort(v, s->n, sizeof(struct step *), by_run);
	for (i = 0; i < s->n; i = k) {
		for (k = i; k < s->n && v[k]->run == v[i]->run; k++)
			;
		trim_run(&s->run[v[i]->run], v + i, k - i, how);
		s->cut |= s->run[v[i]->run].key != NULL;
	}
	for (i = 0; i < s->n; i++)
		if (s->step[i].used)
			s->step[i].pos = (uint32_t)s->n_used++;
	free(v);
}

void
side_say(const struct side *s, const char *label, const struct trim *how)
{
	const char *why =
	    "the most consecutive ones within 10 % of the median; -i"
	    " chooses others";
	size_t i;

	if (how->all || how->to >= 0)
		why = how->to >= 0 ? "as -i says" : "all that there are";
	for (i = 0; i < s->n_run; i++) {
		const struct run *r = &s->run[i];
		const char *name = r->name != NULL ? r->name : s->name;

		if (r->n > 0 && r->key == NULL)
			warn("%s, %s: no steps are known: the whole run is"
			     " compared, from its first GPU work to the last"
			     " (-k names a step)",
			    label, name);
		else if (r->n > 0)
			warn("%s, %s: steps %lld to %lld of %lld (%s; %s)",
			    label, name, (long long)r->from, (long long)r->to,
			    (long long)r->n, r->key, why);
	}
}
