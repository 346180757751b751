/*
 * dlp-iter: gives every record of a dlp stream the iteration it belongs to,
 * and adds a record per iteration.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dlp-iter/read.h"
#include "err.h"

static const char usage[] =
    "usage: dlp-iter [-Dlux] [-k KEY] [--cut | --one] [--iter-start N]"
    " [--iter-stop N] [-n N] [--cuts] [--stable] [--strict] [file]\n"
    "Cuts a dlp stream into iterations.\n"
    "  -k, --key KEY     what an iteration is: a step range (its number is\n"
    "                    dropped), or an op's id, name, key or type\n"
    "  -D, --dlprof      iterations as DLProf makes them\n"
    "      --cuts        write ahead where iterations begin\n"
    "      --stable      write at the end which of them are even\n"
    "  -x, --exact       a range must be KEY to the letter\n"
    "      --cut         iterations end where KEY ends\n"
    "      --one         all is one iteration\n"
    "      --iter-start N, --iter-stop N\n"
    "                    drop the records outside of iterations N to N\n"
    "      --strict      fail if the key or iteration N is not there\n"
    "  -l, --list        propose keys; with -k, show its iterations and a\n"
    "                    stable range\n"
    "  -n, --limit N     --list without -k: at most N keys, 0: all (20)\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        this text\n"
    "  -V, --version     the version\n";

enum {
	OPT_CUT = 256,
	OPT_ONE,
	OPT_FROM,
	OPT_TO,
	OPT_STRICT,
	OPT_CUTS,
	OPT_STABLE
};

static const struct option longopts[] = {
	{ "key", required_argument, NULL, 'k' },
	{ "dlprof", no_argument, NULL, 'D' },
	{ "exact", no_argument, NULL, 'x' },
	{ "cut", no_argument, NULL, OPT_CUT },
	{ "cuts", no_argument, NULL, OPT_CUTS },
	{ "stable", no_argument, NULL, OPT_STABLE },
	{ "one", no_argument, NULL, OPT_ONE },
	{ "iter-start", required_argument, NULL, OPT_FROM },
	{ "iter-stop", required_argument, NULL, OPT_TO },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "list", no_argument, NULL, 'l' },
	{ "limit", required_argument, NULL, 'n' },
	CLI_LONGOPTS,
	{ NULL, 0, NULL, 0 },
};

struct opts {
	const char *key;
	bool exact, cut, unbuffered;
};

static void
check(const struct run *g, const struct opts *o)
{
	if (o->key != NULL && *o->key == '\0')
		die("-k: empty key");
	if (o->key != NULL && g->one)
		die("-k and --one exclude each other");
	if (o->key == NULL && (o->cut || o->exact))
		die("%s needs -k", o->cut ? "--cut" : "-x");
	if (g->listing && (g->filter || g->one))
		die("--list excludes --one, --iter-start and --iter-stop");
	if (g->listing && g->stable)
		die("--list and --stable exclude each other");
	if (g->listing && g->dlprof)
		die("--list and --dlprof exclude each other");
	if (g->from > g->to)
		die("--iter-start lies behind --iter-stop");
}

static void
parse(struct run *g, struct opts *o, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "Dk:xln:" CLI_SHORTOPTS, longopts,
		    NULL)) != -1) {
		switch (c) {
		case 'k':
			o->key = optarg;
			break;
		case 'D':
			g->dlprof = g->cuts = true;
			break;
		case 'x':
			o->exact = true;
			break;
		case OPT_CUT:
			o->cut = true;
			break;
		case OPT_CUTS:
			g->cuts = true;
			break;
		case OPT_STABLE:
			g->stable = true;
			break;
		case OPT_ONE:
			g->one = true;
			break;
		case OPT_FROM:
			g->from = cli_i64("--iter-start", optarg, 0, INT64_MAX);
			g->filter = true;
			break;
		case OPT_TO:
			g->to = cli_i64("--iter-stop", optarg, 0, INT64_MAX);
			g->filter = true;
			break;
		case OPT_STRICT:
			g->strict = true;
			break;
		case 'l':
			g->listing = true;
			break;
		case 'n':
			g->limit = (int)cli_i64("-n", optarg, 0, INT32_MAX);
			break;
		default:
			cli_shared(c, usage, &o->unbuffered);
		}
	}
	check(g, o);
}

int
main(int argc, char **argv)
{
	struct run g = { .to = INT64_MAX, .limit = 20, .spool.fd = -1 };
	struct opts o = { 0 };
	struct stage st;

	cli_init("dlp-iter");
	parse(&g, &o, argc, argv);
	g.asked_one = g.one;
	g.asked = (struct asked){ o.key, g.from, g.to, g.filter };
	key_init(&g.key, o.key, o.exact, o.cut || g.dlprof);
	stage_open(
	    &st, argc, argv, cli_operand(argc, argv, usage), o.unbuffered);
	read_open(&g, &st);
	return out_finish(stage_run(&st));
}
