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

static const struct option longopts[] = { { "frames", required_argument, NULL,
					      'f' },
	{ "iter", no_argument, NULL, 'i' },
	{ "type", required_argument, NULL, 'T' },
	{ "value", required_argument, NULL, 'v' }, CLI_LONGOPTS,
	{ NULL, 0, NULL, 0 } };

static char std_types[] = "kern,copy,set,graph", std_frames[] = "layer,op,work";
static bool unbuffered;

static char **
list(const char *opt, char *arg, int *n)
{
	char **v = cli_list(arg, n);
	int i;

	for (i = 0; i < *n; i++)
		if (v[i][0] == '\0')
			die("%s: empty name", opt);
	return v;
}

static void
options(struct folded *f, int argc, char **argv)
{
	char *frames = std_frames, *types = std_types;
	int c;

	f->value = "dur_ns";
	while ((c = getopt_long(
		    argc, argv, CLI_SHORTOPTS "f:iT:v:", longopts, NULL)) != -1)
		switch (c) {
		case 'f':
			frames = optarg;
			break;
		case 'i':
			f->iter_only = true;
			break;
		case 'T':
			types = optarg;
			break;
		case 'v':
			f->value = optarg;
			break;
		default:
			cli_shared(c, usage, &unbuffered);
		}
	f->frames = list("-f", frames, &f->nframes);
	f->types = list("-T", types, &f->ntypes);
}

int
main(int argc, char **argv)
{
	struct folded f = { 0 };
	struct stage st = { 0 };
	const char *path;

	cli_init("dlp-folded");
	options(&f, argc, argv);
	path = cli_operand(argc, argv, usage);
	stage_open_sink(&st, path, unbuffered);
	return out_finish(folded_run(&st, &f));
}
