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

int
main(int argc, char **argv)
{
	static bool iter_only;
	static const struct cli_opt opts[] = {
		{ 'i', "iter", .flag = &iter_only },
		{ 0 },
	};
	struct stage st;

	stage_start_sink(&st, "dlp-trace", usage, opts, argc, argv);
	return out_finish(trace_run(&st, iter_only));
}
