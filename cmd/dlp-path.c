/*
 * dlp-path: the critical path of each step, or what the step would take if some
 * of its work were changed. Here are the options and the parts of time.
 */
#include <stdlib.h>

#include "array.h"
#include "cli.h"
#include "dlp-path/path.h"
#include "err.h"

static const char usage[] =
    "usage: dlp-path [--merge] [-u] [-S SIZE] [file]\n"
    "       dlp-path --replay [--scale REGEX=F]... [--remove REGEX]...\n"
    "                [--zero-launch] [--perfect-overlap] [--no-straggler]\n"
    "                [--bandwidth GB/S] [--dtype FROM=TO] [-u] [-S SIZE] "
    "[file]\n"
    "Adds the critical path of each step to a dlp stream, or with --replay "
    "what\n"
    "each step would take.\n"
    "      --merge           one record for segments that follow each other "
    "and\n"
    "                        differ in name at most\n"
    "      --replay          replay the steps, with these changes:\n"
    "      --scale REGEX=F   GPU work whose name or op matches takes F times "
    "as\n"
    "                        long\n"
    "      --remove REGEX    such work, its ops on the CPU and its launch "
    "take\n"
    "                        no time\n"
    "      --zero-launch     nothing waits for the CPU, except for its waits\n"
    "      --perfect-overlap nothing but communication waits for "
    "communication\n"
    "      --no-straggler    no rank waits for others that arrive at a "
    "collective\n"
    "                        after the median rank\n"
    "      --bandwidth GB/S  copies and communication between devices take\n"
    "                        their latency and their bytes at this rate\n"
    "      --dtype FROM=TO   kernels of a number type take the time of "
    "another\n"
    "                        (fp64, fp32, tf32, fp16, bf16)\n"
    "      --warn-as NAME    say on standard error, as the command NAME, that\n"
    "                        waits of streams are not recorded\n" SPILL_USAGE
    "  -u, --unbuffered      write each record at once\n"
    "  -h, --help            print this and exit\n"
    "  -V, --version         print the version and exit\n";

#define SORT_BYTES ((size_t)8 << 20) /* of each of four sorts */

static void
clear_section(struct path *p)
{
	struct path_list *const lists[] = { &p->works, &p->points, &p->pieces,
		&p->segs, &p->recorded, &p->whats, &p->outers };
	struct xsort *const sorts[] = { &p->work, &p->wait, &p->act,
		&p->point };
	size_t i;

	for (i = 0; i < ARRAY_LEN(lists); i++)
		path_list_free(lists[i]);
	for (i = 0; i < ARRAY_LEN(sorts); i++) {
		xsort_close(sorts[i]);
		xsort_open(sorts[i], runs_bytes, NULL, SORT_BYTES);
	}
	path_ranks_clear(p);
	smap_clear(&p->texts);
	smap_clear(&p->procs);
	smap_clear(&p->streams);
	smap_clear(&p->threads);
	smap_clear(&p->events);
	smap_clear(&p->what_of);
	path_dtype_clear(&p->retype);
	p->n_stream = p->n_thread = 0;
	p->no_bytes = 0;
	p->ranks = false;
	p->works.size = sizeof(struct path_work);
	p->points.size = sizeof(struct path_point);
	p->pieces.size = sizeof(struct path_piece);
	p->recorded.size = sizeof(struct path_cross);
	p->whats.size = sizeof(struct path_what);
	p->outers.size = sizeof(int64_t);
}

static void
begin_path(struct stage *st)
{
	clear_section(st->ctx);
}

static int64_t
within(const struct path_rank *k, int64_t t)
{
	return t < k->first ? k->first : t > k->last ? k->last : t;
}

/* When the iteration of each part was on the CPU; both are in the same order.
 */
static void
own_cpu(const struct path_rank *r)
{
	struct path_part *v = r->parts.v, *it = r->iters.v;
	size_t i, k = 0;

	for (i = 0; i < r->parts.n; i++) {
		v[i].cpu_lo = v[i].lo;
		v[i].cpu_hi = PATH_UNSET;
		if (v[i].iter == PATH_NONE || k == r->iters.n ||
		    it[k].iter != v[i].iter)
			continue;
		v[i].cpu_lo = it[k].lo;
		v[i].cpu_hi = it[k].hi;
		k++;
	}
}

