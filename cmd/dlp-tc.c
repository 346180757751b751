/*
 * dlp-tc: which kernels use Tensor Cores. Kernel names in, one a line; out,
 * a line each: the name as it came, yes, no or unknown, and the rule that
 * decided. The rules are those of dlp-flops, tc.rules.
 */
#include <stdlib.h>

#include "cli.h"
#include "dlp-tc/names.h"
#include "out.h"

static const char usage[] =
    "usage: dlp-tc [-u] [--tc-rules FILE] [FILE]\n"
    "\n"
    "Tells of kernel names, one a line, whether such kernels use Tensor\n"
    "Cores: name, yes, no or unknown, and the rule that decided, separated\n"
    "by TABs.\n"
    "\n"
    "      --tc-rules FILE  rules in place of the shipped ones\n"
    "  -u, --unbuffered     write each line at once\n"
    "  -h, --help           print this text\n"
    "  -V, --version        print the version\n";

int
main(int argc, char **argv)
{
	static const char *file;
	static const struct cli_opt opts[] = {
		{ 0, "tc-rules", .arg = &file },
		{ 0 },
	};
	struct namerules rules;
	const char *path;
	bool unbuffered;

	cli_init("dlp-tc");
	unbuffered = cli_options(argc, argv, usage, opts);
	path = cli_operand(argc, argv, usage);
	judge_open(&rules, file, "tc.rules");
	out_open(unbuffered);
	names_judge(&rules, path);
	namerules_free(&rules);
	return out_finish(EXIT_SUCCESS);
}
