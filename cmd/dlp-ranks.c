/*
 * dlp-ranks: the collectives of a run: which rank came when, which was last,
 * what the others waited; and how much of the communication no other kernel
 * hid.
 */
#include "cli.h"
#include "dlp-ranks/run.h"

static const char usage[] =
    "usage: dlp-ranks [-u] [-f RULES] [file]\n"
    "Adds to a dlp stream of many ranks a coll record per collective, an\n"
    "arrive record per rank of it, and comm records per rank and iteration.\n"
    "  -f, --rules RULES rules for the names of communication kernels instead\n"
    "                    of the shipped ones\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

static const struct option longopts[] = {
	{ "rules", required_argument, NULL, 'f' },
	CLI_LONGOPTS,
	{ NULL, 0, NULL, 0 },
};

int
main(int argc, char **argv)
{
	struct stage st;
	const char *rules = NULL;
	bool unbuffered = false;
	int ch;

	cli_init("dlp-ranks");
	while ((ch = getopt_long(
		    argc, argv, "f:" CLI_SHORTOPTS, longopts, NULL)) != -1)
		if (ch == 'f')
			rules = optarg;
		else
			cli_shared(ch, usage, &unbuffered);
	stage_open(&st, argc, argv, cli_operand(argc, argv, usage), unbuffered);
	run_open(&st, rules);
	return out_finish(stage_run(&st));
}
