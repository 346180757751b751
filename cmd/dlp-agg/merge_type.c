/*
 * From the legend of a result to what was asked for: the columns of -g come
 * first, then those whose names are of statistics. In a partial result
 * part_n stands between.
 */
#include "merge_type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"
#include "part.h"

static bool
starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static int
column(const struct rec_type *t, const char *prefix, const char *name)
{
	size_t n = strlen(prefix);
	int i;

	for (i = 0; i < rec_ncols(t); i++)
		if (starts(rec_colname(t, i), prefix) &&
		    strcmp(rec_colname(t, i) + n, name) == 0)
			return i;
	return -1;
}

/* A field's number; it may be new. */
static int
field_of(struct spec *a, const char *name)
{
	int i;

	for (i = 0; i < a->nfield; i++)
		if (strcmp(a->fields[i], name) == 0)
			return i;
	a->fields = xrealloc(a->fields, (size_t)a->nfield + 1, sizeof(char *));
	a->field = xrealloc(a->field, (size_t)a->nfield + 1, sizeof(*a->field));
	a->fields[a->nfield] = xstrdup(name);
	a->field[a->nfield] = (struct field){ .col = -1 };
	return a->nfield++;
}

/* dur_pct is of the field with that stem whose sum, or state, is there. */
static const char *
pct_field(const struct rec_type *t, const char *name)
{
	int i;

	for (i = 0; i < rec_ncols(t); i++) {
		const char *s = rec_colname(t, i);

		if (starts(s, "sum_") && spec_is_pct(name, s + 4))
			return s + 4;
		if (starts(s, PART_PREFIX) &&
		    spec_is_pct(name, s + strlen(PART_PREFIX)))
			return s + strlen(PART_PREFIX);
	}
	return NULL;
}

static bool
read_stat(
    const struct rec_type *t, int i, struct stat_col *s, const char **field)
{
	const char *name = rec_colname(t, i);

	if (spec_result(name, s, field))
		return true;
	*field = pct_field(t, name);
	s->stat = ST_PCT;
	s->word = "pct";
	return *field != NULL;
}

static void
add_stat(struct spec *a, const char *name, struct stat_col s, const char *field)
{
	s.name = xstrdup(name);
	s.field = field != NULL ? field_of(a, field) : -1;
	a->stat = xrealloc(a->stat, (size_t)a->nstat + 1, sizeof(*a->stat));
	a->stat[a->nstat++] = s;
	if (s.field < 0)
		return;
	if (s.stat == ST_PERCENTILE)
		a->field[s.field].want |= ACC_VALUES;
	if (s.stat == ST_STD)
		a->field[s.field].want |= ACC_STD;
	if (s.stat != ST_FIRST && s.stat != ST_LAST)
		a->field[s.field].numeric = true;
	else
		a->field[s.field].ends = true;
}

/* How many of the columns, from the left, are no statistics. */
static int
count_groups(const struct rec_type *t)
{
	struct stat_col s;
	const char *field;
	int n = column(t, PART_N, "");

	if (n >= 0)
		return n;
	for (n = rec_ncols(t); n > 0 && read_stat(t, n - 1, &s, &field); n--)
		;
	return n;
}

static void
make(struct merge_type *m, const struct rec *r)
{
	struct rec_type *t = m->type;
	struct spec *a = &m->spec;
	struct stat_col s;
	const char *field;
	int i, n = count_groups(t);

	a->ngroups = n;
	a->groups = xcalloc((size_t)n + 1, sizeof(char *));
	for (i = 0; i < n; i++)
		a->groups[i] = xstrdup(rec_colname(t, i));
	a->names = a->groups;
	for (; i < rec_ncols(t); i++) {
		const char *name = rec_colname(t, i);

		if (starts(name, PART_PREFIX))
			continue;
		memset(&s, 0, sizeof(s));
		if (!read_stat(t, i, &s, &field))
			rec_die(
			    r, "%s is no column of dlp-agg's results", name);
		add_stat(a, name, s, field);
	}
	if (a->nstat == 0)
		rec_die(r, "%s records have no statistics to merge", a->as);
	a->start_col = a->dur_col = a->src_col = -1;
	m->group_at = xcalloc((size_t)n + 1, sizeof(int));
	m->stat_at = xcalloc((size_t)a->nstat + 1, sizeof(int));
	m->field = xcalloc((size_t)a->nfield + 1, sizeof(*m->field));
	m->groups.spec = a;
	spec_keys(a);
	m->made = true;
}

/* What cannot be told from the columns at hand. */
static void
check_stat(
    const struct merge_type *m, const struct rec *r, const struct stat_col *s)
{
	const struct merge_field *f;
	bool ok = true;

	if (s->field < 0)
		return;
	f = &m->field[s->field];
	if (f->part >= 0 || s->stat == ST_FIRST || s->stat == ST_LAST ||
	    s->stat == ST_NSET || s->stat == ST_MIN || s->stat == ST_MAX)
		return;
	if (s->stat == ST_SUM || s->stat == ST_PCT)
		ok = f->sum >= 0;
	else if (s->stat == ST_MEAN)
		ok = f->sum >= 0;
	else
		ok = false;
	if (!ok)
		rec_die(r,
		    "%s of all cannot be told from that of parts: write them"
		    " with dlp-agg --partial",
		    s->name);
}

static void
place(struct merge_type *m, const struct rec *r)
{
	struct spec *a = &m->spec;
	int i;

	for (i = 0; i < a->ngroups; i++)
		m->group_at[i] = column(m->type, a->groups[i], "");
	for (i = 0; i < a->nstat; i++)
		m->stat_at[i] = column(m->type, a->stat[i].name, "");
	for (i = 0; i < a->nfield; i++)
		m->field[i] = (struct merge_field){
			column(m->type, PART_PREFIX, a->fields[i]),
			column(m->type, "sum_", a->fields[i]),
			column(m->type, "min_", a->fields[i]),
			column(m->type, "max_", a->fields[i]),
			column(m->type, "mean_", a->fields[i]),
			column(m->type, "n_", a->fields[i]),
		};
	m->part_n = column(m->type, PART_N, "");
	m->count = column(m->type, "n", "");
	m->part_union = column(m->type, PART_UNION, "");
	m->union_ns = column(m->type, "union_ns", "");
	for (i = 0; i < a->nstat; i++)
		check_stat(m, r, &a->stat[i]);
}

void
merge_legend(struct merge_type *m, const struct rec *r)
{
	int i, n;

	if (!m->made)
		make(m, r);
	n = count_groups(m->type);
	for (i = 0; i < m->spec.ngroups && n == m->spec.ngroups; i++)
		if (column(m->type, m->spec.groups[i], "") < 0)
			n = -1;
	for (i = 0; i < m->spec.nstat && n == m->spec.ngroups; i++)
		if (column(m->type, m->spec.stat[i].name, "") < 0)
			n = -1;
	if (n != m->spec.ngroups)
		rec_die(r,
		    "%s records have other groups or statistics than those"
		    " before: parts of one result have the same -g, -a, -f",
		    m->spec.as);
	place(m, r);
}

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

/* How many values made the sum: told, or the sum over the mean. */
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
	return n;
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
