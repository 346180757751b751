/*
 * dlp-waits: where threads wait, for the operating system or a GPU.
 */
#include "cli.h"
#include "dlp-waits/waits.h"
#include "dlp-waits/read.h"

static const char usage[] =
    "usage: dlp-waits [-u] [file]\n"
    "Adds to a dlp stream the calls in which threads wait.\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

static const struct option longopts[] = { CLI_LONGOPTS, { NULL, 0, NULL, 0 } };

int
main(int argc, char **argv)
{
	static struct waits w;
	struct stage st;
	bool unbuffered = false;
	int ch;

	cli_init("dlp-waits");
	while (
	    (ch = getopt_long(argc, argv, CLI_SHORTOPTS, longopts, NULL)) != -1)
		cli_shared(ch, usage, &unbuffered);
	stage_open(&st, argc, argv, cli_operand(argc, argv, usage), unbuffered);
	read_open(&w, &st);
	return out_finish(stage_run(&st));
}
