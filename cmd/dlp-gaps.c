/*
 * dlp-gaps: the times at which a GPU idles between two pieces of work, and
 * what the thread did that launched the second one.
 */
#include "cli.h"
#include "dlp-gaps/gaps.h"
#include "dlp-gaps/read.h"

static const char usage[] =
    "usage: dlp-gaps [-u] [-T types] [file]\n"
    "Adds to a dlp stream the times at which a GPU idles, and why.\n"
    "  -T, --type types  what counts as work: default kern,copy,set,graph\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

static const struct option longopts[] = { { "type", required_argument, NULL,
					      'T' },
	CLI_LONGOPTS, { NULL, 0, NULL, 0 } };

int
main(int argc, char **argv)
{
	static struct gaps g;
	static char all[] = "kern,copy,set,graph";
	char *types = all;
	struct stage st;
	bool unbuffered = false;
	int ch;

	cli_init("dlp-gaps");
	while ((ch = getopt_long(
		    argc, argv, "T:" CLI_SHORTOPTS, longopts, NULL)) != -1)
		if (ch == 'T')
			types = optarg;
		else
			cli_shared(ch, usage, &unbuffered);
	stage_open(&st, argc, argv, cli_operand(argc, argv, usage), unbuffered);
	read_open(&g, &st, types);
	return out_finish(stage_run(&st));
}
