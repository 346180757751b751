/* Turns the options into columns of the input and of the result. */
#include "agg_spec.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cols.h"
#include "err.h"
#include "num.h"

static const struct {
	const char *word, *std;
	enum agg_stat stat;
	bool field; /* one result per field */
} words[] = {
	{ "count", "count", ST_COUNT, false },
	{ "n", "count", ST_COUNT, false },
	{ "nset", "nset", ST_NSET, true },
	{ "sum", "sum", ST_SUM, true },
	{ "mean", "mean", ST_MEAN, true },
	{ "avg", "mean", ST_MEAN, true },
	{ "min", "min", ST_MIN, true },
	{ "max", "max", ST_MAX, true },
	{ "std", "std", ST_STD, true },
	{ "stddev", "std", ST_STD, true },
	{ "median", "p50", ST_PERCENTILE, true },
	{ "union", "union", ST_UNION, false },
	{ "pct", "pct", ST_PCT, true },
	{ "share", "pct", ST_PCT, true },
	{ "first", "first", ST_FIRST, true },
	{ "last", "last", ST_LAST, true },
	{ "drift", "drift", ST_DRIFT, true },
	{ "drifterr", "drifterr", ST_DRIFTERR, true },
};

static const char *const units[] = { "_ns", "_bytes", "_flop", "_hz" };

/* The standard word of an alias ("avg" is "mean"), or the alias itself. */
static const char *
stat_word(const char *alias)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(words); i++)
		if (strcmp(words[i].word, alias) == 0)
			return words[i].std;
	return alias;
}

/* dur_ns -> dur_pct: the unit stays at the end. */
static void
put_stem(struct buf *b, const char *field)
{
	size_t n = strlen(field), k, i;

	for (i = 0; i < ARRAY_LEN(units); i++) {
		k = strlen(units[i]);
		if (n > k && strcmp(field + n - k, units[i]) == 0) {
			n -= k;
			break;
		}
	}
	buf_put(b, field, n);
}

/* The name of its column, which the caller frees; field: the column of the
 * input, or NULL if the statistic has none. */
static char *
stat_name(const struct stat_col *s, const char *field)
{
	struct buf b = { 0 };

	if (s->stat == ST_UNION)
		return xstrdup("union_ns");
	if (s->stat == ST_COUNT || field == NULL)
		return xstrdup("n");
	if (s->stat == ST_PCT) {
		put_stem(&b, field);
		buf_puts(&b, "_pct");
	} else if (s->stat == ST_DRIFT || s->stat == ST_DRIFTERR) {
		put_stem(&b, field);
		buf_printf(&b, "_%s_pct", s->word);
	} else {
		buf_puts(&b, s->stat == ST_NSET ? "n" : s->word);
		buf_putc(&b, '_');
		buf_puts(&b, field);
	}
	buf_str(&b);
	return b.s;
}

/* "p99.9" */
static bool
is_percentile(const char *word, double *p)
{
	return word[0] == 'p' && word[1] != '+' &&
	       num_f64(word + 1, strlen(word + 1), p) && *p >= 0 && *p <= 100;
}

/* The statistic of a word of -a, without a field; *per_field: there is one for
 * each field. An unknown word is fatal. */
static struct stat_col
stat_parse(const char *word, bool *per_field)
{
	struct stat_col s = { .word = stat_word(word), .field = -1, .p = 50 };
	size_t i;

	*per_field = true;
	if (is_percentile(s.word, &s.p)) {
		s.stat = ST_PERCENTILE;
		return s;
	}
	for (i = 0; i < ARRAY_LEN(words); i++)
		if (strcmp(words[i].word, word) == 0) {
			s.stat = words[i].stat;
			*per_field = words[i].field;
			return s;
		}
	die("-a: '%s' is not one of count, nset, sum, mean, min, max,"
	    " median, pN, std, union, pct, first, last, drift, drifterr",
	    word);
}

bool
stat_is_pct(const char *name, const char *field)
{
	struct stat_col s = { .stat = ST_PCT };
	char *own = stat_name(&s, field);
	bool same = strcmp(own, name) == 0;

	free(own);
	return same;
}

