/*
 * dlp-fmt: the way out of the record format: one record type as a table,
 * CSV, TSV, JSON, JSON Lines, or as PyProf printed it.
 */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"
#include "dlp-fmt/pycols.h"
#include "dlp-fmt/run.h"
#include "dlp-fmt/sink_dict.h"
#include "dlp-fmt/sink_dlprof.h"
#include "err.h"
#include "num.h"

static const char usage[] =
    "usage: dlp-fmt [-Hu] [--csv | --json | --jsonl | --md | --tsv | --xtab |"
    " -w WIDTH] [-c COLUMNS] [-T TYPE] [FILE]\n"
    "\n"
    "Prints the records of one type. A table on a terminal, TSV elsewhere.\n"
    "\n"
    "  -c, --columns COLUMNS  these columns, comma separated; op.COL is the\n"
    "                         column of the op that the record belongs to\n"
    "  -T, --type TYPE        this record type (default: agg or kern,\n"
    "                         whichever is there, or the type that has all\n"
    "                         columns of -c)\n"
    "  -w, --width WIDTH      a table of that width; 0: as wide as it is\n"
    "  -H, --human            in a table, numbers with a unit in ms, MB, ...\n"
    "      --csv              comma separated, RFC 4180\n"
    "      --tsv              tab separated\n"
    "      --json             one JSON array\n"
    "      --jsonl            one JSON object per line\n"
    "      --md               a table in Markdown\n"
    "      --xtab             a line per value, a paragraph per row\n"
    "      --pyprof           PyProf's columns, names and words; with --csv\n"
    "                         or -w its CSV and its columns\n"
    "      --dict, --dict=own PyProf's .dict, of kernels with markers; own:\n"
    "                         with our keys too (dlp-markers -a)\n"
    "      --dlprof           DLProf's Iteration Report, of kernels\n"
    "      --title TEXT       a line before the CSV, a name for the JSON\n"
    "      --quote COLUMNS    these are always quoted, others only where they\n"
    "                         must be; unset is empty in CSV\n"
    "      --guard            in CSV, a ' before text that a spreadsheet "
    "would\n"
    "                         take for a formula\n"
    "  -u, --unbuffered       write each row at once\n"
    "  -h, --help             this text\n"
    "  -V, --version          the version\n";

enum {
	OPT_CSV = 256,
	OPT_TSV,
	OPT_JSON,
	OPT_JSONL,
	OPT_XTAB,
	OPT_MD,
	OPT_PYPROF,
	OPT_DICT,
	OPT_DLPROF,
	OPT_TITLE,
	OPT_QUOTE,
	OPT_GUARD
};

static const struct option longopts[] = {
	CLI_LONGOPTS,
	{ "columns", required_argument, NULL, 'c' },
	{ "type", required_argument, NULL, 'T' },
	{ "human", no_argument, NULL, 'H' },
	{ "width", required_argument, NULL, 'w' },
	{ "csv", no_argument, NULL, OPT_CSV },
	{ "tsv", no_argument, NULL, OPT_TSV },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "jsonl", no_argument, NULL, OPT_JSONL },
	{ "xtab", no_argument, NULL, OPT_XTAB },
	{ "md", no_argument, NULL, OPT_MD },
	{ "pyprof", no_argument, NULL, OPT_PYPROF },
	{ "dict", optional_argument, NULL, OPT_DICT },
	{ "dlprof", no_argument, NULL, OPT_DLPROF },
	{ "title", required_argument, NULL, OPT_TITLE },
	{ "quote", required_argument, NULL, OPT_QUOTE },
	{ "guard", no_argument, NULL, OPT_GUARD },
	{ NULL, 0, NULL, 0 },
};

static const struct sink *const sinks[] = { &sink_csv, &sink_tsv, &sink_json,
	&sink_jsonl, &sink_xtab, &sink_md };

static bool unbuffered;

static const char *
dashes(const struct sink *s)
{
	return s == &sink_table ? "" : "--";
}

static void
set_sink(struct fmt *f, const struct sink *s)
{
	if (f->sink != NULL && f->sink != s)
		die("%s%s and %s%s exclude each other", dashes(s), s->name,
		    dashes(f->sink), f->sink->name);
	f->sink = s;
}

static int
terminal_width(void)
{
	const char *s = getenv("COLUMNS");
	struct winsize ws;
	int64_t v;

	if (s != NULL && num_i64(s, strlen(s), &v) && v > 0 && v < 100000)
		return (int)v;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
		return ws.ws_col;
	return 80;
}

