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

static struct fmt fmt;
static bool pyprof;
static const char *dict_cols;

static const char *
dashes(const struct sink *s)
{
	return s == &sink_table ? "" : "--";
}

static void
set_sink(const struct sink *s)
{
	struct fmt *f = &fmt;

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

		free(f->names);
		f->names = cli_list(std ? PY_DEFAULT : all, &f->nnames);
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

/* All kernels, with columns of its own. */
static void
set_kernels(struct fmt *f, const char *cols)
{
	if (f->names != NULL)
		die("-c and --%s exclude each other", f->sink->name);
	f->want_type = "kern";
	free(f->names);
	f->names = cli_list(cols, &f->nnames);
}

static void
dict(const char *how)
{
	set_sink(&sink_dict);
	if (how != NULL && strcmp(how, "own") != 0)
		die("--dict: bad value '%s', it is own or none", how);
	dict_cols = how != NULL ? DICT_COLS DICT_OWN_COLS : DICT_COLS;
}

static void
columns(const char *arg)
{
	free(fmt.names);
	fmt.names = cli_list(arg, &fmt.nnames);
}

static void
quote(const char *arg)
{
	free(fmt.quotes);
	fmt.quotes = cli_list(arg, &fmt.nquotes);
}

static void
width(const char *arg)
{
	fmt.width = (int)cli_i64("-w", arg, 0, 100000);
	set_sink(&sink_table);
}

#define SINK(name)                                                             \
	static void name(void)                                                 \
	{                                                                      \
		set_sink(&sink_##name);                                        \
	}
SINK(csv)
SINK(tsv)
SINK(json)
SINK(jsonl)
SINK(xtab)
SINK(md)
SINK(dlprof)

static const struct cli_opt opts[] = {
	{ 'c', "columns", .call = columns },
	{ 'T', "type", .arg = &fmt.want_type },
	{ 'w', "width", .call = width },
	{ 'H', "human", .flag = &fmt.human },
	{ 0, "csv", .act = csv },
	{ 0, "tsv", .act = tsv },
	{ 0, "json", .act = json },
	{ 0, "jsonl", .act = jsonl },
	{ 0, "md", .act = md },
	{ 0, "xtab", .act = xtab },
	{ 0, "pyprof", .flag = &pyprof },
	{ 0, "dict", .call = dict, .optional = true },
	{ 0, "dlprof", .act = dlprof },
	{ 0, "title", .arg = &fmt.title },
	{ 0, "quote", .call = quote },
	{ 0, "guard", .flag = &fmt.guard },
	{ 0 },
};

/* What the options mean together. */
static void
settle(struct fmt *f)
{
	int i;

	if (pyprof)
		set_pyprof(f);
	if (f->sink == &sink_dict)
		set_kernels(f, dict_cols);
	if (f->sink == &sink_dlprof)
		set_kernels(f, DLPROF_COLS);
	for (i = 0; i < f->nnames; i++)
		if (f->names[i][0] == '\0')
			die("-c: empty column name");
}

int
main(int argc, char **argv)
{
	const char *path;
	bool unbuffered;

	cli_init("dlp-fmt");
	unbuffered = cli_options(argc, argv, usage, opts);
	settle(&fmt);
	path = cli_operand(argc, argv, usage);
	default_sink(&fmt);
	stage_open_sink(&fmt.st, path, unbuffered);
	return out_finish(fmt_run(&fmt));
}
