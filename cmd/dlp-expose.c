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

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "expose_started_early", NULL };
	static struct expose x;
	struct stage st;

	stage_start(&st, "dlp-expose", usage, NULL, argc, argv);
	read_open(&x, &st);
	stage_anew(&st, notes);
	return out_finish(stage_run(&st));
}
