/*
 * From the legend of a result to what was asked for: the columns of -g come
 * first, then those whose names are of statistics. In a partial result
 * part_n stands between.
 */
#include "merge_type.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
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

		if (starts(s, "sum_") && stat_is_pct(name, s + 4))
			return s + 4;
		if (starts(s, PART_PREFIX) &&
		    stat_is_pct(name, s + strlen(PART_PREFIX)))
			return s + strlen(PART_PREFIX);
	}
	return NULL;
}

static bool
read_stat(
    const struct rec_type *t, int i, struct stat_col *s, const char **field)
{
	const char *name = rec_colname(t, i);

	if (stat_result(name, s, field))
		return true;
	*field = pct_field(t, name);
	s->stat = ST_PCT;
	s->word = "pct";
	return *field != NULL;
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
		stat_free(&s);
	return n;
}

/* Whether the column is among the first n, which make a group. */
static bool
is_group(const struct rec_type *t, int n, const char *name)
{
	int i = column(t, name, "");

	return i >= 0 && i < n;
}

/* The groups of the result: those of the parts, or of these what is asked
 * for. */
static void
make_groups(struct merge_type *m, int n)
{
	struct spec *a = &m->spec;
	struct buf b = { 0 };
	int i;

	a->ngroups = m->want != NULL ? m->nwant : n;
	a->groups = xcalloc((size_t)a->ngroups + 1, sizeof(char *));
	for (i = 0; i < a->ngroups; i++)
		a->groups[i] = xstrdup(
		    m->want != NULL ? m->want[i] : rec_colname(m->type, i));
	for (i = 0; i < a->ngroups; i++) {
		int k;

		if (is_group(m->type, n, a->groups[i]))
			continue;
		for (k = 0; k < n; k++) {
			buf_puts(&b, k > 0 ? "," : "");
			buf_puts(&b, rec_colname(m->type, k));
		}
		die("-g: %s records have no group '%s'; they have: %s", a->as,
		    a->groups[i], b.s != NULL ? buf_str(&b) : "none");
	}
	a->names = a->groups;
}

static void
make(struct merge_type *m, const struct rec *r)
{
	struct rec_type *t = m->type;
	struct spec *a = &m->spec;
	struct stat_col s;
	const char *field;
	int i, n = count_groups(t);

	make_groups(m, n);
	for (i = n; i < rec_ncols(t); i++) {
		const char *name = rec_colname(t, i);

		if (starts(name, PART_PREFIX))
			continue;
		memset(&s, 0, sizeof(s));
		if (!read_stat(t, i, &s, &field))
			rec_die(
			    r, "%s is no column of dlp-agg's results", name);
		s.name = xstrdup(name);
		s.field = field != NULL ? field_of(a, field) : -1;
		spec_stat(a, s);
	}
	if (a->nstat == 0)
		rec_die(r, "%s records have no statistics to merge", a->as);
	a->start_col = a->dur_col = a->src_col = -1;
	m->group_at = xcalloc((size_t)a->ngroups + 1, sizeof(int));
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

	/* pieces of one group's time can lie over another's; groups that come
	 * first need not have what came first */
	if (m->coarse &&
	    (s->stat == ST_UNION ? m->part_union < 0
				 : s->stat == ST_FIRST || s->stat == ST_LAST))
		rec_die(r, "%s of larger groups cannot be told from that of %s",
		    s->name,
		    s->stat == ST_UNION ? "parts: write them with"
					  " dlp-agg --partial"
					: "smaller ones");
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

/* Whether the parts have the groups and statistics of the result; more groups
 * only if -g leaves them out. */
static bool
fits(struct merge_type *m)
{
	int i, k, n = count_groups(m->type), same = 0;

	for (i = 0; i < m->spec.ngroups; i++)
		if (!is_group(m->type, n, m->spec.groups[i]))
			return false;
	for (i = 0; i < m->spec.nstat; i++)
		if (column(m->type, m->spec.stat[i].name, "") < 0)
			return false;
	for (i = 0; i < n; i++) {
		const char *name = rec_colname(m->type, i);

		for (k = 0; k < m->spec.ngroups; k++)
			if (strcmp(m->spec.groups[k], name) == 0)
				break;
		same += k < m->spec.ngroups;
	}
	m->coarse = same < n;
	return m->want != NULL || !m->coarse;
}

void
merge_legend(struct merge_type *m, const struct rec *r)
{

	if (!m->made)
		make(m, r);
	if (!fits(m))
		rec_die(r,
		    "%s records have other groups or statistics than those"
		    " before: parts of one result have the same -g, -a, -f",
		    m->spec.as);
	place(m, r);
}
