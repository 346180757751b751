/*
 * dlp-agg: groups records by columns and writes statistics of each group, or
 * filters, sorts and limits the records themselves; several such groupings in
 * one run.
 */
#include <stdlib.h>

#include "cli.h"
#include "dlp-agg/merge.h"
#include "dlp-agg/run.h"
#include "err.h"

static const char usage[] =
    "usage: dlp-agg [-u] [-T TYPES] [-g COLUMNS] [-a STATS] [-f FIELDS]"
    " [-c COLUMNS]"
    " [--where COND] [--sort KEYS] [-n N [--rest]] [--as NAME]"
    " [--and ...] [--pass | --keep TYPES] [--partial] [-S SIZE] [FILE]\n"
    "       dlp-agg --merge [--partial] [-T TYPES] [-g COLUMNS] [--sort KEYS]"
    " [-n N [--rest]] [FILE...]\n"
    "\n"
    "Groups the records of some types and writes one agg record per group.\n"
    "Without -a, -f and -g the records themselves are passed on, filtered,\n"
    "sorted and limited.\n"
    "\n"
    "  -T, --type TYPES      record types, comma separated (default kern)\n"
    "  -g, --group COLUMNS   the columns that make a group; default: one\n"
    "                        group of all\n"
    "  -a, --stats STATS     count, nset, sum, mean, min, max, median, pN,\n"
    "                        std, pct, union, first, last (default\n"
    "                        count,sum); STAT:FIELD of that field alone\n"
    "  -f, --fields FIELDS   columns that the statistics are of (default\n"
    "                        dur_ns)\n"
    "  -c, --columns COLUMNS\n"
    "                        without -a, -f and -g: only these columns\n"
    "      --where COND      only records for which 'COL OP VALUE' holds; OP\n"
    "                        is == != < <= > >= ~ !~; can be given again\n"
    "      --sort KEYS       columns of the result or words of -a, - in\n"
    "                        front for falling order\n"
    "  -n, --limit N         only the first N\n"
    "      --rest            one more row for what -n leaves out\n"
    "      --as NAME         the type of the result's records (default agg)\n"
    "      --and             one more result, or without statistics of other\n"
    "                        types: the options behind it are its own\n"
    "      --pass            pass the input on; each section's results\n"
    "                        stand at its end\n"
    "      --keep TYPES      the same, but of the input only these types\n"
    "      --partial         a result with what --merge needs to go on\n"
    "      --merge           the files are such results, of parts: write that\n"
    "                        of all; with -T, -g (some of their groups),\n"
    "                        --sort, -n, --rest\n"
    "  -S, --memory SIZE     memory for what must be kept, such as 64M; the\n"
    "                        rest goes to files in TMPDIR (default 256M)\n"
    "  -u, --unbuffered      write each record at once\n"
    "  -h, --help            this text\n"
    "  -V, --version         the version\n";

static struct plan plan = { .memory = 256 << 20 };

/* What the options of one aggregation are of. */
static struct spec *
own(void)
{
	return plan.spec[plan.n - 1];
}

/* The option's list; ##cmd is to show the argument as it was given. */
static char **
list(const char *opt, const char *arg, int *n)
{
	char **v = cli_list(arg, n);
	int i;

	for (i = 0; i < *n; i++)
		if (v[i][0] == '\0')
			die("%s: empty name in '%s'", opt, arg);
	return v;
}

/* A record type's name. */
static const char *
tag(const char *opt, const char *s)
{
	if (*s < 'a' || *s > 'z' ||
	    s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789")] != '\0')
		die("%s: '%s' is no record type: lower-case letters and digits",
		    opt, s);
	return s;
}

static void
types(const char *arg)
{
	own()->in.tag = list("-T", arg, &own()->in.ntypes);
}

static void
groups(const char *arg)
{
	own()->groups = list("-g", arg, &own()->ngroups);
}

static void
stats(const char *arg)
{
	own()->stats = list("-a", arg, &own()->nstats);
}

static void
fields(const char *arg)
{
	own()->fields = list("-f", arg, &own()->nfields);
}

static void
columns(const char *arg)
{
	own()->cut = list("-c", arg, &own()->ncut);
}

static void
where(const char *arg)
{
	where_add(&own()->where, xstrdup(arg));
}

static void
sort(const char *arg)
{
	sort_parse(&own()->sort, arg);
}

static void
limit(const char *arg)
{
	own()->limit = cli_i64("-n", arg, 0, INT64_MAX);
}

static void
rest(void)
{
	own()->rest = true;
}

static void
as(const char *arg)
{
	own()->as = tag("--as", arg);
}

static void
next(void)
{
	plan_add(&plan);
}

static void
keep(const char *arg)
{
	plan.keep = list("--keep", arg, &plan.nkeep);
}

static void
memory(const char *arg)
{
	plan.memory = cli_size("-S", arg);
}

static const struct cli_opt opts[] = {
	{ 'T', "type", .call = types },
	{ 'g', "group", .call = groups },
	{ 'a', "stats", .call = stats },
	{ 'f', "fields", .call = fields },
	{ 'c', "columns", .call = columns },
	{ 0, "where", .call = where },
	{ 0, "sort", .call = sort },
	{ 'n', "limit", .call = limit },
	{ 0, "rest", .act = rest },
	{ 0, "as", .call = as },
	{ 0, "and", .act = next },
	{ 0, "pass", .flag = &plan.pass },
	{ 0, "keep", .call = keep },
	{ 0, "partial", .flag = &plan.partial },
	{ 0, "merge", .flag = &plan.merge },
	{ 'S', "memory", .call = memory },
	{ 0 },
};

/* The files of --merge are several. */
static int
merge(int argc, char **argv, bool unbuffered)
{
	if (argc - optind <= 1)
		(void)cli_operand(argc, argv, usage);
	plan_check(&plan);
	out_open(unbuffered);
	return merge_run(&plan, argv + optind, argc - optind, argc, argv);
}

int
main(int argc, char **argv)
{
	struct stage st;
	const char *path;
	bool unbuffered;

	cli_init("dlp-agg");
	plan_add(&plan);
	unbuffered = cli_options(argc, argv, usage, opts);
	if (plan.merge)
		return out_finish(merge(argc, argv, unbuffered));
	path = cli_operand(argc, argv, usage);
	plan_check(&plan);
	if (plan.n > 0 && plan.spec[0]->nstats > 0 && !plan.pass)
		stage_open_sink(&st, path, unbuffered);
	else
		stage_open(&st, argc, argv, path, unbuffered);
	return out_finish(agg_run(&plan, &st, argc, argv));
}
