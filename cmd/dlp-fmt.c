/*
 * dlp-fmt: prints one record type as a table, CSV, TSV, JSON, JSON Lines, or as
 * PyProf printed it.
 */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"
#include "dlp-fmt/fmt.h"
#include "err.h"
#include "num.h"

static const char usage[] =
    "usage: dlp-fmt [-Hu] [--csv | --json | --jsonl | --md | --tsv | --xtab |\n"
    "               -w WIDTH | -f FORMAT] [-c COLUMNS] [-T TYPE] [FILE]\n"
    "       dlp-fmt --sqlite DATABASE [-T TYPES] [FILE]\n"
    "\n"
    "Prints the records of one type: as a table on a terminal, as TSV\n"
    "elsewhere.\n"
    "\n"
    "  -c, --columns COLUMNS  print these columns, comma separated; op.COL is\n"
    "                         the column COL of the record's op\n"
    "  -f, --format FORMAT    print each record so: %COLUMN is a value,\n"
    "                         \\t a TAB, \\n a line end\n"
    "  -T, --type TYPE        print this record type (default: agg or kern,\n"
    "                         whichever comes first, or a type that has all\n"
    "                         columns of -c)\n"
    "  -w, --width WIDTH      print a table of this width; 0: no limit\n"
    "  -H, --human            in a table, write times, bytes and FLOPs in a\n"
    "                         unit that fits (ms, MB, ...)\n"
    "      --csv              comma separated values, RFC 4180\n"
    "      --tsv              tab separated values\n"
    "      --json             one JSON array\n"
    "      --jsonl            one JSON object per line\n"
    "      --md               a table in Markdown\n"
    "      --xtab             one line per value, one paragraph per row\n"
    "      --pyprof           use PyProf's columns, headers and words; with\n"
    "                         --csv or -w write PyProf's CSV or columns\n"
    "      --dict, --dict=own PyProf's .dict, of kernels with markers; own:\n"
    "                         add our own keys (needs dlp-markers -a)\n"
    "      --dlprof           DLProf's Iteration Report, of kernels\n"
    "      --title TEXT       a line before the CSV, a name for the JSON "
    "array\n"
    "      --quote COLUMNS    always quote these columns, others only where\n"
    "                         CSV requires it; unset values are empty\n"
    "      --null TEXT        in CSV, TSV and -f, write TEXT for unset values\n"
    "      --sqlite DATABASE  write all records, or those of -T, to a "
    "database\n"
    "                         of SQLite, a table for each type\n"
    "      --sql NAME         then make the tables of NAME.sql: run\n"
    "      --guard            in CSV, put a ' before text that a spreadsheet\n"
    "                         would take for a formula\n"
    "      --spark COLUMN     on a terminal, draw this column as a line of "
    "bars\n"
    "                         below the table\n"
    "      --ascii            draw it with ASCII only\n"
    "  -u, --unbuffered       write each row at once\n"
    "  -h, --help             print this text\n"
    "  -V, --version          print the version\n";

/* One per process, because the functions that get options have no other way to
 * it. */
static struct fmt fmt;

static void
set_sink(const struct sink *s)
{
	struct fmt *f = &fmt;

	if (f->sink != NULL && f->sink != s)
		die("%s and %s exclude each other", s->option, f->sink->option);
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

/* Without an option: a table on a terminal, otherwise TSV. */
static void
default_sink(struct fmt *f)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
	bool tty = isatty(STDOUT_FILENO);

	if (f->sink == NULL) {
		f->sink = tty ? &sink_table : &sink_tsv;
		f->width = tty ? terminal_width() : 0;
	}
	if (f->sink->wraps && tty)
		f->width = terminal_width();
	if (!tty || f->sink != &sink_table)
		f->spark = NULL;
	f->bold = tty && (no == NULL || *no == '\0') && term != NULL &&
		  strcmp(term, "dumb") != 0;
}

static void
dict(const char *how)
{
	set_sink(&sink_dict);
	if (how != NULL && strcmp(how, "own") != 0)
		die("--dict: bad value '%s', it is own or none", how);
	fmt.more = how != NULL;
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

static bool pyprof; /* --pyprof, which may be combined with --csv and -w */

static const char *sqlite, *sql;

static void
format(const char *arg)
{
	free(fmt.names);
	format_columns(&fmt, arg);
	set_sink(&sink_format);
}

static const struct cli_opt opts[] = {
	{ 'f', "format", .call = format },
	{ 0, "null", .arg = &fmt.null },
	{ 0, "sqlite", .arg = &sqlite },
	{ 0, "sql", .arg = &sql },
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
	{ 0, "spark", .arg = &fmt.spark },
	{ 0, "ascii", .flag = &fmt.ascii },
	{ 0 },
};

int
main(int argc, char **argv)
{
	struct fmt *f = &fmt;
	struct buf cols = { 0 };
	const char *path;
	bool unbuffered;
	int i;

	cli_init("dlp-fmt");
	unbuffered = cli_options(argc, argv, usage, opts);
	if (pyprof) {
		f->form = f->sink;
		f->sink = &sink_pyprof;
	}
	if (f->sink != NULL && f->sink->join_form != NULL)
		f->sink->join_form(f);
	if (f->sink != NULL && f->sink->cols != NULL) {
		/* it prints columns of its own, for all kernels */
		if (f->names != NULL)
			die("-c and %s exclude each other", f->sink->option);
		f->want_type = "kern";
		buf_puts(&cols, f->sink->cols);
		if (f->more) {
			buf_putc(&cols, ',');
			buf_puts(&cols, f->sink->more);
		}
		f->names = cli_list(buf_str(&cols), &f->nnames);
		buf_free(&cols);
	}
	for (i = 0; i < f->nnames; i++)
		if (f->names[i][0] == '\0')
			die("-c: empty column name");
	f->at_once = unbuffered;
	if (sql != NULL && (sqlite == NULL || strcmp(sql, "run") != 0))
		die("--sql: only run, and with --sqlite");
	path = cli_operand(argc, argv, usage);
	default_sink(f);
	stage_open_sink(&f->st, path, unbuffered);
	f->st.result = true;
	if (sqlite != NULL)
		return out_finish(
		    fmt_sqlite(f, sqlite, sql != NULL ? "run.sql" : NULL));
	return out_finish(fmt_run(f));
}
