/*
 * dlp-correlate: ties GPU work and API calls to the ops of the framework that
 * launched them. Reads the records of dlp-parse, adds ops, their runs, and
 * to each record of work its op, direction, layer and phase.
 */
#include <string.h>

#include "cli.h"
#include "dlp-correlate/corr.h"
#include "dlp-correlate/feed.h"

static const char usage[] =
    "usage: dlp-correlate [-DhruV] [--domain NAME] [--mode MODE] [file]\n"
    "Ties GPU work and API calls to framework ops: adds op and inst records,\n"
    "and to each record of work its op, direction, layer and phase.\n"
    "  -D, --dlprof      ops as DLProf makes them\n"
    "      --domain NAME only ranges of that NVTX domain make ops\n"
    "      --mode MODE   the framework: pytorch, tensorflow1, ...\n"
    "  -r, --ranges      pass all ranges, add their projection onto the GPU\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

enum { OPT_DOMAIN = 256, OPT_MODE };

static const struct option longopts[] = { { "dlprof", no_argument, NULL, 'D' },
	{ "domain", required_argument, NULL, OPT_DOMAIN },
	{ "mode", required_argument, NULL, OPT_MODE },
	{ "ranges", no_argument, NULL, 'r' }, CLI_LONGOPTS,
	{ NULL, 0, NULL, 0 } };

/* DLProf's word for the domain that has no name. */
static const char *
domain_of(const char *arg)
{
	return strcmp(arg, "default-domain") == 0 ? "" : arg;
}

int
main(int argc, char **argv)
{
	static struct corr c;
	struct stage st;
	bool unbuffered = false;
	const char *path;
	int ch;

	cli_init("dlp-correlate");
	while ((ch = getopt_long(
		    argc, argv, "Dr" CLI_SHORTOPTS, longopts, NULL)) != -1)
		if (ch == 'r')
			c.all_ranges = true;
		else if (ch == 'D')
			c.dlprof = true;
		else if (ch == OPT_DOMAIN)
			c.domain = domain_of(optarg);
		else if (ch == OPT_MODE)
			c.as_mode = optarg;
		else
			cli_shared(ch, usage, &unbuffered);
	path = cli_operand(argc, argv, usage);
	stage_open(&st, argc, argv, path, unbuffered);
	feed_start(&c, &st);
	return out_finish(stage_run(&st));
}
