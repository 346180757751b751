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

int
main(int argc, char **argv)
{
	struct stage st;

	stage_start(&st, "dlp-tree", usage, NULL, argc, argv);
	return out_finish(tree_run(&st));
}