void
stat_free(const struct stat_col *s)
{
	if (s->stat == ST_PERCENTILE)
		free((char *)s->word);
}

bool
stat_result(const char *name, struct stat_col *s, const char **field)
{
	const char *bar = strchr(name, '_');
	char *word;
	size_t i;

	*s = (struct stat_col){ .field = -1 };
	*field = NULL;
	if (strcmp(name, "n") == 0 || strcmp(name, "union_ns") == 0) {
		s->stat = name[0] == 'n' ? ST_COUNT : ST_UNION;
		s->word = name[0] == 'n' ? "count" : "union";
		return true;
	}
	if (bar == NULL)
		return false;
	word = xmemdup(name, (size_t)(bar - name));
	*field = bar + 1;
	if (is_percentile(word, &s->p)) {
		s->stat = ST_PERCENTILE;
		s->word = word;
		return true;
	}
	for (i = 0; i < ARRAY_LEN(words); i++)
		if (words[i].field && words[i].stat != ST_PCT &&
		    words[i].stat != ST_NSET && words[i].stat < ST_DRIFT &&
		    strcmp(words[i].word, word) == 0) {
			s->stat = words[i].stat;
			s->word = words[i].std;
			break;
		}
	if (strcmp(word, "n") == 0) {
		s->stat = ST_NSET;
		s->word = "nset";
	}
	free(word);
	return s->word != NULL;
}

void
spec_stat(struct agg_spec *a, struct stat_col s)
{
	struct agg_field *f;

	a->stat = xrealloc(a->stat, (size_t)a->nstat + 1, sizeof(*a->stat));
	a->stat[a->nstat++] = s;
	if (s.field < 0)
		return;
	f = &a->field[s.field];
	if (s.stat == ST_PERCENTILE)
		f->want |= ACC_VALUES;
	if (s.stat == ST_STD)
		f->want |= ACC_STD;
	if (s.stat == ST_DRIFT || s.stat == ST_DRIFTERR)
		f->want |= ACC_STD | ACC_DRIFT;
	if (s.stat != ST_FIRST && s.stat != ST_LAST)
		f->numeric = true;
	else
		f->ends = true;
	f->length = f->numeric && f->col >= 0 &&
		    kind_is_length(input_canon(&a->in, f->col));
}

static void
add_named_stat(struct agg_spec *a, struct stat_col s)
{
	s.name = stat_name(&s,
	    s.field >= 0 ? input_canon(&a->in, a->field[s.field].col) : NULL);
	spec_stat(a, s);
}

/* STAT:FIELD is a statistic of that field only; *field is NULL if the word has
 * no field. */
static struct stat_col
parse_stat(struct agg_spec *a, int i, bool *per_field, const char **field)
{
	const char *arg = a->stats[i], *colon = strchr(arg, ':');
	struct stat_col s;

	*field = NULL;
	if (colon == NULL)
		return stat_parse(arg, per_field);
	*field = colon + 1;
	if (a->words == NULL)
		a->words = xcalloc((size_t)a->nstats, sizeof(char *));
	if (a->words[i] == NULL)
		a->words[i] = xmemdup(arg, (size_t)(colon - arg));
	s = stat_parse(a->words[i], per_field);
	if (!*per_field || **field == '\0')
		die("-a: not STAT:FIELD: '%s'", arg);
	*per_field = false;
	return s;
}

/* The field's number; a new field may be added. */
static int
add_field(struct agg_spec *a, const char *name)
{
	int i, col = input_column(&a->in, name);

	for (i = 0; i < a->nfield; i++)
		if (a->field[i].col == col)
			return i;
	a->field = xrealloc(a->field, (size_t)a->nfield + 1, sizeof(*a->field));
	a->field[a->nfield] = (struct agg_field){ .col = col };
	return a->nfield++;
}

