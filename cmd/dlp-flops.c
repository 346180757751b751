/*
 * dlp-flops: adds to kernels what work they did. It reads op records (their
 * type, shapes and arguments), applies the rules of cmd/dlp-flops, and adds
 * to each kern record PyProf's params, FLOPs, bytes, number type, and Tensor
 * Core use by the kernel's name. Everything else passes through.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dlp-flops/flops.h"
#include "dlp-flops/operand.h"
#include "dlp-flops/rows.h"
#include "dlp-flops/tcrules.h"
#include "drop.h"

static const char usage[] =
    "usage: dlp-flops [-u] [-f RULES]... [--ranks N] [-S SIZE]\n"
    "                 [--tc-rules FILE] [--drop TYPE[:COLUMNS]]... [FILE]\n"
    "\n"
    "Adds FLOPs, bytes, number type and Tensor Core use to kernels.\n"
    "\n"
    "  -f, --rules RULES    FLOPs and bytes by these, before the shipped ones\n"
    "      --ranks N        GPUs of a collective, for its bus bandwidth\n"
    "      --tc-rules FILE  Tensor Core rules, in place of the shipped "
    "ones\n" DROP_USAGE SPILL_USAGE
    "  -u, --unbuffered     write each record at once\n"
    "  -h, --help           print this text\n"
    "  -V, --version        print the version\n";

static void
set_ranks(const char *arg)
{
	operand_ranks = cli_i64("--ranks", arg, 1, 1 << 24);
}

int
main(int argc, char **argv)
{
	static const char *tc_rules;
	static const struct cli_opt opts[] = {
		{ 'f', "rules", .call = rows_load },
		{ 0, "ranks", .call = set_ranks },
		SPILL_OPTION,
		{ 0, "tc-rules", .arg = &tc_rules },
		DROP_OPTION,
		{ 0 },
	};
	struct stage st;
	int rc;

	stage_start(&st, "dlp-flops", usage, opts, argc, argv);
	tc_open(tc_rules);
	flops_attach(&st);
	rc = stage_run(&st);
	flops_say();
	return out_finish(rc);
}
