/*
 * dlp-stats: prints the summary tables of Nsight Systems' own "nsys stats" from
 * a dlp stream.
 */
#include <stdlib.h>

#include "cli.h"
#include "dlp-stats/stats.h"
#include "err.h"

static const char usage[] =
    "usage: dlp-stats [-tu] [-r REPORT[:nvtx-name][:base|:mangled],...]\n"
    "                 [-f FORMAT] [-S SIZE] [file]\n"
    "Prints the tables of nsys stats out of a dlp stream.\n"
    "  -r, --report LIST  the reports, comma separated; help lists them;\n"
    "                     without: those that nsys stats prints\n"
    "  -f, --format NAME  csv, tsv, json or column (default)\n"
    "  -t, --titles       json: name each table's report and file, as it is\n"
    "                     where there are several reports\n"
    "  -S, --memory SIZE  of each table, such as 64M (48M); files in TMPDIR\n"
    "                     have the rest\n"
    "  -l, --list         list the reports\n"
    "  --needs            print the record types that the reports are made\n"
    "                     of, for dlp-parse -T\n"
    "  -u, --unbuffered   write at once\n"
    "  -h, --help         print this and exit\n"
    "  -V, --version      print the version and exit\n";

/* One per process, because the functions that get options have no other way to
 * it. */
static struct stats stats;

static void
ask(const char *arg)
{
	stats.list |= !reports_ask(&stats, arg);
}

static void
memory(const char *arg)
{
	groups_memory = cli_size("-S", arg);
}

static const char *format = "column";
static bool titles, needs;

int
main(int argc, char **argv)
{
	static const struct cli_opt opts[] = {
		{ 'r', "report", .call = ask },
		{ 'f', "format", .arg = &format },
		{ 't', "titles", .flag = &titles },
		{ 'S', "memory", .call = memory },
		{ 'l', "list", .flag = &stats.list },
		{ 0, "needs", .flag = &needs },
		{ 0 },
	};
	const char *path;
	struct stage st;
	bool unbuffered;
	int rc;

	cli_init("dlp-stats");
	unbuffered = cli_options(argc, argv, usage, opts);
	if (stats.list) {
		out_open(false);
		reports_list();
		return out_finish(0);
	}
	if (stats.nreports == 0)
		(void)reports_ask(&stats, REPORTS_STANDARD);
	if (needs) {
		out_open(false);
		reports_types(&stats);
		return out_finish(0);
	}
	path = cli_operand(argc, argv, usage);
	stage_open_sink(&st, path, unbuffered);
	if (!sink_open(&stats.sink, format, titles || stats.nreports > 1))
		die("-f: bad format '%s'; it is csv, tsv, json or column",
		    format);
	read_open(&stats, &st);
	rc = stage_run(&st);
	sink_close(&stats.sink);
	return out_finish(rc);
}
