/*
 * dlp-agg: groups records by columns and writes statistics of each group, or
 * filters, sorts and limits the records themselves.
 */
#include <stdlib.h>

#include "cli.h"
#include "dlp-agg/agg.h"
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

static void
add_where(struct agg *a, char *arg)
{
	a->wheres =
	    xrealloc(a->wheres, (size_t)a->nwheres + 1, sizeof(*a->wheres));
	a->wheres[a->nwheres++] = xstrdup(arg);
}

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
option(struct agg *a, int c)
{
	switch (c) {
	case 'h':
		cli_help(usage);
	case 'V':
		cli_version();
	case 'u':
		unbuffered = true;
		break;
	case 'T':
		a->types = list("-T", optarg, &a->ntypes);
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
		add_where(a, optarg);
		break;
	case OPT_SORT:
		sort_parse(a, xstrdup(optarg));
		break;
	case OPT_REST:
		a->rest = true;
		break;
	default:
		cli_usage(usage);
	}
}

static void
defaults(struct agg *a)
{
	static char type[] = "kern", *types[] = { type };
	static char count[] = "count", sum[] = "sum", *stats[] = { count, sum };

	if (a->types == NULL) {
		a->types = types;
		a->ntypes = 1;
	}
	if (a->ntypes > AGG_TYPES)
		die("-T: more than %d types", AGG_TYPES);
	if (a->stats == NULL && (a->groups != NULL || a->fields != NULL)) {
		a->stats = stats;
		a->nstats = 2;
	}
	if (a->rest && (a->limit < 0 || a->nstats == 0))
		die("--rest goes with -n and statistics");
}

static void
on_section(struct stage *st)
{
	struct agg *a = st->ctx;

	join_section(&a->join);
}

static void
on_op(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;

	join_op(&a->join, r);
	stage_pass(st, r);
}

static void
on_str(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;

	join_str(&a->join, r);
	stage_pass(st, r);
}

static void
on_legend(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;
	int t = agg_type_of(a, r), i;

	for (i = 0; i < a->ncol; i++)
		join_legend(a->col[i].in[t]);
}

static void
on_end(struct stage *st)
{
	group_section_end(st->ctx);
}

static void
group_listen(struct agg *a)
{
	int t;

	a->st.end = on_end;
	a->st.meta = print_meta;
	for (t = 0; t < a->ntypes; t++)
		stage_on(&a->st, a->types[t], group_record, on_legend);
}

static int
run(struct agg *a)
{
	int rc, t;

	a->st.ctx = a;
	a->st.section = on_section;
	join_init(&a->join, a->st.rd);
	spec_make(a);
	if (join_needs_op(&a->join))
		stage_on(&a->st, "op", on_op, NULL);
	if (join_needs_str(&a->join))
		stage_on(&a->st, "str", on_str, NULL);
	if (a->nstats > 0)
		group_listen(a);
	else
		pass_listen(a);
	rc = stage_run(&a->st);
	for (t = 0; rc == EXIT_OK && t < a->ntypes; t++)
		if (!a->seen[t] && a->ntypes == 1)
			warn("no %s records in the input", a->types[t]);
	return a->nstats > 0 ? print_groups(a, rc) : rc;
}

int
main(int argc, char **argv)
{
	static struct agg a = { .limit = -1 };
	const char *path;
	int c;

	cli_init("dlp-agg");
	a.argc = argc;
	a.argv = argv;
	while ((c = getopt_long(argc, argv,
		    CLI_SHORTOPTS "T:g:a:f:n:", longopts, NULL)) != -1)
		option(&a, c);
	path = cli_operand(argc, argv, usage);
	defaults(&a);
	if (a.nstats > 0)
		stage_open_sink(&a.st, path, unbuffered);
	else
		stage_open(&a.st, argc, argv, path, unbuffered);
	return out_finish(run(&a));
}
