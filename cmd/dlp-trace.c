/*
 * dlp-trace: the way out to timeline viewers: a stream as a trace in the
 * JSON form of Chrome, which Perfetto reads too.
 */
#include "cli.h"
#include "dlp-trace/run.h"
#include "out.h"

static const char usage[] =
    "usage: dlp-trace [-hiuV] [FILE]\n"
    "The stream as a trace for ui.perfetto.dev, chrome://tracing, speedscope.\n"
    "  -i, --iter        only what lies in iterations (dlp-iter)\n"
    "  -u, --unbuffered  write each event at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

static const struct option longopts[] = { { "iter", no_argument, NULL, 'i' },
	CLI_LONGOPTS, { NULL, 0, NULL, 0 } };

int
main(int argc, char **argv)
{
	bool unbuffered = false, iter_only = false;
	struct stage st = { 0 };
	const char *path;
	int c;

	cli_init("dlp-trace");
	while ((c = getopt_long(
		    argc, argv, CLI_SHORTOPTS "i", longopts, NULL)) != -1)
		if (c == 'i')
			iter_only = true;
		else
			cli_shared(c, usage, &unbuffered);
	path = cli_operand(argc, argv, usage);
	stage_open_sink(&st, path, unbuffered);
	return out_finish(trace_run(&st, iter_only));
}
