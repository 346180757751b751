/*
 * dlp-parse: turns a profile database into a stream of records. Dialects know
 * the databases (dlp-parse/nsys.c, nvprof.c, rocpd.c, dldb.c, kineto.c). The
 * core joins GPU work to the calls that launched it, merges the tables in
 * launch order while it reads them, selects, and writes.
 */
#include <stdlib.h>

#include "cli.h"
#include "dlp-parse/emit.h"
#include "dlp-parse/infile.h"
#include "dlp-parse/profile.h"
#include "dlp-parse/pydict.h"
#include "dlp-parse/schema.h"
#include "dlp-parse/selection.h"
#include "dlp-parse/snapshot.h"
#include "drop.h"
#include "err.h"
#include "out.h"
#include "sandbox.h"
#include "stage.h"
#include "words.h"

static void
set_capture(void *to, const char *arg)
{
	struct kineto_wish *wish = to;

	if (wish->ncapture == CAPTURES_MOST)
		die("--capture: more than %d files", CAPTURES_MOST);
	wish->capture[wish->ncapture++] = arg;
}

/* Applies the options; true if -u was given. */
static bool
read_options(struct parse *run, int argc, char **argv)
{
	struct selection *sel = &run->sel;
	const struct cli_opt opts[] = {
		{ 'T', "type", .set = asked_type, .to = sel },
		{ 0, "device", .set = asked_device, .to = sel },
		{ 0, "pid", .set = asked_pid, .to = sel },
		{ 0, "stream", .set = asked_stream, .to = sel },
		{ 0, "domain", .set = asked_domain, .to = sel },
		{ 0, "start", .set = asked_start, .to = sel },
		{ 0, "end", .set = asked_end, .to = sel },
		{ 0, "range", .set = asked_range, .to = sel },
		{ 0, "kernel-names", .flag = &run->out.kernel_names },
		{ 0, "rows", .flag = &run->out.rows },
		{ 0, "old-names", .flag = &run->old_names },
		{ 0, "src", .flag = &run->out.with_src },
		{ 0, "ranks", .flag = &run->out.with_rank },
		{ 0, "check", .flag = &run->check },
		{ 0, "python", .flag = &run->kineto.python },
		{ 0, "capture", .set = set_capture, .to = &run->kineto },
		{ 0, "inputs", .flag = &run->kineto.inputs },
		{ 0, "resync", .flag = &run->kineto.resync },
		{ 0, "no-calls", .flag = &sel->no_calls },
		{ 0, "no-code", .flag = &run->no_code },
		{ 0, "no-dict", .flag = &run->no_dict },
		{ 0, "need-times", .flag = &run->need_times },
		DROP_OPTION,
		{ 0 },
	};
	bool unbuffered = cli_options(argc, argv, opts);

	if (sel->no_calls && (sel->any || select_asked(sel, EV_CALL)))
		die("--no-calls: %s needs the calls",
		    sel->any ? "a selection" : "-T call");
	if (run->no_code && select_asked(sel, EV_SAMPLE))
		die("--no-code: -T sample needs the call stacks");
	if (run->no_code && run->kineto.python)
		die("--no-code and --python exclude each other");
	run->out.with_src |= run->out.with_rank;
	return unbuffered;
}

/* Its events would count twice, and in unions of time once. Its name can be
 * another one, such as ./FILE. */
static void
refuse_twice(int n, char **paths)
{
	struct smap seen = { 0 };
	struct stat st;
	uint32_t id;
	bool fresh;
	int i;

	for (i = 0; i < n; i++) {
		id = stat(paths[i], &st) == 0
			 ? smap_put_pair(&seen, (int64_t)st.st_dev,
			       (int64_t)st.st_ino, &fresh)
			 : smap_put(&seen, paths[i], strlen(paths[i]), &fresh);
		if (!fresh && strcmp(paths[id], paths[i]) == 0)
			die("%s: given twice", paths[i]);
		if (!fresh)
			die("%s and %s are the same file: give it once",
			    paths[id], paths[i]);
	}
	smap_free(&seen);
}

static void
open_profiles(struct parse *run, int n, char **paths)
{
	const struct dialect *d, *first;
	struct profile *p;
	int i;

	refuse_twice(n, paths);
	run->nprof = n > 0 ? n : 1;
	if (run->kineto.ncapture > 0 && run->nprof > 1)
		die("--capture: goes with one trace, not with %d files", n);
	if (run->out.with_rank)
		natural_sort(paths, n);
	run->prof = xcalloc((size_t)run->nprof, sizeof(*run->prof));
	for (i = 0; i < run->nprof; i++) {
		p = run->prof[i] = xcalloc(1, sizeof(*p));
		profile_open(p, run, n > 0 ? paths[i] : NULL, i);
		profile_begin(p);
		if (run->nprof > 1) /* some could not be opened twice */
			profile_alone(p);
	}
	if (run->out.with_rank) {
		ranks_number(run);
		ranks_align(run);
	}
	for (i = 0; i < run->nprof; i++)
		range_find(run->prof[i]);
	range_check(&run->sel);
	run->out.with_src |= run->nprof > 1;
	/* If one file holds ops all must, because dlp-correlate makes no ops if
	 * it finds some. */
	first = run->prof[0]->dialect;
	run->out.with_ops = first->work != NULL;
	for (i = 0; i < run->nprof; i++) {
		p = run->prof[i];
		d = p->dialect;
		if ((d->work == NULL) != (first->work == NULL))
			die("%s and %s: a database of DLProf cannot be read"
			    " together with other profiles",
			    run->prof[0]->path, p->path);
		if (d->has_code != NULL && !run->no_code)
			run->out.with_code |= d->has_code(p->ctx);
		run->out.with_allocator |= d->allocator;
	}
}

