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

static const struct option longopts[] = { { "dlprof", no_argument, NULL, 'D' },
	CLI_LONGOPTS, { NULL, 0, NULL, 0 } };

int
main(int argc, char **argv)
{
	static struct busy b;
	struct stage st;
	bool unbuffered = false;
	int ch;

	cli_init("dlp-busy");
	while ((ch = getopt_long(
		    argc, argv, "D" CLI_SHORTOPTS, longopts, NULL)) != -1)
		if (ch == 'D')
			b.dlprof = true;
		else
			cli_shared(ch, usage, &unbuffered);
	stage_open(&st, argc, argv, cli_operand(argc, argv, usage), unbuffered);
	read_open(&b, &st);
	return out_finish(stage_run(&st));
}
