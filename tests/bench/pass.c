/*
 * A filter that knows nothing: every line passes through the shared loop
 * untouched. It measures what reading and writing a stream costs alone.
 */
#include "cli.h"
#include "stage.h"

static const char usage[] = "usage: dlp-pass [-hVu] [file]\n";

int
main(int argc, char **argv)
{
	static const struct option longopts[] = {
		CLI_LONGOPTS,
		{ NULL, 0, NULL, 0 },
	};
	struct stage st;
	bool unbuffered = false;
	int c;

	cli_init("dlp-pass");
	while ((c = getopt_long(argc, argv, CLI_SHORTOPTS, longopts, NULL)) !=
	       -1) {
		switch (c) {
		case 'h':
			cli_help(usage);
		case 'V':
			cli_version();
		case 'u':
			unbuffered = true;
			break;
		default:
			cli_usage(usage);
		}
	}
	stage_open(&st, argc, argv, cli_operand(argc, argv, usage), unbuffered);
	return out_finish(stage_run(&st));
}
