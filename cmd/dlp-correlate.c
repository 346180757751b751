/*
 * dlp-correlate: ties GPU work and API calls to the ops of the framework that
 * launched them. Reads the records of dlp-parse, adds ops, their runs, and
 * to each record of work its op, direction, layer and phase.
 */
#include <string.h>

#include "cli.h"
#include "dlp-correlate/corr.h"
#include "dlp-correlate/feed.h"
#include "drop.h"

static const char usage[] =
    "usage: dlp-correlate [-DhruV] [--domain NAME] [--mode MODE] [-S SIZE]\n"
    "                     [--drop TYPE[:COLUMNS]]... [file]\n"
    "Ties GPU work and API calls to framework ops: adds op and inst records,\n"
    "and to each record of work its op, direction, layer and phase.\n"
    "  -D, --dlprof      ops as DLProf makes them\n"
    "      --domain NAME only ranges of that NVTX domain make ops\n"
    "      --mode MODE   the framework: pytorch, tensorflow1, ...\n"
    "  -r, --ranges      pass all ranges, add their projection onto the "
    "GPU\n" DROP_USAGE SPILL_USAGE
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

static struct corr corr;

/* DLProf's word for the domain that has no name. */
static void
set_domain(const char *arg)
{
	corr.domain = strcmp(arg, "default-domain") == 0 ? "" : arg;
}

int
main(int argc, char **argv)
{
	static const struct cli_opt opts[] = {
		{ 'D', "dlprof", .flag = &corr.dlprof },
		{ 0, "domain", .call = set_domain },
		{ 0, "mode", .arg = &corr.as_mode },
		{ 'r', "ranges", .flag = &corr.all_ranges },
		DROP_OPTION,
		SPILL_OPTION,
		{ 0 },
	};
	struct stage st;

	stage_start(&st, "dlp-correlate", usage, opts, argc, argv);
	feed_start(&corr, &st);
	return out_finish(stage_run(&st));
}
