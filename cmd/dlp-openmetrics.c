/*
 * dlp-openmetrics: the way out to Prometheus: a stream as metrics, a text
 * that a node exporter's textfile collector reads too.
 */
#include <stdio.h>

#include "cli.h"
#include "dlp-openmetrics/run.h"
#include "dlp-openmetrics/whole.h"
#include "err.h"
#include "out.h"
#include "shipped.h"

static const char usage[] =
    "usage: dlp-openmetrics [-hiluV] [-m TABLE] [-o OUT] [FILE]\n"
    "The stream as metrics for Prometheus, in the OpenMetrics text format.\n"
    "  -i, --iter        only what lies in iterations (dlp-iter)\n"
    "  -l, --list        print the table of metrics\n"
    "  -m, --metrics TABLE  a table of metrics in the place of this\n"
    "  -o, --output OUT  to this file, which is replaced as a whole\n"
    "  -u, --unbuffered  accepted, as by all filters\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

static const struct option longopts[] = { { "iter", no_argument, NULL, 'i' },
	{ "list", no_argument, NULL, 'l' },
	{ "metrics", required_argument, NULL, 'm' },
	{ "output", required_argument, NULL, 'o' }, CLI_LONGOPTS,
	{ NULL, 0, NULL, 0 } };

static bool unbuffered, iter_only, list;
static const char *table_path, *out_path;

static void
options(int argc, char **argv)
{
	int c;

	while ((c = getopt_long(
		    argc, argv, CLI_SHORTOPTS "ilm:o:", longopts, NULL)) != -1)
		switch (c) {
		case 'i':
			iter_only = true;
			break;
		case 'l':
			list = true;
			break;
		case 'm':
			table_path = optarg;
			break;
		case 'o':
			if (*optarg == '\0')
				die("-o: empty argument");
			out_path = optarg;
			break;
		default:
			cli_shared(c, usage, &unbuffered);
		}
}

int
main(int argc, char **argv)
{
	struct table table = { 0 };
	struct buf text = { 0 };
	struct stage st = { 0 };
	const char *path;
	int rc;

	cli_init("dlp-openmetrics");
	options(argc, argv);
	if (list) {
		out_open(false);
		buf_puts(&out_buf, shipped_text("metrics.tab"));
		return out_finish(EXIT_OK);
	}
	path = cli_operand(argc, argv, usage);
	table_read(&table, table_path);
	stage_open_sink(&st, path, unbuffered);
	rc = om_run(&st, &table, iter_only, &text);
	if (out_path == NULL)
		buf_put(&out_buf, text.s, text.len);
	else if (rc == EXIT_OK)
		whole_write(out_path, text.s, text.len);
	buf_free(&text);
	return out_finish(rc);
}
