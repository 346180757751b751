/*
 * dlp-gaps: the times at which a GPU idles between two pieces of work, and
 * what the thread did that launched the second one.
 */
#include "cli.h"
#include "drop.h"
#include "err.h"
#include "dlp-gaps/gaps.h"
#include "dlp-gaps/read.h"

static const char usage[] =
    "usage: dlp-gaps [-u] [-T types] [--drop TYPE[:COLUMNS]]... [file]\n"
    "Adds to a dlp stream the times at which a GPU idles, and why.\n"
    "  -T, --type types  what counts as work: default "
    "kern,copy,set,graph\n" DROP_USAGE
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "gaps_started_early",
		"gaps_past_forgotten", NULL };
	static struct gaps g;
	static const char *types = "kern,copy,set,graph";
	static const struct cli_opt opts[] = {
		{ 'T', "type", .arg = &types },
		DROP_OPTION,
		{ 0 },
	};
	struct stage st;

	stage_start(&st, "dlp-gaps", usage, opts, argc, argv);
	read_open(&g, &st, types);
	stage_anew(&st, notes);
	return out_finish(stage_run(&st));
}
