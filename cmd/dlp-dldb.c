/*
 * dlp-dldb: a stream as DLProf's own database. The raw half of it holds all
 * ops, runs, calls and GPU work; the aggregated one what the stages before
 * have summed up over the iterations that count.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "dlp-dldb/agg.h"
#include "dlp-dldb/ddl.h"
#include "dlp-dldb/dldb.h"
#include "dlp-dldb/facts.h"
#include "dlp-dldb/ops.h"
#include "dlp-dldb/own.h"
#include "dlp-dldb/raw.h"
#include "dlp-dldb/sums.h"
#include "dlp-dldb/feed.h"
#include "err.h"
#include "esc.h"

static const char usage[] =
    "usage: dlp-dldb -o FILE [-ftuV] [--raw | --aggregate] [--domain NAME]"
    " [-S SIZE] [file]\n"
    "Writes a dlp stream as a database of DLProf; see dlp-dldb(1).\n"
    "  -o, --output FILE  the database\n"
    "  -f, --force        write over FILE if it is there\n"
    "  -t, --tee          pass the stream on\n"
    "      --raw          only the raw half: all iterations\n"
    "      --aggregate    the other half, into the FILE that a --raw before\n"
    "                     it in the pipeline has written\n"
    "      --domain NAME  name of the domain (default-domain)\n"
    "      --set FACT=VALUE\n"
    "                     a fact in place of that of ##info: command,\n"
    "                     profile_name, ...; FACT?=VALUE if there is none\n"
    "  -S, --memory SIZE  memory for sums by op and iteration, such as 64M; "
    "the\n"
    "                     rest goes to files in TMPDIR (default 256M)\n"
    "  -u, --unbuffered   write each record at once\n"
    "  -h, --help         this text\n"
    "  -V, --version      the version\n";

static struct dldb dldb = { .domain = "default-domain", .memory = 256 << 20 };

/* Whether s[0..n) is the name of the file. */
static bool
is_file(const char *s, size_t n, const struct stat *out)
{
	struct buf b = { 0 };
	struct stat st;
	bool is;

	esc_undo(&b, s, n);
	is = stat(buf_str(&b), &st) == 0 && st.st_dev == out->st_dev &&
	     st.st_ino == out->st_ino;
	buf_free(&b);
	return is;
}

/* A ##cmd line names the input, with blanks in it perhaps. */
static void
check_input(const struct dldb *d, const struct rec *r)
{
	const char *e = r->line + r->len, *s, *t;
	struct stat out;

	if (r->len < 6 || memcmp(r->line, "##cmd\t", 6) != 0 ||
	    stat(d->path, &out) != 0)
		return;
	for (s = r->line + 6; s < e; s++) {
		if (s[-1] != ' ')
			continue;
		for (t = s + 1; t <= e; t++)
			if ((t == e || *t == ' ') &&
			    is_file(s, (size_t)(t - s), &out))
				die("%s: is read by the pipeline that would"
				    " write it",
				    d->path);
	}
}

static void
on_section(struct stage *st)
{
	struct dldb *d = st->ctx;

	if (d->any)
		die("more than one section: a database holds one");
	d->any = true;
	if (!d->raw)
		return;
	db_create(&d->db, d->path, d->force);
	d->open = true;
	ddl_tables(&d->db);
	ddl_views(&d->db);
}

static void
on_meta(struct stage *st, struct rec *r)
{
	struct dldb *d = st->ctx;

	if (d->raw)
		check_input(d, r);
	facts_meta(d, r);
}

static void
notes(const struct dldb *d)
{
	if (d->raw && d->n_no_op > 0)
		warn("%s: %llu records of work belong to no op: left out",
		    d->path, (unsigned long long)d->n_no_op);
	if (!d->tee)
		return;
	stage_note("dldb_work_without_op", d->raw ? d->n_no_op : 0);
	stage_note("dldb_graph_runs", d->n_graph);
	stage_note("dldb_work_without_call", d->n_no_call);
}

static void
write_raw(struct dldb *d)
{
	raw_end(d);
	db_flush(&d->db); /* the facts ask for memory events */
	facts_write(d);
	ddl_indices(&d->db, false);
}

static void
on_end(struct stage *st)
{
	struct dldb *d = st->ctx;

	if (!st->complete) {
		if (d->open)
			db_drop(&d->db);
		return;
	}
	if (d->raw) {
		write_raw(d);
	} else {
		db_open(&d->db, d->path);
		ddl_no_indices(&d->db);
	}
	if (d->aggregate)
		sums_write(d);
	db_flush(&d->db);
	ddl_indices(&d->db, true);
	d->whole = true;
	/* the other half needs it before it sees the ##end */
	if (!d->aggregate)
		db_finish(&d->db);
	notes(d);
}

static void
set_memory(const char *arg)
{
	dldb.memory = cli_size("-S", arg);
}

static void
set_fact(const char *arg)
{
	if (!facts_set(&dldb, arg))
		die("--set: no FACT=VALUE: '%s'", arg);
}

static void
start(struct dldb *d, struct stage *st)
{
	st->ctx = d;
	ops_start(d, st);
	raw_start(d);
	agg_start(d);
	feed_start(st);
	facts_start(st);
	own_start(st);
	sums_start(d, st);
	st->section = on_section;
	st->meta = on_meta;
	st->end = on_end;
}

int
main(int argc, char **argv)
{
	static bool raw, aggregate;
	static const struct cli_opt opts[] = {
		{ 'o', "output", .arg = &dldb.path },
		{ 'f', "force", .flag = &dldb.force },
		{ 't', "tee", .flag = &dldb.tee },
		{ 0, "raw", .flag = &raw },
		{ 0, "aggregate", .flag = &aggregate },
		{ 0, "domain", .arg = &dldb.domain },
		{ 0, "set", .call = set_fact },
		{ 'S', "memory", .call = set_memory },
		{ 0 },
	};
	struct dldb *d = &dldb;
	struct stage st;
	const char *path;
	bool unbuffered;
	int rc;

	cli_init("dlp-dldb");
	unbuffered = cli_options(argc, argv, usage, opts);
	if (d->path == NULL)
		cli_usage(usage);
	if (raw && aggregate)
		die("--raw and --aggregate: only one of them");
	d->raw = !aggregate;
	d->aggregate = !raw;
	path = cli_operand(argc, argv, usage);
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	if (d->tee)
		stage_open(&st, argc, argv, path, unbuffered);
	else
		stage_open_sink(&st, path, unbuffered);
	start(d, &st);
	rc = stage_run(&st);
	if (d->whole && d->aggregate && rc == EXIT_OK)
		db_finish(&d->db);
	ops_free(d);
	raw_free(d);
	agg_free(d);
	sums_free(d);
	return out_finish(rc);
}
