/*
 * dlp-folded: the way out to flame graphs: stacks of frames with a weight,
 * one per line, as flamegraph.pl, speedscope and others read them.
 */
#include "cli.h"
#include "dlp-folded/run.h"
#include "err.h"
#include "out.h"

static const char usage[] =
    "usage: dlp-folded [-hiuV] [-f FRAMES] [-T TYPES] [-v VALUE] [FILE]\n"
    "Folded stacks for flame graphs: frames joined by ;, a blank, a weight.\n"
    "  -f, --frames FRAMES  columns, outermost first (layer,op,work); work is\n"
    "                       the kernel or what else it is\n"
    "  -T, --type TYPES     record types (kern,copy,set,graph)\n"
    "  -v, --value VALUE    the weight: a column, or count (dur_ns)\n"
    "  -i, --iter           only what lies in iterations (dlp-iter)\n"
    "  -u, --unbuffered     accepted, as by all filters\n"
    "  -h, --help           print this and exit\n"
    "  -V, --version        print the version and exit\n";

static char **
list(const char *opt, const char *arg, int *n)
{
	char **v = cli_list(arg, n);
	int i;

	for (i = 0; i < *n; i++)
		if (v[i][0] == '\0')
			die("%s: empty name", opt);
	return v;
}

int
main(int argc, char **argv)
{
	static struct folded f = { .value = "dur_ns" };
	static const char *types = "kern,copy,set,graph",
			  *frames = "layer,op,work";
	static const struct cli_opt opts[] = {
		{ 'f', "frames", .arg = &frames },
		{ 'i', "iter", .flag = &f.iter_only },
		{ 'T', "type", .arg = &types },
		{ 'v', "value", .arg = &f.value },
		{ 0 },
	};
	struct stage st;

	stage_start_sink(&st, "dlp-folded", usage, opts, argc, argv);
	f.frames = list("-f", frames, &f.nframes);
	f.types = list("-T", types, &f.ntypes);
	return out_finish(folded_run(&st, &f));
}
