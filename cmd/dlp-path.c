/*
 * dlp-path: the critical path of each step, or what the step would take if some
 * of its work were changed. Here are the options and the parts of time.
 */
#include <stdlib.h>

#include "array.h"
#include "cli.h"
#include "dlp-path/path.h"
#include "err.h"

#define SORT_BYTES ((size_t)8 << 20) /* of each sort */

static void
begin_path(struct stage *st)
{
	struct path *p = st->ctx;
	const struct {
		struct path_list *list;
		size_t size;
	} lists[] = { { &p->works, sizeof(struct path_work) },
		{ &p->points, sizeof(struct path_point) },
		{ &p->pieces, sizeof(struct path_piece) },
		{ &p->recorded, sizeof(struct path_cross) },
		{ &p->whats, sizeof(struct path_what) },
		{ &p->outers, sizeof(int64_t) },
		{ &p->by_time, sizeof(uint64_t) },
		{ &p->arrivals, sizeof(struct path_arrival) },
		{ &p->segs, 0 } };
	struct xsort *const sorts[] = { &p->work, &p->wait, &p->act, &p->point,
		&p->order };
	struct smap *const maps[] = { &p->texts, &p->procs, &p->streams,
		&p->threads, &p->events, &p->what_of, &p->retype.devs,
		&p->retype.sames, &p->retype.ops };
	size_t i;

	while (p->n_rank > 0) {
		path_list_free(&p->rank[--p->n_rank].parts);
		path_list_free(&p->rank[p->n_rank].iters);
	}
	for (i = 0; i < ARRAY_LEN(lists); i++) {
		path_list_free(lists[i].list);
		lists[i].list->size = lists[i].size;
	}
	for (i = 0; i < ARRAY_LEN(sorts); i++) {
		xsort_close(sorts[i]);
		xsort_open(sorts[i], runs_bytes, NULL, SORT_BYTES);
	}
	for (i = 0; i < ARRAY_LEN(maps); i++)
		smap_free(maps[i]);
	map_free(&p->arrival_of);
	free(p->proc);
	p->proc = NULL;
	p->n_proc = 0;
	p->n_stream = p->n_thread = p->retype.n_peaks = p->retype.n_same = 0;
	p->beyond = p->no_bytes = p->alone = p->retype.no_type = 0;
	p->ranks = false;
	p->fixes = 0;
}

/* Each cut begins a part, which the next one ends; the time between two steps
 * belongs to the first one. Steps can reach beyond what is recorded. A part's
 * iteration was on the CPU in a time of its own. */
static void
end_parts(struct path_rank *k)
{
	struct path_part *v, *it = k->iters.v;
	size_t i, n = 0;

#define IS_STEP(part) ((part).iter != PATH_NONE || (part).dropped)
#define WITHIN(t)                                                              \
	((t) < k->seen.lo ? k->seen.lo : (t) > k->seen.hi ? k->seen.hi : (t))

	if (k->no_steps)
		k->parts.n = 0;
	if (k->parts.n == 0)
		*(struct path_part *)path_add(&k->parts) = (struct path_part){
			.lo = PATH_UNSET, .iter = PATH_NONE, .step = PATH_NONE
		};
	v = k->parts.v;
	for (i = 1; i + 1 < k->parts.n; i++)
		if (!IS_STEP(v[i]) && IS_STEP(v[i - 1]) && IS_STEP(v[i + 1]))
			v[i].lo = v[i + 1].lo; /* of the step before */
	for (i = 0; i < k->parts.n; i++) {
		v[i].hi = i + 1 < k->parts.n ? v[i + 1].lo : k->seen.hi;
		v[i].cpu_lo = v[i].lo;
		v[i].cpu_hi = v[i].hi;
		/* both are in the same order */
		if (v[i].iter != PATH_NONE && n < k->iters.n &&
		    it[n].iter == v[i].iter) {
			v[i].cpu_lo = it[n].lo;
			v[i].cpu_hi = it[n++].hi;
			if (v[i].cpu_hi == PATH_UNSET)
				v[i].cpu_hi = v[i].hi;
		} else if (v[i].dropped && n < k->iters.n &&
			   it[n].lo < v[i].hi) {
			v[i].cpu_hi = it[n].lo; /* nobody says: the next's */
		}
		if (v[i].iter != PATH_NONE && v[i].lo != PATH_UNSET)
			continue;
		v[i].lo = WITHIN(v[i].lo);
		v[i].hi = WITHIN(v[i].hi);
		if (v[i].cpu_lo == PATH_UNSET)
			v[i].cpu_lo = v[i].lo;
	}
}

static void
say_note(const struct path *p, const char *note, uint64_t n, const char *what)
{
	if (n == 0)
		return;
	stage_note(note, n);
	if (p->warn_as == NULL)
		return;
	err_prog(p->warn_as);
	warn("%llu %s", (unsigned long long)n, what);
	err_prog("dlp-path");
}

#define WAITS_GUESSED                                                          \
	"waits of streams are for events that are not recorded, so what "      \
	"these "                                                               \
	"streams waited for is a guess"

