/* The stage of dlp-ranks; see run.h. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "apart.h"
#include "coll.h"
#include "err.h"
#include "num.h"
#include "put.h"

static struct {
	struct rec_type *kern, *graph, *rank;
	struct rec_col *k_start, *k_dur, *k_api, *k_pid, *k_dev, *k_src,
	    *k_rank, *k_iter, *k_short, *k_bytes;
	struct rec_col *g_start, *g_dur, *g_api, *g_pid, *g_dev, *g_src,
	    *g_rank, *g_iter;
	struct rec_col *r_rank, *r_src, *r_clock, *r_shift;
	struct parts parts;
	struct colls colls;
	int64_t now;
	struct buf tmp;
	uint64_t no_clock; /* ranks */
} rd;

static void
on_rank(struct stage *st, struct rec *r)
{
	size_t n, m;
	const char *src = rec_raw(r, rd.r_src, &n), *by;

	part_rank(&rd.parts, src, n, rec_int(r, rd.r_rank, PART_NONE));
	by = rec_raw(r, rd.r_clock, &m);
	if (by != NULL && m == 3 && memcmp(by, "utc", 3) == 0)
		apart_keep(r, src, n, rd.r_clock, rd.r_shift);
	else
		stage_pass(st, r);
	if (by != NULL && m == 9 && memcmp(by, "reference", 9) == 0)
		apart_first(src, n);
	/* UTC is as wrong as the hosts' clocks are: not for who came when. */
	if (by == NULL || (m == 3 && memcmp(by, "utc", 3) == 0)) {
		rd.no_clock++;
		rd.colls.aligned = false;
	}
}

static void
on_meta(struct stage *st, struct rec *r)
{
	size_t n, m;
	const char *rest;

	(void)st;
	rec_meta(r, &n, &rest, &m);
	if (n == 4 && m > 4 && memcmp(r->line, "##info\tsrc\t", 11) == 0)
		part_src(&rd.parts, rest + 4, m - 4);
}

/* Files that nothing has aligned have clocks of their own. */
static uint32_t
who(const char *src, size_t n, int64_t rank, int64_t pid, int64_t dev)
{
	uint32_t p = part_find(&rd.parts, src, n, rank, pid, dev);

	if (rd.parts.nrank == 0 && rd.parts.srcs.n > 1)
		rd.colls.aligned = false;
	rd.colls.ranks = part_count(&rd.parts);
	return p;
}

/* The time that the stream has reached. */
static void
reach(int64_t start, int64_t api)
{
	int64_t t = api != PART_NONE && api < start ? api : start;

	if (t > rd.now)
		rd.now = t;
}

static void
communication(const struct rec *r, const struct comm_type *type,
    const char *name, size_t n, struct arrival a)
{
	int64_t bytes = rec_int(r, rd.k_bytes, PART_NONE);

	if (!type->pair)
		coll_put(&rd.colls, type,
		    smap_put(&rd.colls.names, name, n, NULL), bytes, a);
}

static void
on_kern(struct stage *st, struct rec *r)
{
	const struct comm_type *type = NULL;
	struct arrival a = { .iter = rec_int(r, rd.k_iter, PART_NONE) };
	size_t n = 0, m;
	const char *src = rec_raw(r, rd.k_src, &n), *name;
	int64_t pid = rec_int(r, rd.k_pid, PART_NONE),
		dev = rec_int(r, rd.k_dev, PART_NONE);

	a.start = rec_int(r, rd.k_start, PART_NONE);
	a.dur = rec_int(r, rd.k_dur, PART_NONE);
	stage_pass(st, r);
	if (a.start == PART_NONE || a.dur == PART_NONE)
		return;
	name = rec_str(r, rd.k_short, &rd.tmp, &m);
	if (name != NULL)
		type = comm_find(name, m);
	a.part = who(src, n, rec_int(r, rd.k_rank, PART_NONE), pid, dev);
	reach(a.start, rec_int(r, rd.k_api, PART_NONE));
	part_kern(&rd.parts, a.part, type != NULL,
	    (struct span){ a.start, num_add(a.start, a.dur), a.iter }, rd.now);
	if (type != NULL)
		communication(r, type, name, m, a);
	coll_flush(&rd.colls, rd.now);
}

