/*
 * dlp-correlate: ties GPU work and API calls to the ops of the framework that
 * launched them. It reads the records of dlp-parse, writes records of ops and
 * of their runs, and adds the op, direction, layer and phase to each record of
 * work.
 */
#include <string.h>

#include "cli.h"
#include "dlp-correlate/corr.h"
#include "drop.h"
#include "stage.h"

static const char usage[] =
    "usage: dlp-correlate [-DhnqruV] [--domain NAME] [--mode MODE] [-S SIZE]\n"
    "                     [--drop TYPE[:COLUMNS]]... [file]\n"
    "Ties GPU work and API calls to framework ops: adds op and inst records,\n"
    "and to each record of work its op, direction, layer and phase.\n"
    "  -D, --dlprof      make ops as DLProf does\n"
    "      --domain NAME only ranges of this NVTX domain make ops and layers\n"
    "      --mode MODE   the framework: pytorch, tensorflow1, ...\n"
    "  -n, --nested      add a nest record for each range inside an op\n"
    "  -q, --quiet       do not say how much of the GPU's time has an op\n"
    "  -r, --ranges      pass on all ranges, and project them onto the "
    "GPU\n" DROP_USAGE SPILL_USAGE
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this text\n"
    "  -V, --version     print the version\n";

int
main(int argc, char **argv)
{
	struct corr corr = { 0 };
	const struct cli_opt opts[] = {
		{ 'D', "dlprof", .flag = &corr.dlprof },
		{ 0, "domain", .arg = &corr.domain },
		{ 0, "mode", .arg = &corr.mode.given_word },
		{ 'n', "nested", .flag = &corr.nested },
		{ 'q', "quiet", .flag = &corr.quiet },
		{ 'r', "ranges", .flag = &corr.all_ranges },
		DROP_OPTION,
		SPILL_OPTION,
		{ 0 },
	};
	struct stage st;

	stage_start(&st, "dlp-correlate", usage, opts, argc, argv);
	/* DLProf's word for the domain that has no name */
	if (corr.domain != NULL && strcmp(corr.domain, "default-domain") == 0)
		corr.domain = "";
	return out_finish(corr_run(&corr, &st));
}