static void
say_notes(const struct path *p)
{
	const struct path_retype *y = &p->retype;
	uint64_t unresolved = 0, no_work = y->no_type;
	const struct path_work *w;
	size_t k;

	for (k = 0; k < p->n_rank; k++)
		unresolved += p->rank[k].unresolved;
	for (k = 0; y->of[0] != NULL && k < p->works.n; k++) {
		w = path_work_at(p, (int64_t)k);
		no_work += w->by_roof == 0 &&
			   (w->same == PATH_NONE || y->same[w->same].n[1] == 0);
	}
	say_note(p, "path_times_cut", p->beyond,
	    "times are more than 73 years from the profile's 0, or lengths "
	    "longer than 13 days: such a clock is broken, and they were cut "
	    "there");
	say_note(p, "path_waits_unknown", unresolved,
	    maker_text(&p->maker,
		WAITS_GUESSED ": record with nsys --cuda-event-trace=true or "
			      "dlp-record --sync",
		p->maker.amd ? WAITS_GUESSED
			     : WAITS_GUESSED
		    ": record with torch.profiler.profile"
		    "(experimental_config=_ExperimentalConfig"
		    "(enable_cuda_sync_events=True))",
		WAITS_GUESSED));
	say_note(p, "path_bytes_unknown", p->no_bytes,
	    "copies and communication kernels keep their recorded time, "
	    "because their bytes are not known");
	say_note(p, "path_ranks_unknown", p->alone,
	    "communication kernels keep their recorded time, because no other "
	    "rank has them in the same step");
	say_note(p, "path_work_unknown", no_work,
	    "kernels keep their recorded time, because their number type or "
	    "their work is not known");
}

static void
end_path(struct stage *st)
{
	struct path *p = st->ctx;
	size_t i, k, any = 0;

	if (!p->replay || p->n_rank < 2)
		out_legend(p->out);
	for (k = 0; k < p->n_rank; k++)
		any += p->rank[k].seen.any;
	if (any > 1 && !p->replay && !p->ranks) {
		/* when one program waited for another is not known */
		warn("%zu files in one section, so no critical path: give each"
		     " file by itself",
		    any);
		return;
	}
	if (any == 0)
		return;
	path_graph(p);
	for (k = 0; k < p->n_rank; k++)
		if (p->rank[k].seen.any)
			end_parts(&p->rank[k]);
	if (p->replay)
		path_replay(p);
	for (k = 0; k < p->n_rank && !p->replay; k++) {
		p->outside = 0;
		for (i = 0; p->rank[k].seen.any && i < p->rank[k].parts.n; i++)
			path_walk(p, (uint32_t)k, path_part(&p->rank[k], i));
	}
	say_notes(p);
}

static void
read_info(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;

	maker_read(&p->maker, r);
}

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "path_waits_unknown",
		"path_bytes_unknown", "path_ranks_unknown", "path_times_cut",
		"path_work_unknown", NULL };
	struct path p = { 0 };
	const struct cli_opt opts[] = {
		{ 0, "merge", .flag = &p.merge },
		{ 0, "replay", .flag = &p.replay },
		{ 0, "scale", .set = path_scale, .to = &p },
		{ 0, "remove", .set = path_remove, .to = &p },
		{ 0, "zero-launch", .flag = &p.zero_launch },
		{ 0, "perfect-overlap", .flag = &p.overlap },
		{ 0, "no-straggler", .flag = &p.no_straggler },
		{ 0, "bandwidth", .set = path_bandwidth, .to = &p },
		{ 0, "dtype", .set = path_dtype, .to = &p },
		{ 0, "bare", .flag = &p.bare },
		{ 0, "each", .flag = &p.each },
		{ 0, "all", .flag = &p.all },
		{ 0, "workers", .set = path_set_workers, .to = &p },
		{ 0, "warn-as", .arg = &p.warn_as },
		SPILL_OPTION,
		{ 0 },
	};
	struct stage st;
	int rc;

	stage_start(&st, "dlp-path", opts, argc, argv);
	if (!p.replay &&
	    (p.n_change > 0 || p.zero_launch || p.overlap || p.no_straggler ||
		p.bandwidth > 0 || p.retype.of[0] != NULL || p.bare || p.each ||
		p.all))
		die("a change needs --replay");
	st.ctx = &p;
	st.section = begin_path;
	st.end = end_path;
	st.meta = read_info;
	comm_open(&p.comm, NULL);
	path_listen(&st, &p);
	if (p.replay && p.merge)
		die("--merge and --replay exclude each other");
	p.out = p.replay ? path_whatif_type(false) : path_out_type(p.merge);
	p.out_src = p.replay ? path_whatif_type(true) : NULL;
	stage_anew(&st, notes);
	rc = stage_run(&st);
	begin_path(&st);
	free(p.rank);
	free(p.stream);
	free(p.thread);
	free(p.retype.peaks);
	free(p.retype.same);
	while (p.n_change > 0)
		regfree(&p.change[--p.n_change].re);
	comm_close(&p.comm);
	buf_free(&p.key);
	return out_finish(rc);
}