static void
on_graph(struct stage *st, struct rec *r)
{
	size_t n = 0;
	const char *src = rec_raw(r, rd.g_src, &n);
	int64_t start = rec_int(r, rd.g_start, PART_NONE),
		dur = rec_int(r, rd.g_dur, PART_NONE);
	uint32_t p;

	stage_pass(st, r);
	if (start == PART_NONE || dur == PART_NONE)
		return;
	p = who(src, n, rec_int(r, rd.g_rank, PART_NONE),
	    rec_int(r, rd.g_pid, PART_NONE), rec_int(r, rd.g_dev, PART_NONE));
	reach(start, rec_int(r, rd.g_api, PART_NONE));
	part_kern(&rd.parts, p, false,
	    (struct span){
		start, num_add(start, dur), rec_int(r, rd.g_iter, PART_NONE) },
	    rd.now);
}

static void
on_done(void *ctx, const struct coll *c)
{
	(void)ctx;
	put_coll(&rd.colls, &rd.parts, c);
}

static void
on_section(struct stage *st)
{
	(void)st;
	rd.now = INT64_MIN;
	rd.colls.aligned = true;
	rd.colls.ranks = 0;
	rd.no_clock = 0;
}

static void
on_end(struct stage *st)
{
	(void)st;
	coll_flush(&rd.colls, INT64_MAX);
	part_finish(&rd.parts);
	apart_end(&rd.parts);
	put_shares(&rd.colls, &rd.parts);
	put_notes(&rd.colls);
	if (!rd.colls.aligned && rd.colls.ids > 0)
		warn("the clocks of the files are not aligned: arrivals are"
		     " told by the collectives' lengths alone; dlp-parse"
		     " --ranks aligns them");
	coll_forget(&rd.colls);
	part_forget(&rd.parts);
}

static void
bind_kern(struct stage *st)
{
	rd.kern = stage_on(st, "kern", on_kern, NULL, NULL);
	REC_COLS(rd.kern, REC_NEED, { &rd.k_start, "start_ns" },
	    { &rd.k_dur, "dur_ns" }, { &rd.k_short, "short" });
	REC_COLS(rd.kern, REC_OPT, { &rd.k_api, "api_start_ns" },
	    { &rd.k_pid, "pid" }, { &rd.k_dev, "dev" }, { &rd.k_src, "src" },
	    { &rd.k_rank, "rank" }, { &rd.k_iter, "iter" },
	    { &rd.k_bytes, "bytes" });
}

static void
bind_graph(struct stage *st)
{
	rd.graph = stage_on(st, "graph", on_graph, NULL, NULL);
	REC_COLS(rd.graph, REC_NEED, { &rd.g_start, "start_ns" },
	    { &rd.g_dur, "dur_ns" });
	REC_COLS(rd.graph, REC_OPT, { &rd.g_api, "api_start_ns" },
	    { &rd.g_pid, "pid" }, { &rd.g_dev, "dev" }, { &rd.g_src, "src" },
	    { &rd.g_rank, "rank" }, { &rd.g_iter, "iter" });
}

void
run_open(struct stage *st, const char *rules)
{
	comm_open(rules);
	bind_kern(st);
	bind_graph(st);
	rd.rank = stage_on(st, "rank", on_rank, NULL, NULL);
	rd.r_rank = rec_col(rd.rank, "rank", REC_NEED);
	REC_COLS(rd.rank, REC_OPT, { &rd.r_src, "src" },
	    { &rd.r_clock, "clock_by" }, { &rd.r_shift, "shift_ns" });
	rd.colls.done = on_done;
	st->section = on_section;
	st->end = on_end;
	st->meta = on_meta;
	put_open();
}