/* Without an option: a table on a terminal, else TSV. */
static void
default_sink(struct fmt *f)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
	bool tty = isatty(STDOUT_FILENO);

	if (f->sink == NULL) {
		f->sink = tty ? &sink_table : &sink_tsv;
		f->width = tty ? terminal_width() : 0;
	}
	if (f->sink == &sink_xtab && tty)
		f->width = terminal_width();
	f->bold = tty && (no == NULL || *no == '\0') && term != NULL &&
		  strcmp(term, "dumb") != 0;
}

static void
check_pyprof(struct fmt *f)
{
	static char all[256];
	const struct pycol *p;
	int i;

	for (p = pycols; p->option != NULL; p++) {
		strcat(all, p == pycols ? "" : ",");
		strcat(all, p->option);
	}
	if (f->names == NULL || strcmp(f->names[0], "all") == 0) {
		bool std = f->names == NULL;

		f->names =
		    cli_list(xstrdup(std ? PY_DEFAULT : all), &f->nnames);
	}
	for (i = 0; i < f->nnames; i++) {
		for (p = pycols; p->option != NULL; p++)
			if (strcmp(p->option, f->names[i]) == 0)
				break;
		if (p->option == NULL)
			die("-c: '%s' is no column; there are %s", f->names[i],
			    all);
	}
}

/* PyProf's output takes the other forms' options its own way. */
static void
set_pyprof(struct fmt *f)
{
	if (f->sink != NULL && f->sink != &sink_csv && f->sink != &sink_table)
		die("--pyprof and --%s exclude each other", f->sink->name);
	if (f->sink == &sink_table && f->width == 0)
		die("-w: bad number '0'");
	f->py_csv = f->sink == &sink_csv;
	f->sink = &sink_pyprof;
	check_pyprof(f);
}

static const char *dict_cols;

/* All kernels, with columns of its own. */
static void
set_kernels(struct fmt *f, const char *cols)
{
	if (f->names != NULL)
		die("-c and --%s exclude each other", f->sink->name);
	f->want_type = "kern";
	f->names = cli_list(xstrdup(cols), &f->nnames);
}

static void
set_dict(struct fmt *f, const char *how)
{
	set_sink(f, &sink_dict);
	if (how != NULL && strcmp(how, "own") != 0)
		die("--dict: bad value '%s', it is own or none", how);
	dict_cols = how != NULL ? DICT_COLS DICT_OWN_COLS : DICT_COLS;
}

static const char *
options(struct fmt *f, int argc, char **argv)
{
	bool pyprof = false;
	int c, i;

	while ((c = getopt_long(argc, argv, CLI_SHORTOPTS "c:HT:w:", longopts,
		    NULL)) != -1) {
		switch (c) {
		case 'c':
			f->names = cli_list(optarg, &f->nnames);
			break;
		case 'H':
			f->human = true;
			break;
		case 'T':
			f->want_type = optarg;
			break;
		case 'w':
			f->width = (int)cli_i64("-w", optarg, 0, 100000);
			set_sink(f, &sink_table);
			break;
		case OPT_PYPROF:
			pyprof = true;
			break;
		case OPT_DICT:
			set_dict(f, optarg);
			break;
		case OPT_DLPROF:
			set_sink(f, &sink_dlprof);
			break;
		case OPT_TITLE:
			f->title = optarg;
			break;
		case OPT_GUARD:
			f->guard = true;
			break;
		case OPT_QUOTE:
			f->quotes = cli_list(xstrdup(optarg), &f->nquotes);
			break;
		default:
			if (c >= OPT_CSV && c < OPT_PYPROF)
				set_sink(f, sinks[c - OPT_CSV]);
			else
				cli_shared(c, usage, &unbuffered);
		}
	}
	if (pyprof)
		set_pyprof(f);
	if (f->sink == &sink_dict)
		set_kernels(f, dict_cols);
	if (f->sink == &sink_dlprof)
		set_kernels(f, DLPROF_COLS);
	for (i = 0; i < f->nnames; i++)
		if (f->names[i][0] == '\0')
			die("-c: empty column name");
	return cli_operand(argc, argv, usage);
}

int
main(int argc, char **argv)
{
	static struct fmt f;
	const char *path;

	cli_init("dlp-fmt");
	path = options(&f, argc, argv);
	default_sink(&f);
	stage_open_sink(&f.st, path, unbuffered);
	return out_finish(fmt_run(&f));
}
