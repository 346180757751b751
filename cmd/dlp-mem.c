/*
 * dlp-mem: the memory in use, its peak, and what was in use then.
 */
#include "cli.h"
#include "dlp-mem/mem.h"
#include "dlp-mem/read.h"

static const char usage[] =
    "usage: dlp-mem [-u] [file]\n"
    "Adds to a dlp stream the memory in use and its peak.\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "mem_free_unknown",
		"mem_allocated_twice", NULL };
	static struct mem m;
	struct stage st;

	stage_start(&st, "dlp-mem", usage, NULL, argc, argv);
	read_open(&m, &st);
	stage_anew(&st, notes);
	return out_finish(stage_run(&st));
}
