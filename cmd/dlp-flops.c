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

static const char usage[] =
    "usage: dlp-flops [-u] [-f RULES]... [--ranks N] [--tc-rules FILE] [FILE]\n"
    "\n"
    "Adds FLOPs, bytes, number type and Tensor Core use to kernels.\n"
    "\n"
    "  -f, --rules RULES    FLOPs and bytes by these, before the shipped ones\n"
    "      --ranks N        GPUs of a collective, for its bus bandwidth\n"
    "      --tc-rules FILE  Tensor Core rules, in place of the shipped ones\n"
    "  -u, --unbuffered     write each record at once\n"
    "  -h, --help           print this text\n"
    "  -V, --version        print the version\n";

enum { OPT_RANKS = 512, OPT_TC_RULES = 256 };

int
main(int argc, char **argv)
{
	static const struct option longopts[] = { CLI_LONGOPTS,
		{ "ranks", required_argument, NULL, OPT_RANKS },
		{ "rules", required_argument, NULL, 'f' },
		{ "tc-rules", required_argument, NULL, OPT_TC_RULES },
		{ NULL, 0, NULL, 0 } };
	struct stage st;
	bool unbuffered = false;
	const char *path, *tc_rules = NULL;
	int c, rc;

	cli_init("dlp-flops");
	while ((c = getopt_long(
		    argc, argv, CLI_SHORTOPTS "f:", longopts, NULL)) != -1)
		if (c == OPT_TC_RULES)
			tc_rules = optarg;
		else if (c == OPT_RANKS)
			operand_ranks = cli_i64("--ranks", optarg, 1, 1 << 24);
		else if (c == 'f')
			rows_load(optarg);
		else
			cli_shared(c, usage, &unbuffered);
	path = cli_operand(argc, argv, usage);
	tc_open(tc_rules);
	stage_open(&st, argc, argv, path, unbuffered);
	flops_attach(&st);
	rc = stage_run(&st);
	flops_say();
	return out_finish(rc);
}