static void
make_fields(struct agg_spec *a)
{
	static char dur[] = "dur_ns", *std[] = { dur };
	const char *field;
	bool per_field = false;
	int i;

	for (i = 0; i < a->nstats && a->fields == NULL && !per_field; i++)
		parse_stat(a, i, &per_field, &field);
	if (per_field) {
		a->fields = std;
		a->nfields = 1;
	}
	a->nfield = a->nfields;
	a->field = xcalloc((size_t)a->nfield + 1, sizeof(*a->field));
	for (i = 0; a->fields != NULL && i < a->nfields; i++)
		a->field[i].col = input_column(&a->in, a->fields[i]);
}

const char *
spec_group(const struct agg_spec *a, int i)
{
	return a->names != NULL ? a->names[i]
				: input_canon(&a->in, a->group_col[i]);
}

const char *
spec_field(const struct agg_spec *a, int i)
{
	return a->names != NULL ? a->fields[i]
				: input_canon(&a->in, a->field[i].col);
}

/* A key of --sort is a column of the result, a column of -g, or a word of -a.
 */
static void
find_key(struct agg_spec *a, struct sort_col *k)
{
	struct buf b = { 0 };
	int i;

	k->group = k->stat = k->col = -1;
	for (i = 0; i < a->ngroups && k->group < 0; i++)
		if (strcmp(a->groups[i], k->name) == 0 ||
		    strcmp(spec_group(a, i), k->name) == 0)
			k->group = i;
	for (i = 0; i < a->nstat && k->group < 0 && k->stat < 0; i++)
		if (strcmp(a->stat[i].name, k->name) == 0)
			k->stat = i;
	for (i = 0; i < a->nstat && k->group < 0 && k->stat < 0; i++)
		if (strcmp(a->stat[i].word, stat_word(k->name)) == 0)
			k->stat = i;
	if (k->group >= 0 || k->stat >= 0)
		return;
	for (i = 0; i < a->ngroups + a->nstat; i++) {
		buf_putc(&b, i > 0 ? ',' : ' ');
		buf_puts(&b, i < a->ngroups ? a->groups[i]
					    : a->stat[i - a->ngroups].name);
	}
	die("--sort: no column '%s' in the result; it has%.900s", k->name,
	    buf_str(&b));
}

void
spec_make(struct agg_spec *a, struct rec_reader *rd)
{
	int i, k;
	const char *field;
	bool per_field;

	input_open(&a->in, rd);
	a->start_col = a->dur_col = a->src_col = -1;
	a->group_col = xcalloc((size_t)a->ngroups + 1, sizeof(int));
	for (i = 0; i < a->ngroups; i++)
		a->group_col[i] = input_column(&a->in, a->groups[i]);
	/* --optimizer: where the direction and the phase of a record are. */
	a->dir_group = a->phase_col = -1;
	for (i = 0; i < a->ngroups && a->optimizer; i++)
		if (strcmp(input_canon(&a->in, a->group_col[i]), "dir") == 0)
			a->dir_group = i;
	if (a->dir_group >= 0)
		a->phase_col = input_optional(&a->in, "phase");
	a->cut = xcalloc((size_t)a->ncut + 1, sizeof(*a->cut));
	for (i = 0; i < a->ncut; i++)
		cut_parse(&a->cut[i], &a->in, a->cuts[i]);
	make_fields(a);
	for (i = 0; i < a->nstats; i++) {
		struct stat_col s = parse_stat(a, i, &per_field, &field);

		if (a->partial && s.stat >= ST_DRIFT)
			die("-a %s: not with --partial, because it needs the"
			    " order of the records",
			    s.word);
		if (s.stat == ST_UNION) {
			a->start_col = input_column(&a->in, "start_ns");
			a->dur_col = input_column(&a->in, "dur_ns");
			a->src_col = input_optional(&a->in, "src");
		}
		if (field != NULL)
			s.field = add_field(a, field);
		if (!per_field)
			add_named_stat(a, s);
		for (k = 0; per_field && k < a->nfields; k++) {
			s.field = k;
			add_named_stat(a, s);
		}
	}
	where_make(&a->where, &a->in);
	for (i = 0; i < a->sort.n && a->nstats == 0; i++)
		a->sort.key[i].col = input_column(&a->in, a->sort.key[i].name);
	if (a->nstats > 0)
		spec_keys(a);
}

