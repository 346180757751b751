/* From the records of a result to groups; see merge_type.h. */
#include "merge_type.h"

#include <math.h>

#include "num.h"
#include "part.h"

static const char *
value(const struct rec *r, int at, size_t *n)
{
	const char *s;

	if (at < 0)
		return NULL;
	s = rec_field(r, at, n);
	return *n == 1 && *s == '-' ? NULL : s;
}

static struct group *
find_group(struct merge_type *m, const struct rec *r)
{
	struct groups *a = &m->groups;
	struct buf *b = &a->key_buf;
	size_t n;
	int i;

	buf_clear(b);
	for (i = 0; i < m->spec.ngroups; i++) {
		const char *s = rec_field(r, m->group_at[i], &n);

		if (i > 0)
			buf_putc(b, '\t');
		buf_put(b, s, n);
	}
	return group_get(a, buf_str(b), b->len);
}

/* A number of a result without state; false if it is unset. */
static bool
number(const struct rec *r, int at, bool *frac, union num *v)
{
	size_t n;
	const char *s = value(r, at, &n);

	if (s == NULL)
		return false;
	*frac = !num_i64(s, n, &v->i);
	if (*frac && !num_f64(s, n, &v->d))
		rec_die(r, "no number: '%.*s'", (int)(n < 40 ? n : 40), s);
	return true;
}

static void
get_sum(struct acc *c, const struct rec *r, int at, uint64_t n)
{
	size_t len;
	const char *s = value(r, at, &len);
	bool bad = false;

	if (s == NULL)
		return;
	c->n = n;
	if (wide_get(s, len, &c->isum))
		return;
	acc_more(c)->frac = true;
	if (!num_f64(s, len, &c->more->dsum))
		bad = true;
	if (bad)
		rec_die(r, "no number: '%.*s'", (int)(len < 40 ? len : 40), s);
}

/* How many values made the sum: told, or the sum over the mean, or all of the
 * group's records; where there is no count, some. */
static uint64_t
values(const struct merge_field *f, const struct rec *r, uint64_t n)
{
	double sum, mean;
	const char *s, *t;
	size_t k, l;
	uint64_t v;

	s = value(r, f->n, &k);
	if (s != NULL && num_u64(s, k, &v))
		return v;
	s = value(r, f->sum, &k);
	t = value(r, f->mean, &l);
	if (s != NULL && t != NULL && num_f64(s, k, &sum) &&
	    num_f64(t, l, &mean) && fabs(mean) > 0)
		return (uint64_t)llround(sum / mean);
	return n > 0 ? n : 1;
}

/* A least or greatest value, as if it were the only one. */
static void
get_extreme(struct acc *c, const struct rec *r, int at, bool least)
{
	struct acc x = { 0 };
	union num v;
	bool frac;

	if (!number(r, at, &frac, &v))
		return;
	acc_add(&x, frac, v, 0);
	acc_extreme(c, &x, least);
	acc_free(&x);
}

static void
add_field(struct merge_type *m, const struct rec *r, struct group *g, int i,
    uint64_t n)
{
	const struct merge_field *f = &m->field[i];
	struct acc x = { 0 };
	bool cut = false;
	size_t len;
	const char *s = value(r, f->part, &len);

	if (f->part >= 0) {
		if (s != NULL &&
		    !part_get(&x, s, len, m->spec.field[i].want, &cut))
			rec_die(r, "%s%s: no state of dlp-agg --partial",
			    PART_PREFIX, m->spec.fields[i]);
		m->rounded += cut;
		acc_join(&g->acc[i], &x, true);
	} else {
		get_sum(&x, r, f->sum, values(f, r, n));
		if (f->sum < 0)
			x.n = values(f, r, n);
		get_extreme(&x, r, f->min, true);
		get_extreme(&x, r, f->max, false);
		if (f->sum >= 0 || f->min >= 0 || f->max >= 0)
			acc_join(&g->acc[i], &x, false);
		else
			g->acc[i].n += x.n;
	}
	acc_free(&x);
}

static void
add_ends(struct merge_type *m, const struct rec *r, struct group *g)
{
	size_t n;
	int i;

	for (i = 0; i < m->spec.nstat; i++) {
		const struct stat_col *c = &m->spec.stat[i];
		const char *s = value(r, m->stat_at[i], &n);

		if ((c->stat != ST_FIRST && c->stat != ST_LAST) || s == NULL)
			continue;
		if (c->stat == ST_LAST)
			acc_last(&g->acc[c->field], s, n);
		else
			acc_first(&g->acc[c->field], s, n);
	}
}

static void
add_union(struct merge_type *m, const struct rec *r, struct group *g)
{
	const char *s;
	int64_t v;
	size_t n;

	if (m->part_union >= 0) {
		s = value(r, m->part_union, &n);
		if (s != NULL && !part_get_union(g, s, n))
			rec_die(r, PART_UNION ": no pieces of intervals");
		g->has_ivl |= s != NULL;
		return;
	}
	s = value(r, m->union_ns, &n);
	if (s == NULL)
		return;
	if (!num_i64(s, n, &v))
		rec_die(r, "union_ns is no integer");
	g->has_ivl = true;
	g->union_ns = num_add(g->union_ns, v);
}

void
merge_record(struct merge_type *m, const struct rec *r)
{
	struct group *g = find_group(m, r);
	size_t len;
	const char *s;
	uint64_t n = 0;
	int i;

	s = value(r, m->part_n >= 0 ? m->part_n : m->count, &len);
	if (s != NULL && !num_u64(s, len, &n))
		rec_die(r, "no count: '%.*s'", (int)(len < 40 ? len : 40), s);
	g->n += n;
	for (i = 0; i < m->spec.nfield; i++)
		if (m->spec.field[i].numeric)
			add_field(m, r, g, i, n);
	add_union(m, r, g);
	add_ends(m, r, g);
}

void
merge_finish(struct merge_type *m)
{
	size_t i, k;

	for (i = 0; i < m->groups.keys.n; i++) {
		struct group *g = &m->groups.v[i];

		for (k = 0; k < g->npiece; k++)
			g->union_ns =
			    num_add(g->union_ns, ivl_len(&g->piece[k].u));
	}
}
