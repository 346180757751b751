/*
 * dlp-merge: joins parsed streams into one section, by time.
 */
#include <stdlib.h>

#include "cli.h"
#include "dlp-merge/run.h"
#include "err.h"
#include "natural.h"

static const char usage[] =
    "usage: dlp-merge [-ru] [file ...]\n"
    "Joins dlp streams into one section, in launch order; see dlp-merge(1).\n"
    "  -r, --ranks       each file is a rank: numbered in the natural order\n"
    "                    of the names, in a column rank, and the clocks\n"
    "                    aligned by collectives\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

static int
by_name(const void *va, const void *vb)
{
	char *const *a = va, *const *b = vb;

	return natural_cmp(*a, *b);
}

int
main(int argc, char **argv)
{
	static char dash[] = "-", *std[] = { dash };
	static bool ranks;
	static const struct cli_opt opts[] = { { 'r', "ranks", .flag = &ranks },
		{ 0 } };
	struct run run = { .argc = argc, .argv = argv };
	bool unbuffered;

	cli_init("dlp-merge");
	unbuffered = cli_options(argc, argv, usage, opts);
	run.ranks = ranks;
	run.n = argc - optind;
	run.paths = argv + optind;
	if (run.n <= 1)
		(void)cli_operand(argc, argv, usage);
	if (run.n == 0) {
		run.n = 1;
		run.paths = std;
	}
	if (ranks)
		qsort(run.paths, (size_t)run.n, sizeof(*run.paths), by_name);
	out_open(unbuffered);
	return out_finish(run_merge(&run));
}
