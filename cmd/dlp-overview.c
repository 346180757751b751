/*
 * dlp-overview: a profile in one record, or on one screen with what to do
 * next. The numbers come from the commands before; "dlp overview -h" has the
 * pipeline.
 */
#include <string.h>

#include "cli.h"
#include "dlp-overview/overview.h"
#include "err.h"

static const char usage[] =
    "usage: dlp-overview [-suv] [-n NAME] [-w COLUMNS] [-k KEY] [-i N] [FILE]\n"
    "Sums up a profile in one record, on one screen, or as one JSON object.\n"
    "  -s, --screen      write the screen for people\n"
    "  -v, --verbose     write all that is known, not 30 lines\n"
    "      --color       write bold text and colors\n"
    "      --json        write all that the screen says as a JSON object\n"
    "  -n, --name NAME   name of the profile; - is standard input (default:\n"
    "                    from the stream)\n"
    "  -w, --width COLUMNS  width of the screen (80)\n"
    "  -k, --key KEY     -k of the report; proposed commands have it too\n"
    "  -i, --iters N     -i of the report; it chose the steps\n"
    "      --failed WHY  read nothing, and write the record of a profile that\n"
    "                    could not be analyzed\n"
    "  -u, --unbuffered  accepted, as by all filters\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

static struct {
	const char *name, *width, *key, *iters, *failed;
	bool screen, verbose, color, json;
} arg;

/* The profile could not be analysed. */
static int
write_failed(int argc, char **argv)
{
	if (argc > optind)
		cli_usage(usage);
	if (arg.name == NULL)
		die("--failed: which profile? -n names it");
	out_open(false);
	if (arg.json) {
		overview_json_failed(arg.name, arg.failed);
		return out_finish(EXIT_OK);
	}
	stage_begin_section(argc, argv);
	overview_row_failed(arg.name, *arg.failed != '\0' ? arg.failed : NULL);
	stage_end_section();
	return out_finish(EXIT_OK);
}

static void
write_overview(
    struct overview *o, struct overview_how *how, int argc, char **argv)
{
	overview_total(o);
	o->file = o->cmd_file;
	if (arg.name != NULL)
		o->file = how->piped ? "standard input" : arg.name;
	if (o->file == NULL)
		o->file = "";
	if (arg.screen || arg.json) {
		overview_screen(o, how);
		return;
	}
	stage_begin_section(argc, argv);
	overview_row(o);
	stage_end_section();
}

int
main(int argc, char **argv)
{
	static const struct cli_opt opts[] = {
		{ 's', "screen", .flag = &arg.screen },
		{ 'v', "verbose", .flag = &arg.verbose },
		{ 0, "color", .flag = &arg.color },
		{ 0, "json", .flag = &arg.json },
		{ 'n', "name", .arg = &arg.name },
		{ 'w', "width", .arg = &arg.width },
		{ 'k', "key", .arg = &arg.key },
		{ 'i', "iters", .arg = &arg.iters },
		{ 0, "failed", .arg = &arg.failed },
		{ 0 },
	};
	static struct overview o;
	struct overview_how how = { .width = 80 };
	struct stage st;
	bool unbuffered;
	int rc;

	cli_init("dlp-overview");
	unbuffered = cli_options(argc, argv, usage, opts);
	if (arg.width != NULL)
		how.width = (int)cli_i64("-w", arg.width, 1, 1000000000);
	how.key = arg.key;
	how.iters = arg.iters;
	how.verbose = arg.verbose;
	how.color = arg.color;
	how.json = arg.json;
	how.piped = arg.name != NULL && strcmp(arg.name, "-") == 0;
	if (arg.failed != NULL)
		return write_failed(argc, argv);
	stage_open_sink(&st, cli_operand(argc, argv, usage), unbuffered);
	st.result = true;
	overview_read(&o, &st);
	rc = stage_run(&st);
	if (o.ended)
		write_overview(&o, &how, argc, argv);
	overview_free(&o);
	return out_finish(rc);
}
