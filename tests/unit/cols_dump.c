/* needs: */
/*
 * The registry of record types and columns. Without arguments it is tested
 * for contradictions; with
 *
 *	tsv	its columns are printed: type, column, kind, unit, by, help;
 *	mdoc	the section RECORD TYPES of dlp-records(5) is printed.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cols.h"

static int failed;

static void
wrong(const char *type, const char *name, const char *what)
{
	printf("%s %s: %s\n", type, name, what);
	failed++;
}

static int
ends(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && strcmp(s + n - k, end) == 0;
}

static const char *
kind_word(enum col_kind k)
{
	static const char *const words[] = { "int", "num", "text", "json",
		"str", "yes/no" };

	return words[k];
}

static const char *
unit(const struct col_def *c)
{
	static const struct {
		const char *suffix, *unit;
	} units[] = { { "_ns", "ns" }, { "_bytes_s", "bytes/s" },
		{ "_bytes", "bytes" }, { "_hz", "Hz" }, { "_pct", "%" },
		{ "_flop", "flop" } };
	size_t i;

	if (c->kind != COL_INT && c->kind != COL_NUM)
		return "-";
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (ends(c->name, units[i].suffix) ||
		    strcmp(c->name, units[i].suffix + 1) == 0)
			return units[i].unit;
	return "-";
}

/* Times of events are integers; means and what is worked out of rates need
 * not be, and a list of times is JSON. */
static bool
may_have_fraction(const struct col_def *c)
{
	static const char *const names[] = { "a_ns", "b_ns", "diff_ns",
		"noise_ns", "peak_ns", "roof_ns" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(c->name, names[i]) == 0)
			return c->kind == COL_NUM;
	if (strncmp(c->name, "mean_", 5) == 0)
		return c->kind == COL_NUM;
	return strcmp(c->name, "marker_ns") == 0 && c->kind == COL_JSON;
}

