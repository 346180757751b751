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

int
main(int argc, char **argv)
{
	static const char *types = "kern,agg";
	static const struct cli_opt opts[] = {
		{ 'T', "type", .arg = &types },
		{ 0, "peak", .call = gpus_peak },
		{ 0, "peak-bw", .call = gpus_peak_bw },
		{ 0 },
	};
	struct stage st;
	char **v;
	int i, n, rc;

	stage_start(&st, "dlp-rate", usage, opts, argc, argv);
	v = cli_list(types, &n);
	for (i = 0; i < n; i++)
		if (v[i][0] == '\0' || strcmp(v[i], "dev") == 0)
			die("-T: no type to rate: '%s' in '%s'", v[i], types);
	gpus_open();
	rate_attach(&st, v, n);
	rc = stage_run(&st);
	rate_say();
	free(v);
	return out_finish(rc);
}
