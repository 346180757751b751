/*
 * dlp-parse: a profile database as a stream of records. Dialects know the
 * databases (dlp-parse/nsys.c, nvprof.c); the core joins GPU work to the
 * calls that launched it, merges the tables in launch order while it reads
 * them, selects, and writes.
 */
#include <stdlib.h>

#include "cli.h"
#include "dlp-parse/asked.h"
#include "dlp-parse/dict.h"
#include "dlp-parse/emit.h"
#include "dlp-parse/emit_op.h"
#include "dlp-parse/emit_rows.h"
#include "dlp-parse/facts.h"
#include "dlp-parse/input_watch.h"
#include "dlp-parse/merge.h"
#include "dlp-parse/nvprof.h"
#include "dlp-parse/profile.h"
#include "dlp-parse/ranks.h"
#include "dlp-parse/run.h"
#include "dlp-parse/select.h"
#include "dlp-parse/select_range.h"
#include "drop.h"
#include "err.h"
#include "out.h"
#include "stage.h"

static const char usage[] =
    "usage: dlp-parse [-huV] [-T types] [option ...] [file ...]\n"
    "Write the events of profile databases (Nsight Systems, nvprof,\n"
    "DLProf) as records in launch order; see dlp-parse(1).\n"
    "  -T, --type LIST  only records of these types: kern,copy,...\n"
    "  --device LIST    only GPU work of these devices\n"
    "  --pid LIST       only these processes\n"
    "  --stream LIST    only GPU work of these streams\n"
    "  --domain LIST    only ranges and marks of these NVTX domains\n"
    "  --start, --end TIME\n"
    "                   only what is launched in this window: ns, or with\n"
    "                   a unit, 1.5s 20ms 3us\n"
    "  --range NAME     only what is launched inside ranges of this name\n"
    "  --kernel-names   kernels' short and mangled names as well\n"
    "  --rows           where events stand in the file, as dlp-stats needs\n"
    "                   it for the order of what is equal\n"
    "  --old-names      kernel names of nvprof as PyProf demangled them\n"
    "  --src            name the file, in a column src, of one file too\n"
    "  --ranks          each file is a rank: numbered, in a column rank, and\n"
    "                   the clocks aligned\n"
    "  --no-dict        refuse a .dict of PyProf, which has kernels only\n"
    "  --need-times     refuse one that has their durations only\n" DROP_USAGE
    "  -u, --unbuffered write each record at once\n"
    "  -h, --help       this text\n"
    "  -V, --version    the version\n";

static struct profile *profiles;
static int nprofiles;
static bool with_src; /* records name their file */
static bool ranks;    /* and their rank */
static bool no_dict;

static const struct cli_opt opts[] = {
	{ 'T', "type", .call = asked_type },
	{ 0, "device", .call = asked_device },
	{ 0, "pid", .call = asked_pid },
	{ 0, "stream", .call = asked_stream },
	{ 0, "domain", .call = asked_domain },
	{ 0, "start", .call = asked_start },
	{ 0, "end", .call = asked_end },
	{ 0, "range", .call = asked_range },
	{ 0, "kernel-names", .flag = &emit_kernel_names },
	{ 0, "rows", .flag = &emit_rows },
	{ 0, "old-names", .flag = &nvprof_old_names },
	{ 0, "src", .flag = &with_src },
	{ 0, "ranks", .flag = &ranks },
	{ 0, "no-dict", .flag = &no_dict },
	{ 0, "need-times", .flag = &dict_need_times },
	DROP_OPTION,
	{ 0 },
};

static void
open_profiles(int n, char **paths)
{
	int i;

	nprofiles = n > 0 ? n : 1;
	if (ranks)
		ranks_sort(paths, n);
	profiles = xcalloc((size_t)nprofiles, sizeof(*profiles));
	for (i = 0; i < nprofiles; i++) {
		profile_open(&profiles[i], n > 0 ? paths[i] : NULL, i);
		profile_begin(&profiles[i]);
		if (nprofiles > 1) /* of many files not all can be open twice */
			profile_alone(&profiles[i]);
	}
	if (ranks) {
		ranks_number(profiles, nprofiles);
		ranks_align(profiles, nprofiles);
	}
	for (i = 0; i < nprofiles; i++) {
		profile_current(&profiles[i]);
		range_find(&profiles[i]);
	}
	range_check();
}

