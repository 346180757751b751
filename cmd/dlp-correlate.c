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

int
main(int argc, char **argv)
{
	static struct corr corr;
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

	stage_start(&st, "dlp-correlate", opts, argc, argv);
	/* DLProf's word for the domain that has no name */
	if (corr.domain != NULL && strcmp(corr.domain, "default-domain") == 0)
		corr.domain = "";
	return out_finish(corr_run(&corr, &st));
}
