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
	unbuffered = cli_options(argc, argv, opts);
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
	path = cli_operand(argc, argv);
	default_sink(f);
	stage_open_sink(&f->st, path, unbuffered);
	f->st.result = true;
	if (sqlite != NULL)
		return out_finish(
		    fmt_sqlite(f, sqlite, sql != NULL ? "run.sql" : NULL));
	return out_finish(fmt_run(f));
}
