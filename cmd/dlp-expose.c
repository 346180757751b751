/*
 * dlp-expose: how much of the memory copies no kernel hides.
 */
#include "cli.h"
#include "dlp-expose/expose.h"
#include "dlp-expose/read.h"

static const char usage[] =
    "usage: dlp-expose [-u] [file]\n"
    "Adds to a dlp stream how much of each memory copy no kernel hides.\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

static const struct option longopts[] = { CLI_LONGOPTS, { NULL, 0, NULL, 0 } };

int
main(int argc, char **argv)
{
	static struct expose x;
	struct stage st;
	bool unbuffered = false;
	int ch;

	cli_init("dlp-expose");
	while (
	    (ch = getopt_long(argc, argv, CLI_SHORTOPTS, longopts, NULL)) != -1)
		cli_shared(ch, usage, &unbuffered);
	stage_open(&st, argc, argv, cli_operand(argc, argv, usage), unbuffered);
	read_open(&x, &st);
	return out_finish(stage_run(&st));
}
