/*
 * --merge: reads results of dlp-agg as records and joins them to one result.
 * Results of --partial have everything that is needed; other results can be
 * merged as far as their columns allow.
 */
#include "agg_group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "err.h"
#include "num.h"
#include "out.h"
#include "stage.h"

struct agg_part_cols { /* of a legend: the columns of a field's state, or -1 */
	int part, sum, min, max, mean, n;
};

/* A type of results to merge: its columns and its groups. */
struct agg_parts {
	struct rec_type *type;
	struct agg_spec spec; /* the specification of the result */
	struct agg_groups groups;
	char **want; /* -g: the columns of the parts' groups to keep; NULL:
		      * all */
	int nwant;
	bool made;   /* spec has been made, from the first legend */
	bool coarse; /* some columns are dropped from the input at hand */
	/* columns in the legend of the input at hand, or -1 */
	int *group_at, *stat_at;
	struct agg_part_cols *field;
	int part_n, count, part_union, union_ns;
	uint64_t rounded;
};

struct agg_merge {
	struct agg_plan *plan;
	struct agg_parts **v;
	int n;
	struct agg_metas meta;
	bool whole, complete; /* whole: sections, not fragments; complete:
			       * they have ended */
	struct map files;     /* by the hash of all lines: names of files */
	struct smap names;
	uint64_t lost, surplus; /* numbers of records, by the ##end lines */
	uint64_t rounded;
};