/* Each cut begins a part, which the next one ends; the time between two steps
 * belongs to the first one. Steps can reach beyond what is recorded. */
static void
end_parts(struct path_rank *k)
{
	struct path_part *v, *whole;
	size_t i;

#define IS_STEP(part) ((part).iter != PATH_NONE || (part).dropped)

	if (k->no_steps)
		k->parts.n = 0;
	if (k->parts.n == 0) {
		whole = path_add(&k->parts);
		*whole =
		    (struct path_part){ PATH_UNSET, 0, PATH_NONE, false, 0, 0 };
	}
	v = k->parts.v;
	for (i = 1; i + 1 < k->parts.n; i++)
		if (!IS_STEP(v[i]) && IS_STEP(v[i - 1]) && IS_STEP(v[i + 1]))
			v[i].lo = v[i + 1].lo; /* of the step before */
	own_cpu(k);
	for (i = 0; i < k->parts.n; i++) {
		v[i].hi = i + 1 < k->parts.n ? v[i + 1].lo : k->last;
		if (v[i].cpu_hi == PATH_UNSET)
			v[i].cpu_hi = v[i].hi;
		if (v[i].iter != PATH_NONE && v[i].lo != PATH_UNSET)
			continue;
		v[i].lo = within(k, v[i].lo);
		v[i].hi = within(k, v[i].hi);
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
	uint64_t unresolved = 0;
	size_t k;

	for (k = 0; k < p->n_rank; k++)
		unresolved += p->rank[k].unresolved;
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
	say_note(p, "path_work_unknown", path_dtype_unknown(p),
	    "kernels keep their recorded time, because their number type or "
	    "their work is not known");
}

static void
end_path(struct stage *st)
{
	struct path *p = st->ctx;
	size_t i, k, any = 0;

	out_legend(p->out);
	for (k = 0; k < p->n_rank; k++)
		any += p->rank[k].any;
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
		if (p->rank[k].any)
			end_parts(&p->rank[k]);
	if (p->replay)
		path_replay(p);
	for (k = 0; k < p->n_rank && !p->replay; k++) {
		p->outside = 0;
		for (i = 0; p->rank[k].any && i < p->rank[k].parts.n; i++)
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

static void
free_all(struct path *p)
{
	clear_section(p);
	xsort_close(&p->work);
	xsort_close(&p->wait);
	xsort_close(&p->act);
	xsort_close(&p->point);
	smap_free(&p->texts);
	smap_free(&p->procs);
	smap_free(&p->streams);
	smap_free(&p->threads);
	smap_free(&p->events);
	smap_free(&p->what_of);
	map_free(&p->arrival_of);
	free(p->rank);
	free(p->stream);
	free(p->thread);
	path_changes_free(p);
	path_dtype_free(&p->retype);
	comm_close(&p->comm);
	buf_free(&p->key);
}

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "path_waits_unknown",
		"path_bytes_unknown", "path_ranks_unknown", "path_work_unknown",
		NULL };
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
		{ 0, "warn-as", .arg = &p.warn_as },
		SPILL_OPTION,
		{ 0 },
	};
	struct stage st;
	int rc;

	stage_start(&st, "dlp-path", usage, opts, argc, argv);
	if (!p.replay &&
	    (p.n_change > 0 || p.zero_launch || p.overlap || p.no_straggler ||
		p.bandwidth > 0 || p.retype.of[0] != NULL))
		die("a change needs --replay");
	st.ctx = &p;
	st.section = begin_path;
	st.end = end_path;
	st.meta = read_info;
	comm_open(&p.comm, NULL);
	path_listen(&st, &p);
	if (p.replay && p.merge)
		die("--merge and --replay exclude each other");
	p.out = p.replay ? out_type_reg("whatif", "dlp-path")
			 : path_out_type(p.merge);
	stage_anew(&st, notes);
	rc = stage_run(&st);
	free_all(&p);
	return out_finish(rc);
}
