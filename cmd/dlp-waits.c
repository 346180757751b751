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

int
main(int argc, char **argv)
{
	static struct waits w;
	struct stage st;

	stage_start(&st, "dlp-waits", usage, NULL, argc, argv);
	read_open(&w, &st);
	stage_anew(&st, NULL);
	return out_finish(stage_run(&st));
}
