/*
 * dlp-correlate: ties GPU work and API calls to the ops of the framework that
 * launched them. Reads the records of dlp-parse, adds ops, their runs, and
 * to each record of work its op, direction, layer and phase.
 */
#include <stdlib.h>

#include "cli.h"
#include "dlp-correlate/corr.h"
#include "dlp-correlate/feed.h"

static const char usage[] =
    "usage: dlp-correlate [-hruV] [file]\n"
    "Ties GPU work and API calls to framework ops: adds op and inst records,\n"
    "and to each record of work its op, direction, layer and phase.\n"
    "  -r, --ranges      pass all ranges, add their projection onto the GPU\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

static const struct option longopts[] = { { "ranges", no_argument, NULL, 'r' },
	CLI_LONGOPTS, { NULL, 0, NULL, 0 } };

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
		    argc, argv, "r" CLI_SHORTOPTS, longopts, NULL)) != -1)
		if (ch == 'r')
			c.all_ranges = true;
		else
			cli_shared(ch, usage, &unbuffered);
	path = cli_operand(argc, argv, usage);
	stage_open(&st, argc, argv, path, unbuffered);
	feed_start(&c, &st);
	return out_finish(stage_run(&st));
}
