/*
 * dlp-ncu: adds what Nsight Compute measured to the kernels of a stream. A
 * measured kernel and one of the stream are the same if they have the same full
 * name, grid and block, and are the same one in the order of such kernels,
 * within an iteration. If no counters have the name as it is, names are
 * compared without what tools spell differently.
 */
#include <stdlib.h>

#include "cli.h"
#include "dlp-ncu/ncu_table.h"
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

struct ncu {
	struct ncu_table table;
	struct join join;
	struct join_col *name;
	struct rec_col *grid, *block, *iter;
	struct out_ext *ext;
	struct map seen; /* key and iteration -> how often */
	uint64_t matched, unmatched;
	struct buf key, full; /* scratch */
	/* options */
	bool whole;  /* iterations do not matter */
	char **more; /* -m's */
	int nmore;
};

/* Which one of its kind the kernel is, from 0, in its iteration. */
static uint64_t
ordinal(struct ncu *x, uint32_t key, const struct rec *r)
{
	int64_t i = x->whole ? -1 : rec_int(r, x->iter, -1);
	uint64_t *n;

	n = map_put(&x->seen, (uint64_t)key << 32 | (uint32_t)(i + 1), NULL);
	return (*n)++;
}

/* The row of the kernel's counters; SIZE_MAX: there is none. */
static size_t
find_counters(struct ncu *x, const struct rec *r)
{
	bool plain = false;
	size_t nname, ng, nb;
	const char *s = join_raw(&x->join, r, x->name, &nname);
	const char *g = rec_raw(r, x->grid, &ng);
	const char *b = rec_raw(r, x->block, &nb);
	uint32_t k = SMAP_NONE;

	if (s == NULL || g == NULL || b == NULL)
		return SIZE_MAX;
	buf_clear(&x->full);
	esc_undo(&x->full, s, nname);
	do {
		table_key(&x->key, x->full.s, x->full.len, g, ng, b, nb, plain);
		k = table_find(&x->table, &x->key);
		plain = !plain;
	} while (k == SMAP_NONE && plain);
	return k == SMAP_NONE ? SIZE_MAX
			      : table_row(&x->table, k, ordinal(x, k, r));
}

static void
put_measured(struct stage *st, struct rec *r)
{
	struct ncu *x = st->ctx;
	size_t row = find_counters(x, r);
	const char *v;
	int i;

	if (row == SIZE_MAX)
		x->unmatched++;
	else
		x->matched++;
	out_ext_begin(x->ext, r);
	for (i = 0; i < x->table.ncols; i++) {
		v = row == SIZE_MAX ? "-" : table_value(&x->table, row, i);
		out_raw(v, strlen(v));
	}
	out_ext_end(x->ext, r);
}

static void
put_measured_legend(struct stage *st, struct rec *r)
{
	struct ncu *x = st->ctx;

	join_legend(x->name);
	out_ext_legend(x->ext, r);
}

static void
pass_str(struct stage *st, struct rec *r)
{
	struct ncu *x = st->ctx;

	join_str(&x->join, r);
	stage_pass(st, r);
}

static void
on_ncu_section(struct stage *st)
{
	struct ncu *x = st->ctx;

	join_section(&x->join);
	map_clear(&x->seen);
	x->matched = x->unmatched = 0;
	memset(x->table.used, 0, x->table.nrows * sizeof(*x->table.used));
}

static void
on_ncu_end(struct stage *st)
{
	struct ncu *x = st->ctx;
	uint64_t unused = 0;
	size_t i;

	for (i = 0; i < x->table.nrows; i++)
		unused += !x->table.used[i];
	stage_note("ncu_matched", x->matched);
	stage_note("ncu_kernels_without_counters", x->unmatched);
	stage_note("ncu_rows_without_kernel", unused);
	stage_note("ncu_bad_rows", x->table.bad);
	if (x->matched == 0)
		warn("no kernel of the stream is in the counters");
}

static void
attach(struct stage *st, struct ncu *x)
{
	struct rec_type *k =
	    stage_on(st, "kern", put_measured, put_measured_legend, NULL);

	st->ctx = x;
	stage_on(st, "str", pass_str, NULL, NULL);
	join_init(&x->join, st->rd);
	x->name = join_col(&x->join, k, "name");
	REC_COLS(k, REC_NEED, { &x->grid, "grid" }, { &x->block, "block" });
	x->iter = rec_col(k, "iter", REC_OPT);
	x->ext = out_ext((const char *const *)x->table.cols, x->table.ncols);
	st->section = on_ncu_section;
	st->end = on_ncu_end;
}

static void
set_metrics(void *to, const char *arg)
{
	struct ncu *x = to;

	free(x->more);
	x->more = cli_list(arg, &x->nmore);
}

int
main(int argc, char **argv)
{
	static struct ncu ncu;
	static const struct cli_opt opts[] = {
		{ 'a', "all", .flag = &ncu.whole },
		{ 'm', "metrics", .set = set_metrics, .to = &ncu },
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
	table_read(&ncu.table, argv[optind - 1], ncu.more, ncu.nmore);
	stage_open(&st, argc, argv, path, unbuffered);
	attach(&st, &ncu);
	stage_anew(&st, notes);
	rc = stage_run(&st);
	table_free(&ncu.table);
	map_free(&ncu.seen);
	join_free(&ncu.join);
	free(ncu.more);
	return out_finish(rc);
}
