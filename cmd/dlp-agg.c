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
    "       dlp-agg --merge [--partial] [-T TYPES] [--sort KEYS]"
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
    "      --and             one more result: the options behind it are its\n"
    "                        own\n"
    "      --pass            pass the input on; each section's results\n"
    "                        stand at its end\n"
    "      --keep TYPES      the same, but of the input only these types\n"
    "      --partial         a result with what --merge needs to go on\n"
    "      --merge           the files are such results, of parts: write that\n"
    "                        of all; with -T, --sort, -n, --rest\n"
    "  -S, --memory SIZE     memory for what must be kept, such as 64M; the\n"
    "                        rest goes to files in TMPDIR (default 256M)\n"
    "  -u, --unbuffered      write each record at once\n"
    "  -h, --help            this text\n"
    "  -V, --version         the version\n";

enum {
	OPT_WHERE = 256,
	OPT_SORT,
	OPT_REST,
	OPT_AS,
	OPT_AND,
	OPT_PASS,
	OPT_KEEP,
	OPT_PARTIAL,
	OPT_MERGE,
};

static const struct option longopts[] = {
	CLI_LONGOPTS,
	{ "type", required_argument, NULL, 'T' },
	{ "group", required_argument, NULL, 'g' },
	{ "stats", required_argument, NULL, 'a' },
	{ "fields", required_argument, NULL, 'f' },
	{ "columns", required_argument, NULL, 'c' },
	{ "limit", required_argument, NULL, 'n' },
	{ "where", required_argument, NULL, OPT_WHERE },
	{ "sort", required_argument, NULL, OPT_SORT },
	{ "rest", no_argument, NULL, OPT_REST },
	{ "as", required_argument, NULL, OPT_AS },
	{ "and", no_argument, NULL, OPT_AND },
	{ "pass", no_argument, NULL, OPT_PASS },
	{ "keep", required_argument, NULL, OPT_KEEP },
	{ "memory", required_argument, NULL, 'S' },
	{ "partial", no_argument, NULL, OPT_PARTIAL },
	{ "merge", no_argument, NULL, OPT_MERGE },
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

/* Those of one aggregation; false if it is none of them. */
static bool
own_option(struct spec *a, int c)
{
	switch (c) {
	case 'T':
		a->in.tag = list("-T", optarg, &a->in.ntypes);
		return true;
	case 'g':
		a->groups = list("-g", optarg, &a->ngroups);
		return true;
	case 'a':
		a->stats = list("-a", optarg, &a->nstats);
		return true;
	case 'f':
		a->fields = list("-f", optarg, &a->nfields);
		return true;
	case 'c':
		a->cut = list("-c", optarg, &a->ncut);
		return true;
	case 'n':
		a->limit = cli_i64("-n", optarg, 0, INT64_MAX);
		return true;
	case OPT_WHERE:
		where_add(&a->where, xstrdup(optarg));
		return true;
	case OPT_SORT:
		sort_parse(&a->sort, xstrdup(optarg));
		return true;
	case OPT_REST:
		a->rest = true;
		return true;
	case OPT_AS:
		a->as = tag("--as", optarg);
		return true;
	default:
		return false;
	}
}

static void
option(struct plan *p, int c)
{
	if (own_option(p->spec[p->n - 1], c))
		return;
	switch (c) {
	case OPT_AND:
		plan_add(p);
		break;
	case OPT_PASS:
		p->pass = true;
		break;
	case OPT_KEEP:
		p->keep = list("--keep", optarg, &p->nkeep);
		break;
	case 'S':
		p->memory = cli_size("-S", optarg);
		break;
	case OPT_PARTIAL:
		p->partial = true;
		break;
	case OPT_MERGE:
		p->merge = true;
		break;
	default:
		cli_shared(c, usage, &unbuffered);
	}
}

/* The files of --merge are several. */
static int
merge(struct plan *p, int argc, char **argv)
{
	if (argc - optind <= 1)
		(void)cli_operand(argc, argv, usage);
	plan_check(p);
	out_open(unbuffered);
	return merge_run(p, argv + optind, argc - optind, argc, argv);
}

int
main(int argc, char **argv)
{
	static struct plan plan;
	struct stage st;
	const char *path;
	int c;

	cli_init("dlp-agg");
	plan_add(&plan);
	plan.memory = 256 << 20;
	while ((c = getopt_long(argc, argv,
		    CLI_SHORTOPTS "T:g:a:f:c:n:S:", longopts, NULL)) != -1)
		option(&plan, c);
	if (plan.merge)
		return out_finish(merge(&plan, argc, argv));
	path = cli_operand(argc, argv, usage);
	plan_check(&plan);
	if (plan.n > 0 && plan.spec[0]->nstats > 0 && !plan.pass)
		stage_open_sink(&st, path, unbuffered);
	else
		stage_open(&st, argc, argv, path, unbuffered);
	return out_finish(agg_run(&plan, &st, argc, argv));
}
