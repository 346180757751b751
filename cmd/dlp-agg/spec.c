/* What the options ask for, as columns of the input and of the result. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "spec.h"

void
spec_stat(struct spec *a, struct stat_col s)
{
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

static void
add_stat(struct spec *a, struct stat_col s)
{
	s.name = stat_name(&s,
	    s.field >= 0 ? input_canon(&a->in, a->field[s.field].col) : NULL);
	spec_stat(a, s);
}

/* STAT:FIELD is of that field alone; *field is NULL in a word without. */
static struct stat_col
parse_stat(struct spec *a, int i, bool *per_field, const char **field)
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

/* The field's number; a new one may be added. */
static int
add_field(struct spec *a, const char *name)
{
	int i, col = input_column(&a->in, name);

	for (i = 0; i < a->nfield; i++)
		if (a->field[i].col == col)
			return i;
	a->field = xrealloc(a->field, (size_t)a->nfield + 1, sizeof(*a->field));
	a->field[a->nfield] = (struct field){ .col = col };
	return a->nfield++;
}

static void
make_stats(struct spec *a)
{
	const char *field;
	bool per_field;
	int i, k;

	for (i = 0; i < a->nstats; i++) {
		struct stat_col s = parse_stat(a, i, &per_field, &field);

		if (s.stat == ST_UNION) {
			a->start_col = input_column(&a->in, "start_ns");
			a->dur_col = input_column(&a->in, "dur_ns");
			a->src_col = input_optional(&a->in, "src");
		}
		if (field != NULL)
			s.field = add_field(a, field);
		if (!per_field)
			add_stat(a, s);
		for (k = 0; per_field && k < a->nfields; k++) {
			s.field = k;
			add_stat(a, s);
		}
	}
}

static bool
any_per_field(struct spec *a)
{
	const char *field;
	bool per_field = false;
	int i;

	for (i = 0; i < a->nstats && !per_field; i++)
		parse_stat(a, i, &per_field, &field);
	return per_field;
}

static void
make_fields(struct spec *a)
{
	static char dur[] = "dur_ns", *std[] = { dur };
	int i;

	if (a->fields == NULL && any_per_field(a)) {
		a->fields = std;
		a->nfields = 1;
	}
	a->nfield = a->nfields;
	a->field = xcalloc((size_t)a->nfield + 1, sizeof(*a->field));
	for (i = 0; a->fields != NULL && i < a->nfields; i++)
		a->field[i].col = input_column(&a->in, a->fields[i]);
}

const char *
spec_group(const struct spec *a, int i)
{
	return a->names != NULL ? a->names[i]
				: input_canon(&a->in, a->group_col[i]);
}

const char *
spec_field(const struct spec *a, int i)
{
	return a->names != NULL ? a->fields[i]
				: input_canon(&a->in, a->field[i].col);
}

/* A key is a column of the result, a column of -g, or a word of -a. */
static void
find_key(struct spec *a, struct sort_key *k)
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
spec_make(struct spec *a, struct rec_reader *rd)
{
	int i;

	input_open(&a->in, rd);
	a->start_col = a->dur_col = a->src_col = -1;
	a->group_col = xcalloc((size_t)a->ngroups + 1, sizeof(int));
	for (i = 0; i < a->ngroups; i++)
		a->group_col[i] = input_column(&a->in, a->groups[i]);
	a->cut_col = xcalloc((size_t)a->ncut + 1, sizeof(int));
	for (i = 0; i < a->ncut; i++)
		a->cut_col[i] = input_column(&a->in, a->cut[i]);
	make_fields(a);
	make_stats(a);
	where_make(&a->where, &a->in);
	for (i = 0; i < a->sort.n && a->nstats == 0; i++)
		a->sort.key[i].col = input_column(&a->in, a->sort.key[i].name);
	if (a->nstats > 0)
		spec_keys(a);
}

void
spec_keys(struct spec *a)
{
	int i;

	for (i = 0; i < a->sort.n; i++)
		find_key(a, &a->sort.key[i]);
}
