/*
 * dlp-agg: groups records by columns and writes statistics of each group, or
 * filters, sorts and limits the records themselves.
 */
#include <stdlib.h>

#include "cli.h"
#include "dlp-agg/run.h"
#include "err.h"

static const char usage[] =
    "usage: dlp-agg [-u] [-T TYPES] [-g COLUMNS] [-a STATS] [-f FIELDS]"
    " [--where COND] [--sort KEYS] [-n N [--rest]] [FILE]\n"
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
    "                        count,sum)\n"
    "  -f, --fields FIELDS   columns that the statistics are of (default\n"
    "                        dur_ns)\n"
    "      --where COND      only records for which 'COL OP VALUE' holds; OP\n"
    "                        is == != < <= > >= ~ !~; can be given again\n"
    "      --sort KEYS       columns of the result or words of -a, - in\n"
    "                        front for falling order\n"
    "  -n, --limit N         only the first N\n"
    "      --rest            one more row for what -n leaves out\n"
    "  -u, --unbuffered      write each record at once\n"
    "  -h, --help            this text\n"
    "  -V, --version         the version\n";

enum { OPT_WHERE = 256, OPT_SORT, OPT_REST };

static const struct option longopts[] = {
	CLI_LONGOPTS,
	{ "type", required_argument, NULL, 'T' },
	{ "group", required_argument, NULL, 'g' },
	{ "stats", required_argument, NULL, 'a' },
	{ "fields", required_argument, NULL, 'f' },
	{ "limit", required_argument, NULL, 'n' },
	{ "where", required_argument, NULL, OPT_WHERE },
	{ "sort", required_argument, NULL, OPT_SORT },
	{ "rest", no_argument, NULL, OPT_REST },
	{ NULL, 0, NULL, 0 },
};

static bool unbuffered;

/* The option's list; ##cmd is to show the argument as it was given. */
static char **
list(const char *opt, const char *arg, int *n)
{
	char **v = cli_list(xstrdup(arg), n);
	int i;

	for (i = 0; i < *n; i++)
		if (v[i][0] == '\0')
			die("%s: empty name in '%s'", opt, arg);
	return v;
}

static void
option(struct spec *a, int c)
{
	switch (c) {
	case 'T':
		a->in.tag = list("-T", optarg, &a->in.ntypes);
		break;
	case 'g':
		a->groups = list("-g", optarg, &a->ngroups);
		break;
	case 'a':
		a->stats = list("-a", optarg, &a->nstats);
		break;
	case 'f':
		a->fields = list("-f", optarg, &a->nfields);
		break;
	case 'n':
		a->limit = cli_i64("-n", optarg, 0, INT64_MAX);
		break;
	case OPT_WHERE:
		where_add(&a->where, xstrdup(optarg));
		break;
	case OPT_SORT:
		sort_parse(&a->sort, xstrdup(optarg));
		break;
	case OPT_REST:
		a->rest = true;
		break;
	default:
		cli_shared(c, usage, &unbuffered);
	}
}

static void
defaults(struct spec *a)
{
	static char type[] = "kern", *types[] = { type };
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
		die("--rest goes with -n and statistics");
}

int
main(int argc, char **argv)
{
	static struct spec spec = { .limit = -1 };
	struct stage st;
	const char *path;
	int c;

	cli_init("dlp-agg");
	while ((c = getopt_long(argc, argv,
		    CLI_SHORTOPTS "T:g:a:f:n:", longopts, NULL)) != -1)
		option(&spec, c);
	path = cli_operand(argc, argv, usage);
	defaults(&spec);
	if (spec.nstats > 0)
		stage_open_sink(&st, path, unbuffered);
	else
		stage_open(&st, argc, argv, path, unbuffered);
	return out_finish(agg_run(&spec, &st, argc, argv));
}
