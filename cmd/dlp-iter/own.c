/* The frameworks' own step ranges; see own.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "own.h"

static void
note_range(struct own_row *w, int64_t lo, int64_t hi, bool numbered)
{
	if (w->n++ == 0 || lo >= w->hi) {
		w->lo = lo;
		w->hi = hi;
	} else if (hi > w->hi) {
		w->hi = hi;
	}
	w->n_numbered += numbered;
}

void
own_add(struct own *o, struct key *k, struct plan *p, uint32_t lane,
    const char *s, size_t n, int64_t lo, int64_t hi)
{
	int row = key_own(k, s, n);

	if (row < 0)
		return;
	if (o->n == o->cap) {
		o->cap = o->cap > 0 ? o->cap * 2 : 64;
		o->v = xrealloc(o->v, o->cap, sizeof(*o->v));
	}
	o->v[o->n++] = (struct own_range){ lo, hi, lane,
		smap_put(&p->texts, s, n, NULL), row };
	if (o->row == NULL)
		o->row = xcalloc((size_t)key_own_count(), sizeof(*o->row));
	note_range(&o->row[row], lo, hi, k->tmp.len != n);
}

void
own_work(struct own *o, int64_t t, int64_t ns)
{
	int i;

	o->gpu_ns += (double)ns;
	for (i = 0; o->row != NULL && i < key_own_count(); i++)
		if (t >= o->row[i].lo && t < o->row[i].hi)
			o->row[i].gpu_ns += (double)ns;
}

void
own_free(struct own *o)
{
	free(o->v);
	free(o->row);
	memset(o, 0, sizeof(*o));
}

/* How much of the profile's time the ranges of a row cover, in percent; what
 * cuts covers all before it. The profile's time is from the first to the last
 * start of an op or launch: the last wait for the GPU is no step left out. */
static double
coverage(const struct own *o, const struct extent *e, int row)
{
	struct ivl u = { 0 };
	double len = (double)e->work_hi - (double)e->work_lo;
	double in;
	size_t i;

	for (i = 0; i < o->n; i++)
		if (o->v[i].row == row && key_own_cuts(row))
			ivl_add(&u, e->work_lo, o->v[i].lo);
		else if (o->v[i].row == row)
			ivl_add(&u, o->v[i].lo, o->v[i].hi);
	in = (double)ivl_len_in(&u, e->work_lo, e->work_hi);
	ivl_free(&u);
	return len > 0 ? 100 * in / len : 0;
}

static void
take_row(const struct own *own, int row, struct opkey *op, uint32_t src,
    struct plan *p)
{
	const struct own_range *o;
	size_t i;

	for (i = 0; i < own->n; i++) {
		o = &own->v[i];
		if (o->row != row)
			continue;
		if (key_own_cuts(row) && o->hi != INT64_MAX)
			opkey_range(
			    op, src, p->lane[o->lane].proc, o->hi, false);
		else if (!key_own_cuts(row))
			plan_step(p, o->lane, o->lo, o->hi, o->text);
	}
	if (key_own_cuts(row))
		opkey_cuts(op, src, p);
}

/* Whether numbered ranges hold most of the GPU work. */
static bool
holds_most(const struct own *o, int row)
{
	return !key_own_cuts(row) && o->row[row].n_numbered >= OWN_STEPS &&
	       o->row[row].gpu_ns > o->gpu_ns / 2;
}

int
own_best(const struct own *o, const struct extent *e)
{
	int row;

	for (row = 0; e->any_work && o->n > 0 && row < key_own_count(); row++)
		if (o->row[row].n >= (key_own_cuts(row) ? 2 : 1) &&
		    (coverage(o, e, row) >= OWN_PCT || holds_most(o, row)))
			return row;
	return -1;
}

int
own_take(const struct own *o, const struct extent *e, struct opkey *op,
    uint32_t src, struct plan *p)
{
	int row = own_best(o, e);

	if (row >= 0)
		take_row(o, row, op, src, p);
	return row;
}
