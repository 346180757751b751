/*
 * dlp-ncu: adds what Nsight Compute measured to the kernels of a stream. The
 * same kernel is the one of the same full name, grid and block that comes as
 * the same one of its kind within its iteration; where no counters have the
 * name as it is, that of the same name without what tools spell differently.
 */
#include <stdlib.h>

#include "cli.h"
#include "dlp-ncu/table.h"
#include "err.h"
#include "esc.h"
#include "join.h"
#include "stage.h"

static const char usage[] =
    "usage: dlp-ncu [-ahuV] [-m METRICS] NCU.csv [FILE]\n"
    "Adds the counters in NCU.csv, which ncu --csv --page raw wrote, to the\n"
    "same kernels of a stream.\n"
    "  -a, --all           NCU.csv has all of the run, not one iteration\n"
    "  -m, --metrics LIST  also these, comma separated: "
    "dram__bytes.sum,lts__*\n"
    "  -u, --unbuffered    write each record at once\n"
    "  -h, --help          print this and exit\n"
    "  -V, --version       print the version and exit\n";

static struct table table;
static struct join join;
static struct join_col *name;
static struct rec_col *grid, *block, *iter;
static struct out_ext *ext;
static struct map seen; /* key and iteration -> how often */
static bool whole;      /* iterations do not matter */
static uint64_t matched, unmatched;
static char **more; /* -m's */
static int nmore;

/* Which of its kind this one is, from 0, in its iteration. */
static uint64_t
place(uint32_t key, const struct rec *r)
{
	int64_t i = -1;
	uint64_t *n;

	if (!whole)
		(void)rec_i64(r, iter, &i);
	n = map_put(&seen, (uint64_t)key << 32 | (uint32_t)(i + 1), NULL);
	return (*n)++;
}

static size_t
find(const struct rec *r)
{
	static struct buf key, full;
	bool plain = false;
	size_t nname, ng, nb;
	const char *s = join_raw(&join, r, name, &nname);
	const char *g = rec_raw(r, grid, &ng), *b = rec_raw(r, block, &nb);
	uint32_t k = SMAP_NONE;

	if (s == NULL || g == NULL || b == NULL)
		return SIZE_MAX;
	buf_clear(&full);
	esc_undo(&full, s, nname);
	do {
		table_key(&key, full.s, full.len, g, ng, b, nb, plain);
		k = table_find(&table, &key);
		plain = !plain;
	} while (k == SMAP_NONE && plain);
	return k == SMAP_NONE ? SIZE_MAX : table_row(&table, k, place(k, r));
}

static void
on_kern(struct stage *st, struct rec *r)
{
	size_t row = find(r);
	int i;

	(void)st;
	if (row == SIZE_MAX)
		unmatched++;
	else
		matched++;
	out_ext_begin(ext, r);
	for (i = 0; i < table.ncols; i++) {
		const char *v =
		    row == SIZE_MAX ? "-" : table_value(&table, row, i);

		out_raw(v, strlen(v));
	}
	out_ext_end(ext, r);
}

static void
on_legend(struct stage *st, struct rec *r)
{
	(void)st;
	join_legend(name);
	out_ext_legend(ext, r);
}

static void
on_str(struct stage *st, struct rec *r)
{
	join_str(&join, r);
	stage_pass(st, r);
}

static void
on_section(struct stage *st)
{
	(void)st;
	join_section(&join);
	map_clear(&seen);
	matched = unmatched = 0;
	memset(table.used, 0, table.nrows * sizeof(*table.used));
}

static void
put_notes(struct stage *st)
{
	uint64_t unused = 0;
	size_t i;

	(void)st;
	for (i = 0; i < table.nrows; i++)
		unused += !table.used[i];
	stage_note("ncu_matched", matched);
	stage_note("ncu_kernels_without_counters", unmatched);
	stage_note("ncu_rows_without_kernel", unused);
	stage_note("ncu_bad_rows", table.bad);
	if (matched == 0)
		warn("no kernel of the stream is in the counters");
}

static void
bind(struct stage *st)
{
	struct rec_type *k = stage_on(st, "kern", on_kern, on_legend, NULL);

	stage_on(st, "str", on_str, NULL, NULL);
	join_init(&join, st->rd);
	name = join_col(&join, k, "name");
	REC_COLS(k, REC_NEED, { &grid, "grid" }, { &block, "block" });
	iter = rec_col(k, "iter", REC_OPT);
	ext = out_ext((const char *const *)table.cols, table.ncols);
	st->section = on_section;
	st->end = put_notes;
}

static void
set_metrics(const char *arg)
{
	free(more);
	more = cli_list(arg, &nmore);
}

int
main(int argc, char **argv)
{
	static const struct cli_opt opts[] = {
		{ 'a', "all", .flag = &whole },
		{ 'm', "metrics", .call = set_metrics },
		{ 0 },
	};
	static const char *const notes[] = { "ncu_bad_rows", "ncu_matched",
		"ncu_kernels_without_counters", "ncu_rows_without_kernel",
		NULL };
	struct stage st;
	const char *path;
	bool unbuffered;
	int rc;

	cli_init("dlp-ncu");
	unbuffered = cli_options(argc, argv, usage, opts);
	if (optind == argc)
		cli_usage(usage);
	optind++;
	path = cli_operand(argc, argv, usage);
	table_read(&table, argv[optind - 1], more, nmore);
	stage_open(&st, argc, argv, path, unbuffered);
	bind(&st);
	stage_anew(&st, notes);
	rc = stage_run(&st);
	table_free(&table);
	map_free(&seen);
	join_free(&join);
	free(more);
	return out_finish(rc);
}