/* Writes the events of all profiles in the order of time; if times are equal,
 * those of the first file come first. */
static void
put_events(struct parse *run)
{
	struct profile *best, *p;
	int i;

	for (i = 0; i < run->nprof; i++) {
		db_use(run->prof[i]->path);
		profile_start(run->prof[i]);
		merge_peek(run->prof[i]);
	}
	for (;;) {
		best = NULL;
		for (i = 0; i < run->nprof; i++) {
			p = run->prof[i];
			if (p->has_next &&
			    (best == NULL ||
				merge_head(p)->start < merge_head(best)->start))
				best = p;
		}
		if (best == NULL)
			break;
		db_use(best->path);
		merge_emit(best);
		merge_peek(best);
	}
}

/* The notes of all profiles together; each dialect writes its own. */
static void
put_notes(struct parse *run)
{
	uint64_t orphans = 0, before = 0, twins = 0, late = 0, spilled = 0;
	uint64_t unknown = 0, dup = 0, bad = 0, sorted = 0, joined = 0;
	struct profile *p;
	int i, k;

	for (i = 0; i < run->nprof; i++) {
		p = run->prof[i];
		db_use(p->path);
		if (p->dialect->notes != NULL)
			p->dialect->notes(p->ctx);
		orphans += p->count.orphans;
		before += p->count.before_launch;
		if (p->count.before_launch > 0)
			warn("%s: %llu pieces of GPU work begin before the"
			     " call that launched them: the clocks differ, and"
			     " so do times from a call to its work",
			    p->path,
			    (unsigned long long)p->count.before_launch);
		twins += p->count.twins;
		late += p->count.late;
		spilled += p->window.spilled;
		unknown += p->names.unknown;
		dup += p->keys.dup_calls;
		if (p->keys.gids.n > p->keys.pids.n)
			joined += p->keys.gids.n - p->keys.pids.n;
		bad += p->sources.bad_rows;
		for (k = 0; k < p->ncur; k++)
			sorted +=
			    p->cur[k].order.sort && !p->cur[k].src->unordered;
	}
	stage_note("gpu_without_call", orphans);
	stage_note("gpu_before_call", before);
	stage_note("call_twins", twins);
	stage_note("gpu_late", late);
	emit_notes(&run->out);
	stage_note("ranks_by_utc", run->ranks_by_utc);
	stage_note("ranks_unaligned", run->ranks_unaligned);
	stage_note("processes_of_one_pid", joined);
	stage_note("call_duplicates", dup);
	stage_note("unknown_strings", unknown);
	stage_note("bad_rows", bad);
	stage_note("tables_sorted", sorted);
	stage_note("window_spilled", spilled);
}

static void
put_profiles(struct parse *run, int argc, char **argv, bool unbuffered)
{
	struct profile *p;
	uint64_t hash;
	int i, k;

	/* each connection is used in one thread only, so SQLite needs no locks
	 * per value */
	sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
	open_profiles(run, argc - optind, argv + optind);
	out_open(unbuffered);
	emit_open(&run->out);
	stage_begin_section(argc, argv);
	for (i = 0; i < run->nprof; i++) {
		p = run->prof[i];
		db_use(p->path);
		if (run->out.with_src)
			fact_info(p, "src", "%s", p->path);
		fact_info(p, "dialect", "%s", p->dialect->name);
		for (k = 0, hash = 0; k < p->ncur; k++)
			hash = hash_mix(hash) ^ p->cur[k].order.hash;
		if (hash != 0)
			fact_info(
			    p, "content", "%016llx", (unsigned long long)hash);
		p->dialect->facts(p->ctx);
	}
	if (run->out.with_rank)
		ranks_put(run);
	put_events(run);
	select_say_unseen(&run->sel);
	put_notes(run);
	infile_check_unchanged(&run->in);
	stage_end_section();
	for (i = 0; i < run->nprof; i++)
		profile_close(run->prof[i]);
	free(run->prof);
}

/* Only if nsys has to export a report can this not be done before the first
 * byte is read; then out_open() does a part of it. */
static void
confine(int n, char **paths, const struct kineto_wish *wish)
{
	char **all;
	int i;

	for (i = 0; i < n; i++)
		if (head_is_report(paths[i]))
			return;
	sandbox_enter();
	all = xcalloc((size_t)(n + wish->ncapture) + 1, sizeof(*all));
	for (i = 0; i < n; i++)
		all[i] = paths[i];
	for (i = 0; i < wish->ncapture; i++)
		all[n + i] = (char *)(uintptr_t)wish->capture[i];
	sandbox_files(all, n + wish->ncapture);
	free(all);
}

int
main(int argc, char **argv)
{
	static struct parse run;
	static struct dict_file dict;
	const char *path;
	bool unbuffered;

	cli_init("dlp-parse");
	select_init(&run.sel);
	infile_init(&run.in);
	unbuffered = read_options(&run, argc, argv);
	if (argc - optind <= 1)
		(void)cli_operand(argc, argv);
	path = argv[optind];
	confine(argc - optind, argv + optind, &run.kineto);
	if (argc - optind > 1 || !dict_is(&dict, &run, path)) {
		if (argc - optind > 1 ||
		    !snapshot_run(&run, path, unbuffered, argc, argv))
			put_profiles(&run, argc, argv, unbuffered);
	} else { /* PyProf's, which is no database */
		if (run.no_dict)
			die("%s: a .dict of PyProf has kernels only, this needs"
			    " more",
			    path != NULL ? path : "-");
		if (run.out.with_rank)
			die("--ranks: a .dict of PyProf has no times");
		out_open(unbuffered);
		emit_open(&run.out);
		dict_run(&dict, &run, path, argc, argv);
	}
	return out_finish(EXIT_OK);
}
