/*
 * The data that dlp-diff compares. A row is an op, kernel, layer, ...; a side
 * is one or several runs of a program; a cell is the time of a row in one step
 * of a side. side_trim() selects the steps that count, and sum_rows() sums the
 * cells of these steps.
 */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "num.h"
#include "out.h"
#include "steps.h"

struct diff_side *
model_side(struct diff_model *m, size_t i)
{
	if (i >= m->n_side) {
		m->side = xrealloc(m->side, i + 1, sizeof(*m->side));
		memset(m->side + m->n_side, 0,
		    (i + 1 - m->n_side) * sizeof(*m->side));
		m->n_side = i + 1;
	}
	return &m->side[i];
}

const char *
model_unit(const struct diff_model *m)
{
	size_t i;

	for (i = 0; i < m->n_side; i++)
		if (m->side[i].cut)
			return "step";
	return "run";
}

void
model_put_text(const struct diff_model *m, uint32_t id)
{
	size_t n = 0;
	const char *s = NULL;

	if (id != SMAP_NONE)
		s = smap_str(&m->rows.texts, id, &n);
	out_raw(s, n);
}

struct diff_row *
rows_put(struct diff_rows *r, const char *key, size_t n, bool *is_new)
{
	uint32_t i = smap_put(&r->keys, key, n, is_new);

	if (*is_new) {
		ARRAY_GROW(r->v, i, r->cap);
		memset(&r->v[i], 0, sizeof(r->v[i]));
		r->v[i].key = i;
	}
	return &r->v[i];
}

uint32_t
rows_text(struct diff_rows *r, const char *s, size_t n)
{
	return s != NULL ? smap_put(&r->texts, s, n, NULL) : SMAP_NONE;
}

static struct diff_cells *
cells_of(struct diff_row *r, size_t side)
{
	if (side >= r->n_side) {
		r->side = xrealloc(r->side, side + 1, sizeof(*r->side));
		memset(r->side + r->n_side, 0,
		    (side + 1 - r->n_side) * sizeof(*r->side));
		r->n_side = side + 1;
	}
	return &r->side[side];
}

struct diff_cell *
row_cell(struct diff_row *r, size_t side, uint32_t step)
{
	struct diff_cells *c = cells_of(r, side);
	size_t i;

	/* the search starts at the end: nearly all steps come in order */
	for (i = c->n; i > 0 && c->v[i - 1].step > step; i--)
		;
	if (i > 0 && c->v[i - 1].step == step)
		return &c->v[i - 1];
	/* begins with 4 cells, because most rows have few steps */
	if (c->n == c->cap) {
		c->cap = c->cap > 0 ? c->cap * 2 : 4;
		c->v = xrealloc(c->v, c->cap, sizeof(*c->v));
	}
	memmove(c->v + i + 1, c->v + i, (c->n - i) * sizeof(*c->v));
	c->v[i] = (struct diff_cell){ .step = step };
	c->n++;
	return &c->v[i];
}

uint32_t
side_new_run(struct diff_side *s, struct mview file)
{
	s->run = xrealloc(s->run, s->n_run + 1, sizeof(*s->run));
	s->run[s->n_run] = (struct diff_run){ .name = side_file_name(file) };
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

/* The number of a step. Its key is the run in the upper 24 bits, and the
 * iteration in the lower 40. */
uint32_t
side_step(struct diff_side *s, uint32_t run, int64_t iter)
{
	bool fresh;
	uint64_t *at = map_put(&s->at,
	    (uint64_t)run << 40 | ((uint64_t)iter & 0xffffffffff), &fresh);

	if (!fresh)
		return (uint32_t)*at;
	ARRAY_GROW(s->step, s->n, s->cap);
	memset(&s->step[s->n], 0, sizeof(*s->step));
	s->step[s->n].run = run;
	s->step[s->n].iter = iter;
	*at = s->n;
	return (uint32_t)s->n++;
}

static int
by_run(const void *a, const void *b)
{
	const struct diff_step *x = *(struct diff_step *const *)a;
	const struct diff_step *y = *(struct diff_step *const *)b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return (x->iter > y->iter) - (x->iter < y->iter);
}

/* Sets *from and *to to the iterations of the longest sequence of even steps
 * (those within 10 % of the median time) among the steps v[0..n) of a run. They
 * are unchanged if there is no such sequence. */
static void
even_range(struct diff_step **v, size_t n, int64_t *from, int64_t *to)
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

/* Selects among the steps v[0..n) of a run, which are in order: those of -i, or
 * all, or the even ones. */
static void
trim_run(struct diff_run *r, struct diff_step **v, size_t n,
    const struct diff_trim *how)
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
side_trim(struct diff_side *s, const struct diff_trim *how)
{
	struct diff_step **v = xcalloc(s->n + 1, sizeof(struct diff_step *));
	size_t i, k;

	for (i = 0; i < s->n; i++)
		v[i] = &s->step[i];
	qsort(v, s->n, sizeof(struct diff_step *), by_run);
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
side_say(
    const struct diff_side *s, const char *label, const struct diff_trim *how)
{
	const char *why =
	    "the most consecutive ones within 10 % of the median; -i"
	    " chooses others";
	size_t i;

	if (how->all || how->to >= 0)
		why = how->to >= 0 ? "as -i says" : "all that there are";
	for (i = 0; i < s->n_run; i++) {
		const struct diff_run *r = &s->run[i];
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

void
sum_values(struct diff_sum *s, const double *v, size_t n)
{
	double sum = 0, sq = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += v[i];
	s->n = n;
	s->mean = n > 0 ? sum / (double)n : 0;
	for (i = 0; i < n; i++)
		sq += (v[i] - s->mean) * (v[i] - s->mean);
	s->var = n > 1 ? sq / (double)(n - 1) : 0;
}

/* Sums in integers, so that they are exact. */
struct diff_totals {
	int64_t flop;
	uint64_t n;
};

/* Adds a row's cells in the selected steps to v, which has a sum per step. */
static void
add_cells(struct diff_sum *s, struct diff_totals *t,
    const struct diff_side *side, const struct diff_cells *c, double *v)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		const struct diff_cell *x = &c->v[i];
		const struct diff_step *step = &side->step[x->step];

		if (!step->used)
			continue;
		s->any = true;
		v[step->pos] += (double)x->ns;
		t->n += x->n;
		t->flop = num_add(t->flop, x->flop);
		s->has_flop |= x->has_flop;
		s->tc |= x->tc;
	}
}

void
sum_rows(struct diff_sum *s, const struct diff_side *side, size_t side_no,
    struct diff_row *const *rows, size_t n)
{
	double *v = xcalloc(side->n_used + 1, sizeof(*v));
	struct diff_totals t = { 0 };
	size_t i;

	*s = (struct diff_sum){ 0 };
	for (i = 0; i < n; i++)
		if (side_no < rows[i]->n_side)
			add_cells(s, &t, side, &rows[i]->side[side_no], v);
	sum_values(s, v, side->n_used);
	if (side->n_used > 0) {
		s->calls = (double)t.n / (double)side->n_used;
		s->flop = (double)t.flop / (double)side->n_used;
	}
	free(v);
}
