/*
 * dlp-mem: the memory in use, its peak, and what was in use then.
 */
#include "cli.h"
#include "dlp-mem/mem.h"
#include "dlp-mem/read.h"

static const char usage[] =
    "usage: dlp-mem [-u] [file]\n"
    "Adds to a dlp stream the memory in use and its peak.\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

static const struct option longopts[] = { CLI_LONGOPTS, { NULL, 0, NULL, 0 } };

int
main(int argc, char **argv)
{
	static struct mem m;
	struct stage st;
	bool unbuffered = false;
	int ch;

	cli_init("dlp-mem");
	while (
	    (ch = getopt_long(argc, argv, CLI_SHORTOPTS, longopts, NULL)) != -1)
		cli_shared(ch, usage, &unbuffered);
	stage_open(&st, argc, argv, cli_operand(argc, argv, usage), unbuffered);
	read_open(&m, &st);
	return out_finish(stage_run(&st));
}
