/*
 * dlp-rate: adds rates to records that have work and time: kernels behind
 * dlp-flops, and the groups of dlp-agg. What the device could do comes from
 * gpus.tab or the user.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dlp-rate/gpus.h"
#include "dlp-rate/run.h"
#include "err.h"

static const char usage[] =
    "usage: dlp-rate [-u] [-T TYPES] [--peak DTYPE=TFLOPS,...]"
    " [--peak-bw GB/S] [FILE]\n"
    "\n"
    "Adds TFLOP/s, GB/s, arithmetic intensity, the share of the device's\n"
    "peak and the roofline's bound to records with FLOPs, bytes and a time.\n"
    "\n"
    "  -T, --type TYPES      record types, comma separated (default\n"
    "                        kern,agg)\n"
    "      --peak D=T,...    the device's peak for a type, in TFLOP/s\n"
    "      --peak-bw GB/S    the bandwidth of its memory\n"
    "  -u, --unbuffered      write each record at once\n"
    "  -h, --help            print this text\n"
    "  -V, --version         print the version\n";

enum { OPT_PEAK = 256, OPT_PEAK_BW };

static const struct option longopts[] = {
	CLI_LONGOPTS,
	{ "type", required_argument, NULL, 'T' },
	{ "peak", required_argument, NULL, OPT_PEAK },
	{ "peak-bw", required_argument, NULL, OPT_PEAK_BW },
	{ NULL, 0, NULL, 0 },
};

static bool unbuffered;
static const char *types = "kern,agg";

static void
option(int c)
{
	switch (c) {
	case 'T':
		types = optarg;
		break;
	case OPT_PEAK:
		gpus_peak(optarg);
		break;
	case OPT_PEAK_BW:
		gpus_peak_bw(optarg);
		break;
	default:
		cli_shared(c, usage, &unbuffered);
	}
}

int
main(int argc, char **argv)
{
	struct stage st;
	const char *path;
	char **v;
	int c, i, n, rc;

	cli_init("dlp-rate");
	while ((c = getopt_long(
		    argc, argv, CLI_SHORTOPTS "T:", longopts, NULL)) != -1)
		option(c);
	path = cli_operand(argc, argv, usage);
	v = cli_list(xstrdup(types), &n);
	for (i = 0; i < n; i++)
		if (v[i][0] == '\0' || strcmp(v[i], "dev") == 0)
			die("-T: no type to rate: '%s' in '%s'", v[i], types);
	gpus_open();
	stage_open(&st, argc, argv, path, unbuffered);
	rate_attach(&st, v, n);
	rc = stage_run(&st);
	rate_say();
	return out_finish(rc);
}
