/*
 * dlp-overview: a profile in one record, or on one screen with what to do
 * next. The numbers come from the commands before; "dlp overview -h" has the
 * pipeline.
 */
#include <string.h>

#include "cli.h"
#include "dlp-overview/overview.h"
#include "err.h"

static struct {
	const char *name, *width, *key, *iters, *failed;
	bool screen, verbose, color, json;
} arg;

/* The profile could not be analysed. */
static int
write_failed(int argc, char **argv)
{
	if (argc > optind)
		cli_usage();
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
	unbuffered = cli_options(argc, argv, opts);
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
	stage_open_sink(&st, cli_operand(argc, argv), unbuffered);
	st.result = true;
	overview_read(&o, &st);
	rc = stage_run(&st);
	if (o.ended)
		write_overview(&o, &how, argc, argv);
	overview_free(&o);
	return out_finish(rc);
}