void
spec_keys(struct agg_spec *a)
{
	int i;

	for (i = 0; i < a->sort.n; i++)
		find_key(a, &a->sort.key[i]);
}

struct agg_spec *
plan_add(struct agg_plan *p)
{
	struct agg_spec *a = xcalloc(1, sizeof(*a));

	a->limit = -1;
	p->spec =
	    xrealloc(p->spec, (size_t)p->n + 1, sizeof(struct agg_spec *));
	p->spec[p->n++] = a;
	return a;
}

static bool
any_option(const struct agg_spec *a)
{
	return a->in.tag != NULL || a->stats != NULL || a->groups != NULL ||
	       a->fields != NULL || a->limit >= 0 || a->sort.n > 0 ||
	       a->where.n > 0 || a->as != NULL || a->rest || a->cuts != NULL;
}

static void
set_defaults(struct agg_spec *a)
{
	static char kern[] = "kern", *types[] = { kern };
	static char count[] = "count", sum[] = "sum", *stats[] = { count, sum };

	if (a->in.tag == NULL) {
		a->in.tag = types;
		a->in.ntypes = 1;
	}
	if (a->in.ntypes > INPUT_TYPES)
		die("-T: more than %d types", INPUT_TYPES);
	if (a->stats == NULL && (a->groups != NULL || a->fields != NULL)) {
		a->stats = stats;
		a->nstats = 2;
	}
	if (a->rest && (a->limit < 0 || a->nstats == 0))
		die("--rest needs -n and statistics");
	if (a->cuts != NULL && a->nstats > 0)
		die("-c and statistics exclude each other");
	if (a->as != NULL && a->nstats == 0 && a->cuts == NULL)
		die("--as needs statistics or -c");
	if (a->as == NULL && a->nstats > 0)
		a->as = "agg";
}

/* Partial results say which statistics they have, so --merge needs no options
 * for them. */
static void
check_merge(struct agg_plan *p)
{
	int i;

	if (p->pass)
		die("--merge excludes --pass and --keep");
	for (i = 0; i < p->n; i++) {
		struct agg_spec *a = p->spec[i];

		if (a->stats != NULL || a->fields != NULL || a->cuts != NULL ||
		    a->as != NULL || a->where.n > 0)
			die("--merge takes -a and -f from its input; its"
			    " own are -T, -g, --sort, -n, --rest");
		if (a->rest && a->limit < 0)
			die("--rest needs -n");
		if (p->partial && a->limit >= 0)
			die("--partial and -n exclude each other");
		a->partial = p->partial;
	}
}

/* The type of a result's records must be unique; records without statistics
 * keep the type of the input. */
static void
check_two(const struct agg_spec *a, const struct agg_spec *b)
{
	int i, k;

	if ((a->nstats > 0) != (b->nstats > 0))
		die("--and needs statistics on both sides, or on none");
	if (a->nstats > 0 && strcmp(a->as, b->as) == 0)
		die("--and: both results have the type '%s': name one with "
		    "--as",
		    a->as);
	for (i = 0; a->nstats == 0 && i < a->in.ntypes; i++)
		for (k = 0; k < b->in.ntypes; k++)
			if (strcmp(a->in.tag[i], b->in.tag[k]) == 0)
				die("--and: without statistics, '%s' can be in"
				    " one -T only",
				    a->in.tag[i]);
}

void
plan_check(struct agg_plan *p)
{
	int i, k;

	if (p->keep != NULL)
		p->pass = true;
	if (p->merge) {
		check_merge(p);
		return;
	}
	if (p->pass && p->n == 1 && !any_option(p->spec[0])) {
		p->n = 0;
		return;
	}
	if (p->partial && p->pass)
		die("--partial excludes --pass and --keep");
	for (i = 0; i < p->n; i++) {
		p->spec[i]->partial = p->partial;
		set_defaults(p->spec[i]);
		if (p->partial && p->spec[i]->nstats == 0)
			die("--partial needs statistics");
		if (p->partial && p->spec[i]->limit >= 0)
			die("--partial excludes -n: give -n to --merge");
		for (k = 0; k < i; k++)
			check_two(p->spec[k], p->spec[i]);
	}
}
