/*
 * dlp-stats: prints the summary tables of Nsight Systems' own "nsys stats" from
 * a dlp stream.
 */

#include "cli.h"
#include "dlp-stats/stats.h"
#include "err.h"

#define REPORTS_STANDARD                                                       \
	"nvtx_sum,osrt_sum,cuda_api_sum,cuda_gpu_kern_sum,"                    \
	"cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum"

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
	unbuffered = cli_options(argc, argv, opts);
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
	path = cli_operand(argc, argv);
	stage_open_sink(&st, path, unbuffered);
	st.result = true;
	if (!sink_open(&stats.sink, format, titles || stats.nreports > 1))
		die("-f: bad format '%s'; it is csv, tsv, json or column",
		    format);
	read_open(&stats, &st);
	rc = stage_run(&st);
	sink_close(&stats.sink);
	return out_finish(rc);
}
