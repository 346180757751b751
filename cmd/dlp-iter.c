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
    " [--iter-stop N] [-n N] [--cuts] [--stable]"
    " [--even] [--keep] [--strict] [file]\n"
    "Cuts a dlp stream into iterations.\n"
    "  -k, --key KEY     what an iteration is: a step range (its number is\n"
    "                    dropped), or an op's id, name, key or type\n"
    "  -D, --dlprof      iterations as DLProf makes them\n"
    "      --cuts        write ahead where iterations begin\n"
    "      --stable      write at the end which of them are even\n"
    "      --even        only the even ones are iterations\n"
    "  -x, --exact       a range must be KEY to the letter\n"
    "      --cut         iterations end where KEY ends\n"
    "      --one         all is one iteration\n"
    "      --iter-start N, --iter-stop N\n"
    "                    drop the records outside of iterations N to N\n"
    "      --keep        keep them, in no iteration\n"
    "      --strict      fail if the key or iteration N is not there\n"
    "  -l, --list        propose keys; with -k, show its iterations and a\n"
    "                    stable range\n"
    "  -n, --limit N     --list without -k: at most N keys, 0: all (20)\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        this text\n"
    "  -V, --version     the version\n";

static struct run g = { .to = INT64_MAX, .limit = 20, .spool = SPOOL_NEW };

static struct {
	const char *key;
	bool exact, cut;
} o;

static void
check(void)
{
	if (o.key != NULL && *o.key == '\0')
		die("-k: empty key");
	if (o.key != NULL && g.one)
		die("-k and --one exclude each other");
	if (o.key == NULL && (o.cut || o.exact))
		die("%s needs -k", o.cut ? "--cut" : "-x");
	if (g.listing && (g.filter || g.one))
		die("--list excludes --one, --iter-start and --iter-stop");
	if (g.listing && g.stable)
		die("--list and --stable exclude each other");
	if (g.listing && g.dlprof)
		die("--list and --dlprof exclude each other");
	if (g.even && (g.filter || g.listing || g.dlprof || g.one))
		die("--even excludes --list, --dlprof, --one, --iter-start and"
		    " --iter-stop");
	if (g.keep && !g.filter)
		die("--keep needs --iter-start or --iter-stop");
	if (g.from > g.to)
		die("--iter-start lies behind --iter-stop");
}

static void
from(const char *arg)
{
	g.from = cli_i64("--iter-start", arg, 0, INT64_MAX);
	g.filter = true;
}

static void
to(const char *arg)
{
	g.to = cli_i64("--iter-stop", arg, 0, INT64_MAX);
	g.filter = true;
}

static void
limit(const char *arg)
{
	g.limit = (int)cli_i64("-n", arg, 0, INT32_MAX);
}

int
main(int argc, char **argv)
{
	static const struct cli_opt opts[] = {
		{ 'k', "key", .arg = &o.key },
		{ 'D', "dlprof", .flag = &g.dlprof },
		{ 'x', "exact", .flag = &o.exact },
		{ 0, "cut", .flag = &o.cut },
		{ 0, "cuts", .flag = &g.cuts },
		{ 0, "stable", .flag = &g.stable },
		{ 0, "even", .flag = &g.even },
		{ 0, "keep", .flag = &g.keep },
		{ 0, "one", .flag = &g.one },
		{ 0, "iter-start", .call = from },
		{ 0, "iter-stop", .call = to },
		{ 0, "strict", .flag = &g.strict },
		{ 'l', "list", .flag = &g.listing },
		{ 'n', "limit", .call = limit },
		{ 0 },
	};
	struct stage st;
	bool unbuffered;

	cli_init("dlp-iter");
	unbuffered = cli_options(argc, argv, usage, opts);
	g.cuts = g.cuts || g.dlprof;
	check();
	g.keep = g.keep || g.even;
	g.asked_one = g.one;
	g.asked = (struct asked){ o.key, g.from, g.to, g.filter };
	key_init(&g.key, o.key, o.exact, o.cut || g.dlprof);
	stage_open(&st, argc, argv, cli_operand(argc, argv, usage), unbuffered);
	read_open(&g, &st);
	return out_finish(stage_run(&st));
}
