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

int
main(int argc, char **argv)
{
	static bool iter_only, list;
	static const char *table_path, *out_path;
	static const struct cli_opt opts[] = {
		{ 'i', "iter", .flag = &iter_only },
		{ 'l', "list", .flag = &list },
		{ 'm', "metrics", .arg = &table_path },
		{ 'o', "output", .arg = &out_path },
		{ 0 },
	};
	struct table table = { 0 };
	struct buf text = { 0 };
	struct stage st = { 0 };
	const char *path;
	bool unbuffered;
	int rc;

	cli_init("dlp-openmetrics");
	unbuffered = cli_options(argc, argv, usage, opts);
	if (out_path != NULL && *out_path == '\0')
		die("-o: empty argument");
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