/* Whether the files hold ops: then all must, because dlp-correlate makes no
 * ops where it finds some. */
static bool
check_ops(void)
{
	const struct profile *first = profiles, *p;

	for (p = profiles; p < profiles + nprofiles; p++)
		if ((p->dialect->work == NULL) !=
		    (first->dialect->work == NULL))
			die("%s and %s: a database of DLProf cannot be read"
			    " together with other profiles",
			    first->path, p->path);
	return first->dialect->work != NULL;
}

static void
put_facts(void)
{
	struct profile *p;

	for (p = profiles; p < profiles + nprofiles; p++) {
		profile_current(p);
		if (with_src)
			fact_info("src", "%s", p->path);
		fact_info("dialect", "%s", p->dialect->name);
		p->dialect->facts(p->ctx);
	}
	if (ranks)
		ranks_put(profiles, nprofiles);
}

/* The profile whose next event is first; ties go to the first file. */
static struct profile *
first_profile(void)
{
	struct profile *best = NULL, *p;

	for (p = profiles; p < profiles + nprofiles; p++)
		if (p->has_next &&
		    (best == NULL ||
			merge_head(p)->start < merge_head(best)->start))
			best = p;
	return best;
}

static void
put_events(void)
{
	struct profile *p;

	for (p = profiles; p < profiles + nprofiles; p++) {
		profile_current(p);
		profile_start(p);
		merge_peek(p);
	}
	while ((p = first_profile()) != NULL) {
		profile_current(p);
		merge_emit(p);
		merge_peek(p);
	}
}

static void
put_notes(void)
{
	uint64_t spilled = 0, unknown = 0, dup = 0, sorted = 0;
	struct profile *p;
	int i;

	for (p = profiles; p < profiles + nprofiles; p++) {
		profile_current(p);
		if (p->dialect->notes != NULL)
			p->dialect->notes(p->ctx);
		spilled += p->window.spilled;
		unknown += p->names.unknown;
		dup += p->keys.dup_calls;
		for (i = 0; i < p->ncur; i++)
			sorted += p->cur[i].order.sort;
	}
	merge_notes();
	emit_notes();
	ranks_notes();
	stage_note("call_duplicates", dup);
	stage_note("unknown_strings", unknown);
	stage_note("bad_rows", source_bad_rows());
	stage_note("tables_sorted", sorted);
	stage_note("window_spilled", spilled);
}

static void
open_out(bool unbuffered, bool with_ops)
{
	out_open(unbuffered);
	emit_op_open(with_ops);
	emit_open(with_src, ranks);
	facts_open(with_src, ranks);
}

int
main(int argc, char **argv)
{
	bool unbuffered;
	int i;

	cli_init("dlp-parse");
	unbuffered = cli_options(argc, argv, usage, opts);
	with_src = with_src || ranks;
	if (argc - optind <= 1)
		(void)cli_operand(argc, argv, usage);
	if (argc - optind <= 1 && dict_is(argv[optind])) {
		if (no_dict)
			die("%s: a .dict of PyProf has kernels only, this needs"
			    " more",
			    argv[optind] != NULL ? argv[optind] : "-");
		if (ranks)
			die("--ranks: a .dict tells no times");
		open_out(unbuffered, false);
		dict_run(argv[optind], argc, argv, with_src);
		return out_finish(EXIT_OK);
	}
	/* each connection in one thread only: no locks per value */
	sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
	open_profiles(argc - optind, argv + optind);
	with_src = with_src || nprofiles > 1;
	open_out(unbuffered, check_ops());
	stage_begin_section(argc, argv);
	put_facts();
	put_events();
	select_say_unseen();
	put_notes();
	watch_check();
	stage_end_section();
	for (i = 0; i < nprofiles; i++)
		profile_close(&profiles[i]);
	free(profiles);
	return out_finish(EXIT_OK);
}
