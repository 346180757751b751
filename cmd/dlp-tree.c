/*
 * dlp-tree: passes a stream on and adds the tree of its ops' names: group
 * records, one per path, rolled up from all that is below it.
 */
#include "cli.h"
#include "dlp-tree/run.h"

static const char usage[] =
    "usage: dlp-tree [-u] [FILE]\n"
    "\n"
    "Adds the tree of layers: a group record per path that op names begin\n"
    "with, and one for the whole model.\n"
    "\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        this text\n"
    "  -V, --version     the version\n";

static const struct option longopts[] = {
	CLI_LONGOPTS,
	{ NULL, 0, NULL, 0 },
};

int
main(int argc, char **argv)
{
	bool unbuffered = false;
	struct stage st;
	const char *path;
	int c;

	cli_init("dlp-tree");
	while (
	    (c = getopt_long(argc, argv, CLI_SHORTOPTS, longopts, NULL)) != -1)
		cli_shared(c, usage, &unbuffered);
	path = cli_operand(argc, argv, usage);
	stage_open(&st, argc, argv, path, unbuffered);
	return out_finish(tree_run(&st));
}
