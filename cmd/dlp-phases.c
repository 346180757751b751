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

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "phases_late", NULL };
	static struct phases p;
	struct stage st;

	stage_start(&st, "dlp-phases", usage, NULL, argc, argv);
	read_open(&p, &st);
	stage_anew(&st, notes);
	return out_finish(stage_run(&st));
}