static void
check_col(const struct col_def *c)
{
	if (type_find(c->type) == NULL)
		wrong(c->type, c->name, "its type is not declared");
	else if (strcmp(c->by, "dlp-parse") == 0 &&
		 strcmp(type_find(c->type)->by, c->by) != 0)
		wrong(c->type, c->name,
		    "credited to the first stage, but"
		    " the type is written by a later one");
	if (col_find(c->type, c->name) != c)
		wrong(c->type, c->name, "declared twice");
	if (c->kind == COL_STR && !ends(c->name, "_id"))
		wrong(c->type, c->name, "a str column that is no _id");
	if (ends(c->name, "_ns") && c->kind != COL_INT && !may_have_fraction(c))
		wrong(c->type, c->name, "times are integers");
	if (strpbrk(c->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ -\t") != NULL)
		wrong(c->type, c->name, "names are lower case");
	if (strpbrk(c->help, "\t\n\\\"") != NULL)
		wrong(c->type, c->name, "odd bytes in the help");
}

static int
test(void)
{
	const struct col_def *c;
	const struct type_def *t;

	for (c = col_defs; c->type != NULL; c++)
		check_col(c);
	for (t = type_defs; t->type != NULL; t++)
		if (type_find(t->type) != t)
			wrong(t->type, "", "declared twice");
	return failed > 0;
}

static void
tsv_col(const struct col_def *c)
{
	printf("%s\t%s\t%s\t%s\t%s\t%s\n", c->type, c->name, kind_word(c->kind),
	    unit(c), c->by, c->help);
}

static void
tsv(void)
{
	const struct col_def *c;

	for (c = cols_all; c->type != NULL; c++)
		tsv_col(c);
	for (c = col_defs; c->type != NULL; c++)
		tsv_col(c);
}

/* A word that mdoc would take for a macro, or a line that would begin a
 * request, is made harmless. */
static void
put_text(const char *s)
{
	const char *p;

	for (p = s; *p != '\0'; p++) {
		if ((p == s || p[-1] == ' ') && *p >= 'A' && *p <= 'Z' &&
		    p[1] >= 'a' && p[1] <= 'z' && (p[2] == ' ' || !p[2]))
			printf("\\&");
		if (p > s && strchr(",.;:()", *p) != NULL && p[-1] == ' ')
			printf("\\&");
		putchar(*p);
	}
}

/* Columns that several types have alike are printed once: those that all
 * types with this one column share. */
static const struct shared {
	const char *by, *name, *title;
} shared[] = {
	{ "dlp-parse", "api_dur_ns", "Columns of GPU work and its call" },
	{ "dlp-correlate", "phase_by", "Columns that dlp-correlate adds" },
};

#define N_SHARED (sizeof(shared) / sizeof(shared[0]))

static bool
has(const char *type, const struct col_def *c)
{
	const struct col_def *d = col_find(type, c->name);

	return d != NULL && d->kind == c->kind && strcmp(d->by, c->by) == 0 &&
	       strcmp(d->help, c->help) == 0;
}

static const struct col_def *
anchor(const struct shared *s)
{
	const struct col_def *c = col_defs;

	while (strcmp(c->name, s->name) != 0 || strcmp(c->by, s->by) != 0)
		c++;
	return c;
}

static bool
is_shared(const struct shared *s, const struct col_def *c)
{
	const struct col_def *a = anchor(s);
	const struct type_def *t;

	if (strcmp(c->by, s->by) != 0 || !has(c->type, a))
		return false;
	for (t = type_defs; t->type != NULL; t++)
		if (has(t->type, a) && !has(t->type, c))
			return false;
	return true;
}

static void
mdoc_head(void)
{
	printf(".Bl -column \"dynsmem_byte\" \"int bytes\" "
	       "\"dlp-correlat\"\n"
	       ".It Sy column Ta Sy kind Ta Sy added by Ta Sy meaning\n");
}

static void
mdoc_col(const struct col_def *c)
{
	const char *in = unit(c);

	/* a longer name would run into the next cell */
	printf(".It %s%s Ta %s%s%s Ta %s Ta ", c->name,
	    strlen(c->name) > 15 ? " Ta Ta\n.It" : "", kind_word(c->kind),
	    *in == '-' ? "" : " ", *in == '-' ? "" : in, c->by);
	put_text(c->help);
	putchar('\n');
}

static void
mdoc_shared(const struct shared *s)
{
	const struct col_def *c, *a = anchor(s);

	printf(".Ss %s\n", s->title);
	mdoc_head();
	for (c = col_defs; c->type != NULL; c++)
		if (strcmp(c->type, a->type) == 0 && is_shared(s, c))
			mdoc_col(c);
	printf(".El\n");
}

static bool
any_shared(const struct col_def *c)
{
	size_t i;

	for (i = 0; i < N_SHARED; i++)
		if (is_shared(&shared[i], c))
			return true;
	return false;
}

static void
mdoc_type(const struct type_def *t)
{
	const struct col_def *c;
	size_t i;
	int n = 0;

	printf(".Ss %s\n", t->type);
	printf("%c", t->help[0] >= 'a' && t->help[0] <= 'z' ? t->help[0] - 32
							    : t->help[0]);
	put_text(t->help + 1);
	printf(".\nWritten by\n.Xr %s 1 .\n", t->by);
	for (c = col_defs; c->type != NULL; c++) {
		if (strcmp(c->type, t->type) != 0 || any_shared(c))
			continue;
		if (n++ == 0)
			mdoc_head();
		mdoc_col(c);
	}
	if (n > 0)
		printf(".El\n");
	for (i = 0; i < N_SHARED; i++)
		if (has(t->type, anchor(&shared[i])))
			printf("%s\n.Sx %s .\n", n > 0 ? ".Pp\nAlso" : "Has",
			    shared[i].title);
}

static void
mdoc(void)
{
	const struct col_def *c;
	const struct type_def *t;
	size_t i;

	printf(".Ss Columns of all records\n");
	mdoc_head();
	for (c = cols_all; c->type != NULL; c++)
		mdoc_col(c);
	printf(".El\n");
	for (i = 0; i < N_SHARED; i++)
		mdoc_shared(&shared[i]);
	for (t = type_defs; t->type != NULL; t++)
		mdoc_type(t);
}

int
main(int argc, char **argv)
{
	if (argc < 2)
		return test();
	if (strcmp(argv[1], "mdoc") == 0)
		mdoc();
	else
		tsv();
	return 0;
}
