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

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "coll_incomplete", "coll_overfull",
		NULL };
	static const char *rules;
	static const struct cli_opt opts[] = {
		{ 'f', "rules", .arg = &rules },
		{ 0 },
	};
	struct stage st;

	stage_start(&st, "dlp-ranks", usage, opts, argc, argv);
	run_open(&st, rules);
	stage_anew(&st, notes);
	return out_finish(stage_run(&st));
}
