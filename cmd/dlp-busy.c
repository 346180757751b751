/*
 * dlp-busy: where the time of each iteration goes on each device: kernels,
 * copies, data loading, I/O, the CPU, and the rest.
 */
#include "cli.h"
#include "dlp-busy/busy.h"
#include "dlp-busy/read.h"

static const char usage[] =
    "usage: dlp-busy [-Du] [file]\n"
    "Adds to a dlp stream where the time of each iteration goes on each\n"
    "device.\n"
    "  -D, --dlprof      as DLProf does: from time 0, and of the operating\n"
    "                    system only fread and fwrite\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "busy_without_tc", "busy_late_ns",
		NULL };
	static struct busy b;
	static const struct cli_opt opts[] = {
		{ 'D', "dlprof", .flag = &b.dlprof },
		{ 0 },
	};
	struct stage st;

	stage_start(&st, "dlp-busy", usage, opts, argc, argv);
	read_open(&b, &st);
	stage_anew(&st, notes);
	return out_finish(stage_run(&st));
}