static bool
starts_with(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static int
find_column(const struct rec_type *t, const char *prefix, const char *name)
{
	size_t n = strlen(prefix);
	int i;

	for (i = 0; i < rec_ncols(t); i++)
		if (starts_with(rec_colname(t, i), prefix) &&
		    strcmp(rec_colname(t, i) + n, name) == 0)
			return i;
	return -1;
}

/* A field's number; the field may be new. */
static int
field_of(struct agg_spec *a, const char *name)
{
	int i;

	for (i = 0; i < a->nfield; i++)
		if (strcmp(a->fields[i], name) == 0)
			return i;
	a->fields = xrealloc(a->fields, (size_t)a->nfield + 1, sizeof(char *));
	a->field = xrealloc(a->field, (size_t)a->nfield + 1, sizeof(*a->field));
	a->fields[a->nfield] = xstrdup(name);
	a->field[a->nfield] = (struct agg_field){ .col = -1 };
	return a->nfield++;
}

static bool
read_stat(
    const struct rec_type *t, int i, struct stat_col *s, const char **field)
{
	const char *name = rec_colname(t, i), *c;
	int k;

	if (stat_result(name, s, field))
		return true;
	s->stat = ST_PCT;
	s->word = "pct";
	/* the field of dur_pct is the one with that stem that has a sum or a
	 * state */
	for (k = 0; k < rec_ncols(t); k++) {
		c = rec_colname(t, k);
		*field = starts_with(c, "sum_")        ? c + 4
			 : starts_with(c, PART_PREFIX) ? c + strlen(PART_PREFIX)
						       : NULL;
		if (*field != NULL && stat_is_pct(name, *field))
			return true;
	}
	return false;
}

/* The number of leading columns that are not statistics. */
static int
count_groups(const struct rec_type *t)
{
	struct stat_col s;
	const char *field;
	int n = find_column(t, PART_N, "");

	if (n >= 0)
		return n;
	for (n = rec_ncols(t); n > 0 && read_stat(t, n - 1, &s, &field); n--)
		stat_free(&s);
	return n;
}

/* True if the column is among the first n, which make a group. */
static bool
is_group(const struct rec_type *t, int n, const char *name)
{
	int i = find_column(t, name, "");

	return i >= 0 && i < n;
}

/* The columns of the result's groups: those of the parts, or a selection. */
static void
make_groups(struct agg_parts *m, int n)
{
	struct agg_spec *a = &m->spec;
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
make_result(struct agg_parts *m, const struct rec *r)
{
	struct rec_type *t = m->type;
	struct agg_spec *a = &m->spec;
	struct stat_col s;
	const char *field;
	int i, n = count_groups(t);

	make_groups(m, n);
	for (i = n; i < rec_ncols(t); i++) {
		const char *name = rec_colname(t, i);

		if (starts_with(name, PART_PREFIX))
			continue;
		memset(&s, 0, sizeof(s));
		if (!read_stat(t, i, &s, &field))
			rec_die(
			    r, "%s is not a column of dlp-agg's results", name);
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

/* Fatal if a statistic cannot be merged from the columns at hand. */
static void
check_stat(
    const struct agg_parts *m, const struct rec *r, const struct stat_col *s)
{
	const struct agg_part_cols *f;

	/* pieces of one group's time can overlap another's, and the groups may
	 * not come in the order of their first records */
	if (m->coarse &&
	    (s->stat == ST_UNION ? m->part_union < 0
				 : s->stat == ST_FIRST || s->stat == ST_LAST))
		rec_die(r, "%s of larger groups cannot be computed from %s",
		    s->name,
		    s->stat == ST_UNION ? "these results: write them with"
					  " dlp-agg --partial"
					: "that of smaller ones");
	if (s->field < 0)
		return;
	f = &m->field[s->field];
	if (f->part >= 0 || s->stat == ST_FIRST || s->stat == ST_LAST ||
	    s->stat == ST_NSET || s->stat == ST_MIN || s->stat == ST_MAX)
		return;
	if (f->sum < 0 ||
	    (s->stat != ST_SUM && s->stat != ST_PCT && s->stat != ST_MEAN))
		rec_die(r,
		    "%s of all cannot be computed from these results: write"
		    " them with dlp-agg --partial",
		    s->name);
}

static void
place_columns(struct agg_parts *m, const struct rec *r)
{
	struct agg_spec *a = &m->spec;
	int i;

	for (i = 0; i < a->ngroups; i++)
		m->group_at[i] = find_column(m->type, a->groups[i], "");
	for (i = 0; i < a->nstat; i++)
		m->stat_at[i] = find_column(m->type, a->stat[i].name, "");
	for (i = 0; i < a->nfield; i++)
		m->field[i] = (struct agg_part_cols){
			find_column(m->type, PART_PREFIX, a->fields[i]),
			find_column(m->type, "sum_", a->fields[i]),
			find_column(m->type, "min_", a->fields[i]),
			find_column(m->type, "max_", a->fields[i]),
			find_column(m->type, "mean_", a->fields[i]),
			find_column(m->type, "n_", a->fields[i]),
		};
	m->part_n = find_column(m->type, PART_N, "");
	m->count = find_column(m->type, "n", "");
	m->part_union = find_column(m->type, PART_UNION, "");
	m->union_ns = find_column(m->type, "union_ns", "");
	for (i = 0; i < a->nstat; i++)
		check_stat(m, r, &a->stat[i]);
}

/* True if the parts have the groups and statistics of the result. They may have
 * more groups only if -g leaves these out. */
static bool
fits_result(struct agg_parts *m)
{
	int i, k, n = count_groups(m->type), same = 0;

	for (i = 0; i < m->spec.ngroups; i++)
		if (!is_group(m->type, n, m->spec.groups[i]))
			return false;
	for (i = 0; i < m->spec.nstat; i++)
		if (find_column(m->type, m->spec.stat[i].name, "") < 0)
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

static const char *
part_field(const struct rec *r, int at, size_t *n)
{
	const char *s;

	if (at < 0)
		return NULL;
	s = rec_field(r, at, n);
	return *n == 1 && *s == '-' ? NULL : s;
}

static void
get_sum(struct store *mem, struct agg_acc *c, const struct rec *r, int at,
    uint64_t n)
{
	size_t len;
	const char *s = part_field(r, at, &len);

	if (s == NULL)
		return;
	c->n = n;
	if (wide_get(s, len, &c->isum))
		return;
	acc_more(mem, c)->frac = true;
	if (!num_f64(s, len, &c->more->dsum))
		rec_die(r, "no number: '%.*s'", (int)(len < 40 ? len : 40), s);
}

/* The number of values in the sum: the column n_FIELD, or the sum divided by
 * the mean, or all records of the group; one if there is no count. */
static uint64_t
count_values(const struct agg_part_cols *f, const struct rec *r, uint64_t n)
{
	double sum, mean;
	const char *s, *t;
	size_t k, l;
	uint64_t v;

	s = part_field(r, f->n, &k);
	if (s != NULL && num_u64(s, k, &v))
		return v;
	s = part_field(r, f->sum, &k);
	t = part_field(r, f->mean, &l);
	if (s != NULL && t != NULL && num_f64(s, k, &sum) &&
	    num_f64(t, l, &mean) && fabs(mean) > 0)
		return (uint64_t)llround(sum / mean);
	return n > 0 ? n : 1;
}

/* Adds a least or greatest value as if it were the only value. */
static void
get_extreme(struct store *mem, struct agg_acc *c, const struct rec *r, int at,
    bool least)
{
	struct agg_acc x = { 0 };
	union agg_num v;
	size_t n;
	const char *s = part_field(r, at, &n);
	bool frac;

	if (s == NULL)
		return;
	frac = !num_i64(s, n, &v.i);
	if (frac && !num_f64(s, n, &v.d))
		rec_die(r, "no number: '%.*s'", (int)(n < 40 ? n : 40), s);
	acc_add(mem, &x, frac, v, 0);
	acc_extreme(mem, c, &x, least);
}

static void
add_state(struct agg_parts *m, const struct rec *r, struct agg_group *g, int i,
    uint64_t n)
{
	const struct agg_part_cols *f = &m->field[i];
	struct store *mem = &m->groups.mem, tmp = { 0 };
	struct agg_acc x = { 0 };
	bool cut = false;
	size_t len;
	const char *s = part_field(r, f->part, &len);

	if (f->part >= 0) {
		if (s != NULL &&
		    !part_get(&tmp, &x, s, len, m->spec.field[i].want, &cut))
			rec_die(r, "%s%s: no state of dlp-agg --partial",
			    PART_PREFIX, m->spec.fields[i]);
		m->rounded += cut;
		acc_join(mem, &g->acc[i], &x, true);
	} else {
		get_sum(&tmp, &x, r, f->sum, count_values(f, r, n));
		if (f->sum < 0)
			x.n = count_values(f, r, n);
		get_extreme(&tmp, &x, r, f->min, true);
		get_extreme(&tmp, &x, r, f->max, false);
		if (f->sum >= 0 || f->min >= 0 || f->max >= 0)
			acc_join(mem, &g->acc[i], &x, false);
		else
			g->acc[i].n += x.n;
	}
	store_free(&tmp);
}

static void
add_union(struct agg_parts *m, const struct rec *r, struct agg_group *g)
{
	const char *s;
	int64_t v;
	size_t n;

	if (m->part_union >= 0) {
		s = part_field(r, m->part_union, &n);
		if (s != NULL && !part_get_union(&m->groups.mem, g, s, n))
			rec_die(r, PART_UNION ": no pieces of intervals");
		g->has_ivl |= s != NULL;
		return;
	}
	s = part_field(r, m->union_ns, &n);
	if (s == NULL)
		return;
	if (!num_i64(s, n, &v))
		rec_die(r, "union_ns is not an integer");
	g->has_ivl = true;
	g->union_ns = num_add(g->union_ns, v);
}

static void
merge_record(struct agg_parts *m, const struct rec *r)
{
	struct agg_groups *a = &m->groups;
	struct buf *b = &a->key_buf;
	const struct stat_col *c;
	struct agg_group *g;
	const char *s;
	uint64_t n = 0;
	size_t len;
	int i;

	buf_clear(b);
	for (i = 0; i < m->spec.ngroups; i++) {
		s = rec_field(r, m->group_at[i], &len);
		if (i > 0)
			buf_putc(b, '\t');
		buf_put(b, s, len);
	}
	g = group_get(a, buf_str(b), b->len);
	s = part_field(r, m->part_n >= 0 ? m->part_n : m->count, &len);
	if (s != NULL && !num_u64(s, len, &n))
		rec_die(r, "no count: '%.*s'", (int)(len < 40 ? len : 40), s);
	g->n += n;
	for (i = 0; i < m->spec.nfield; i++)
		if (m->spec.field[i].numeric)
			add_state(m, r, g, i, n);
	add_union(m, r, g);
	for (i = 0; i < m->spec.nstat; i++) {
		c = &m->spec.stat[i];
		s = part_field(r, m->stat_at[i], &len);
		if (c->stat == ST_FIRST && s != NULL)
			acc_first(&a->mem, &g->acc[c->field], s, len);
		if (c->stat == ST_LAST && s != NULL)
			acc_last(&a->mem, &g->acc[c->field], s, len);
	}
}

/* The options of the type: those of its -T, otherwise those of the only set. */
static struct agg_spec *
options_of(const struct agg_plan *p, const char *tag)
{
	int i, k;

	for (i = 0; i < p->n; i++)
		for (k = 0; k < p->spec[i]->in.ntypes; k++)
			if (strcmp(p->spec[i]->in.tag[k], tag) == 0)
				return p->spec[i];
	for (i = 0; i < p->n; i++)
		if (p->spec[i]->in.tag == NULL)
			return p->spec[i];
	return NULL;
}

static bool
is_partial(const struct rec *r)
{
	const char *s = r->line, *end = s + r->len;
	size_t n = strlen(PART_N);

	while ((s = memchr(s, '\t', (size_t)(end - s))) != NULL) {
		s++;
		if ((size_t)(end - s) >= n && memcmp(s, PART_N, n) == 0 &&
		    (s + n == end || s[n] == '\t'))
			return true;
	}
	return false;
}

/* True for a type of results: partial, requested, or agg. */
static struct agg_parts *
add_parts(struct agg_merge *g, const struct rec *r)
{
	const char *tag = r->line + 1, *end = r->line + r->len, *tab;
	size_t n;
	char *name;
	const struct agg_spec *o;
	struct agg_parts *m;
	int i;

	tab = memchr(tag, '\t', (size_t)(end - tag));
	n = (size_t)((tab != NULL ? tab : end) - tag);
	name = xmemdup(tag, n);
	for (i = 0; i < g->n; i++)
		if (strcmp(g->v[i]->spec.as, name) == 0) {
			free(name);
			return g->v[i];
		}
	o = options_of(g->plan, name);
	if (o == NULL ||
	    (o->in.tag == NULL && strcmp(name, "agg") != 0 && !is_partial(r))) {
		free(name);
		return NULL;
	}
	m = xcalloc(1, sizeof(*m));
	m->groups.rounded = &g->rounded;
	m->spec.as = name;
	m->spec.limit = o->limit;
	m->spec.rest = o->rest;
	m->spec.partial = o->partial;
	m->want = o->groups;
	m->nwant = o->ngroups;
	m->spec.sort = o->sort;
	m->spec.sort.key = xcalloc((size_t)o->sort.n + 1, sizeof(*o->sort.key));
	if (o->sort.n > 0)
		memcpy(m->spec.sort.key, o->sort.key,
		    (size_t)o->sort.n * sizeof(*o->sort.key));
	g->v = xrealloc(g->v, (size_t)g->n + 1, sizeof(struct agg_parts *));
	g->v[g->n++] = m;
	return m;
}

/* The reader of each file knows its types by their tags. Fatal if the legend is
 * not that of a result, or does not fit the legends before. */
static void
take_legend(struct agg_merge *g, struct rec_reader *rd, const struct rec *r)
{
	struct agg_parts *m = add_parts(g, r);

	if (m == NULL)
		return;
	m->type = rec_type(rd, m->spec.as);
	if (r->type == NULL) { /* it was read before that */
		size_t head = 1 + strlen(m->spec.as);

		rec_type_legend(m->type, r->line + head, r->len - head);
	}
	rec_set_arg(m->type, m);
	if (!m->made)
		make_result(m, r);
	if (!fits_result(m))
		rec_die(r,
		    "%s records have other groups or statistics than those"
		    " before: parts of one result have the same -g, -a, -f",
		    m->spec.as);
	place_columns(m, r);
}

/* hash: of a result's lines, or of the fact that its records have been put into
 * a partial result. */
static void
refuse_same(struct agg_merge *g, const char *name, uint64_t hash)
{
	bool fresh;
	uint64_t *no = map_put(&g->files, hash, &fresh);

	if (!fresh)
		die("%s and %s are the same result: give it once",
		    smap_str(&g->names, (uint32_t)*no, NULL), name);
	*no = smap_put(&g->names, name, strlen(name), NULL);
}

static void
merge_file(struct agg_merge *g, const char *path)
{
	struct rec_reader *rd = rec_open(path);
	struct rec r = { 0 };
	uint64_t hash = 0;
	bool any = false, named = false;

	while (rec_next(rd, &r)) {
		any = true;
		hash = hash_mix(hash) ^ hash_bytes(r.line, r.len);
		if (r.kind == REC_END) {
			g->lost += rec_lost(rd);
			g->surplus += rec_surplus(rd);
		} else if (r.kind == REC_META) {
			meta_keep(&g->meta, &r);
			if (!text_starts(r.line, r.len, "##info\t" PART "\t"))
				continue;
			named = true;
			refuse_same(
			    g, rec_input_name(rd), hash_bytes(r.line, r.len));
		} else if (r.kind == REC_LEGEND)
			take_legend(g, rd, &r);
		else if (r.kind == REC_DATA && r.type != NULL)
			merge_record(rec_arg(&r), &r);
	}
	if (!any)
		die("%s: empty input", rec_input_name(rd));
	if (!rec_is_fragment(rd) && !named)
		refuse_same(g, rec_input_name(rd), hash);
	g->whole |= !rec_is_fragment(rd);
	if (!rec_complete(rd)) {
		warn("%s: input ended without ##end: the command before failed"
		     " or was cut off",
		    rec_where(rd));
		g->complete = false;
	}
	rec_close(rd);
}

int
merge_run(
    struct agg_plan *plan, char **paths, int n, int argc, char *const *argv)
{
	struct agg_merge *g = plan->merged = xcalloc(1, sizeof(*g));
	int i;
	struct agg_piece *p;
	struct agg_groups *a;
	uint64_t rounded;
	size_t k;

	g->plan = plan;
	g->complete = true;
	for (i = 0; i < n; i++)
		merge_file(g, paths[i]);
	if (n == 0)
		merge_file(g, NULL);
	if (g->n == 0)
		die("no results of dlp-agg in the input: -T names their type");
	rounded = 0;
	meta_head(&g->meta, g->whole, argc, argv);
	for (i = 0; i < g->n; i++) {
		a = &g->v[i]->groups;
		for (k = 0; k < a->keys.n; k++)
			for (p = group_at(a, k)->piece; p != NULL; p = p->next)
				group_at(a, k)->union_ns =
				    num_add(group_at(a, k)->union_ns,
					spans_length(&p->spans));
		result_put(a, g->plan->memory / 4);
		rounded += g->v[i]->rounded;
	}
	buf_put(&out_buf, g->meta.notes.s, g->meta.notes.len);
	for (i = 0; i < g->n; i++)
		result_notes(&g->v[i]->groups);
	stage_note("agg_parts_rounded", rounded);
	if (g->whole)
		stage_note_count(g->lost, g->surplus);
	if (g->whole && g->complete)
		stage_end_section();
	map_free(&g->files);
	smap_free(&g->names);
	return g->complete ? EXIT_OK : EXIT_TROUBLE;
}
