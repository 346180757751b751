/*
 * dlp-phases: what the phases of each iteration take: forward, backward,
 * optimizer, data loading, on the CPU and the GPU.
 */
#include "cli.h"
#include "dlp-phases/phases.h"
#include "dlp-phases/read.h"

static const char usage[] =
    "usage: dlp-phases [-u] [file]\n"
    "Adds to a dlp stream what the phases of each iteration take.\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

static const struct option longopts[] = { CLI_LONGOPTS, { NULL, 0, NULL, 0 } };

int
main(int argc, char **argv)
{
	static struct phases p;
	struct stage st;
	bool unbuffered = false;
	int ch;

	cli_init("dlp-phases");
	while (
	    (ch = getopt_long(argc, argv, CLI_SHORTOPTS, longopts, NULL)) != -1)
		cli_shared(ch, usage, &unbuffered);
	stage_open(&st, argc, argv, cli_operand(argc, argv, usage), unbuffered);
	read_open(&p, &st);
	return out_finish(stage_run(&st));
}
