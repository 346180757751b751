/*
 * dlp-ranks: the collectives of a run: when each rank came, which was the
 * last, how long the others waited for it; and how much of the communication
 * no other kernel hides.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "dlp-ranks/collective.h"
#include "err.h"
#include "num.h"
#include "out.h"
#include "stage.h"
#include "workrec.h"

static const char usage[] =
    "usage: dlp-ranks [-u] [-f RULES] [file]\n"
    "Shows in a dlp stream of many ranks how they wait for one another: adds\n"
    "a coll record for each collective, an arrive record for each rank in it,\n"
    "and comm and skew records that sum them up.\n"
    "  -f, --rules RULES find communication kernels by the rules of this file\n"
    "                    instead of the shipped ones\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

struct ranks_type { /* the columns of a record type */
	struct workrec_cols at;
	const struct rec_col *rank, *name, *bytes;
};

struct ranks {
	struct comm_rules comm;
	struct rank_parts parts;
	struct open_colls colls;
	struct ranks_out out;
	struct ranks_type kern, graph;
	struct {
		struct rec_col *rank, *src, *clock, *shift;
	} rank;
	/* the section */
	int64_t now; /* the time that the stream has reached */
	struct rank_utc {
		struct buf src;
		struct buf utc, none; /* the record, with that clock */
	} * utc;                      /* of ranks that only UTC aligns */
	size_t n_utc, utc_cap;
	struct buf first; /* the file of the rank that is the reference */
	struct buf tmp;
};

/* Keeps the record of a rank that UTC aligned, in both forms. */
static void
keep_utc(struct ranks *g, const struct rec *r, const char *src, size_t n)
{
	struct rank_utc *k;
	const char *s;
	size_t len;
	int i;

	ARRAY_GROW(g->utc, g->n_utc, g->utc_cap);
	k = &g->utc[g->n_utc++];
	memset(k, 0, sizeof(*k));
	buf_put(&k->src, src, src != NULL ? n : 0);
	buf_put(&k->utc, r->line, r->len);
	buf_puts(&k->none, "rank");
	for (i = 0; i < rec_ncols(r->type); i++) {
		s = rec_field(r, i, &len);
		buf_putc(&k->none, '\t');
		if (i == g->rank.clock->pos || i == g->rank.shift->pos)
			buf_putc(&k->none, '-');
		else
			buf_put(&k->none, s, len);
	}
}

/* When the kernels of a file ran; false: it has none. */
static bool
span_of(const struct rank_parts *ps, const struct buf *src, struct rank_span *t)
{
	uint32_t id = smap_find(&ps->srcs, src->s, src->len);
	const struct rank_share *h;
	bool any = false;

	for (h = ps->share; h < ps->share + ps->nshare; h++) {
		if (id == SMAP_NONE || ps->v[h->part].src != id)
			continue;
		t->lo = !any || h->first < t->lo ? h->first : t->lo;
		t->hi = !any || h->end > t->hi ? h->end : t->hi;
		any = true;
	}
	return any;
}

static void
say_other_run(struct ranks *g, struct rank_utc *k, int64_t ns)
{
	static const struct {
		double ns;
		const char *word;
	} units[] = { { 86400e9, "days" }, { 3600e9, "hours" },
		{ 60e9, "minutes" }, { 1e9, "s" }, { 0, "ms" } };
	size_t i = 0;

	while ((double)ns < 2 * units[i].ns)
		i++;
	warn("%s: of another run than %s? No collective in common, and by UTC"
	     " %.1f %s between their GPU work: not aligned, no skew",
	    buf_str(&k->src), buf_str(&g->first),
	    (double)ns / (units[i].ns > 0 ? units[i].ns : 1e6), units[i].word);
}

static void
mark_apart(struct rank_parts *ps, const struct buf *src)
{
	uint32_t id = smap_find(&ps->srcs, src->s, src->len);
	size_t i;

	for (i = 0; i < ps->n; i++)
		if (ps->v[i].src == id && !ps->v[i].apart) {
			ps->v[i].apart = true;
			ps->n_apart++;
		}
}

/* Ranks of another run: only UTC aligns them with the first, no collective
 * does, and nothing of them runs while the first one works. Says so, and writes
 * the records that were kept: theirs then say that the clock is not aligned. */
static void
put_utc(struct ranks *g)
{
	struct rank_span ref = { 0 }, t = { 0 };
	bool has_ref = span_of(&g->parts, &g->first, &ref), is;
	struct rank_utc *k;

	for (k = g->utc; k < g->utc + g->n_utc; k++) {
		is = has_ref && span_of(&g->parts, &k->src, &t) &&
		     (t.lo >= ref.hi || ref.lo >= t.hi);
		if (is) {
			mark_apart(&g->parts, &k->src);
			say_other_run(g, k,
			    t.lo >= ref.hi ? num_sub(t.lo, ref.hi)
					   : num_sub(ref.lo, t.hi));
		}
		out_line(
		    is ? k->none.s : k->utc.s, is ? k->none.len : k->utc.len);
		buf_free(&k->src);
		buf_free(&k->utc);
		buf_free(&k->none);
	}
	g->n_utc = 0;
}

static void
see_rank(struct stage *st, struct rec *r)
{
	struct ranks *g = st->ctx;
	size_t n, m;
	const char *src = rec_raw(r, g->rank.src, &n);
	bool utc = rec_is(r, g->rank.clock, "utc");

	part_rank(&g->parts, src, n, rec_int(r, g->rank.rank, PART_NONE));
	if (utc)
		keep_utc(g, r, src, n);
	else
		stage_pass(st, r);
	if (rec_is(r, g->rank.clock, "reference")) {
		buf_clear(&g->first);
		buf_put(&g->first, src, src != NULL ? n : 0);
	}
	/* UTC is as wrong as the hosts' clocks are: not for who came when */
	if (utc || rec_raw(r, g->rank.clock, &m) == NULL)
		g->colls.aligned = false;
}

static void
see_source(struct stage *st, struct rec *r)
{
	struct ranks *g = st->ctx;
	size_t n, m;
	const char *rest;

	rec_meta(r, &n, &rest, &m);
	if (n == 4 && m > 4 && memcmp(r->line, "##info\tsrc\t", 11) == 0)
		part_src(&g->parts, rest + 4, m - 4);
}

/* What a record of work was and who ran it; false: its time is not known. */
static bool
read_arrival(struct ranks *g, const struct ranks_type *t, const struct rec *r,
    struct arrival *a)
{
	size_t n = 0;
	const char *src = rec_raw(r, t->at.src, &n);
	int64_t api = rec_int(r, t->at.api_start, PART_NONE);

	a->start = rec_int(r, t->at.start, PART_NONE);
	a->dur = rec_int(r, t->at.dur, PART_NONE);
	a->iter = rec_int(r, t->at.iter, PART_NONE);
	if (a->start == PART_NONE || a->dur == PART_NONE)
		return false;
	a->part = part_find(&g->parts, src, n, rec_int(r, t->rank, PART_NONE),
	    rec_int(r, t->at.pid, PART_NONE), rec_int(r, t->at.dev, PART_NONE));
	/* files that nothing has aligned have clocks of their own */
	if (g->parts.nrank == 0 && g->parts.srcs.n > 1)
		g->colls.aligned = false;
	g->colls.ranks = part_count(&g->parts);
	if (api == PART_NONE || api > a->start)
		api = a->start;
	if (api > g->now)
		g->now = api;
	return true;
}

static struct rank_span
span_of_arrival(const struct arrival *a)
{
	return (
	    struct rank_span){ a->start, num_add(a->start, a->dur), a->iter };
}

static void
see_kernel(struct stage *st, struct rec *r)
{
	struct ranks *g = st->ctx;
	const struct ranks_type *t = &g->kern;
	const struct comm_type *type = NULL;
	struct arrival a;
	const char *name;
	size_t n;

	stage_pass(st, r);
	if (!read_arrival(g, t, r, &a))
		return;
	name = rec_str(r, t->name, &g->tmp, &n);
	if (name != NULL)
		type = comm_find(&g->comm, name, n);
	part_kern(&g->parts, a.part, type != NULL, span_of_arrival(&a), g->now);
	if (type != NULL && !type->pair)
		coll_put(&g->colls, type,
		    smap_put(&g->colls.names, name, n, NULL),
		    rec_int(r, t->bytes, PART_NONE), a);
	coll_flush(&g->colls, g->now);
}

static void
see_graph(struct stage *st, struct rec *r)
{
	struct ranks *g = st->ctx;
	struct arrival a;

	stage_pass(st, r);
	if (read_arrival(g, &g->graph, r, &a))
		part_kern(
		    &g->parts, a.part, false, span_of_arrival(&a), g->now);
}

static void
put_done(void *ctx, const struct rank_coll *c)
{
	struct ranks *g = ctx;

	ranks_put_coll(&g->out, &g->colls, &g->parts, c);
}

static void
begin_ranks(struct stage *st)
{
	struct ranks *g = st->ctx;

	g->now = INT64_MIN;
	g->colls.aligned = true;
	g->colls.ranks = 0;
}

static void
end_ranks(struct stage *st)
{
	struct ranks *g = st->ctx;

	coll_flush(&g->colls, INT64_MAX);
	part_finish(&g->parts);
	put_utc(g);
	ranks_put_shares(&g->out, &g->colls, &g->parts);
	ranks_put_notes(&g->out, &g->colls);
	if (!g->colls.aligned && g->colls.ids > 0)
		warn("the clocks of the files are not aligned: arrivals are"
		     " told by the collectives' lengths alone; dlp-parse"
		     " --ranks aligns them");
	coll_forget(&g->colls);
	part_forget(&g->parts);
}

static void
bind_work(struct ranks_type *t, struct rec_type *x)
{
	workrec_bind(&t->at, x, WORKREC_SPAN,
	    WORKREC_API_START | WORKREC_PID | WORKREC_DEV | WORKREC_SRC |
		WORKREC_ITER);
	t->rank = rec_col(x, "rank", REC_OPT);
}

static void
open_ranks(struct ranks *g, struct stage *st, const char *rules)
{
	struct rec_type *x;

	comm_open(&g->comm, rules);
	x = stage_on(st, "kern", see_kernel, NULL, NULL);
	bind_work(&g->kern, x);
	g->kern.name = rec_col(x, "short", REC_NEED);
	g->kern.bytes = rec_col(x, "bytes", REC_OPT);
	bind_work(&g->graph, stage_on(st, "graph", see_graph, NULL, NULL));
	x = stage_on(st, "rank", see_rank, NULL, NULL);
	g->rank.rank = rec_col(x, "rank", REC_NEED);
	REC_COLS(x, REC_OPT, { &g->rank.src, "src" },
	    { &g->rank.clock, "clock_by" }, { &g->rank.shift, "shift_ns" });
	g->colls.done = put_done;
	g->colls.ctx = g;
	st->ctx = g;
	st->section = begin_ranks;
	st->end = end_ranks;
	st->meta = see_source;
	ranks_put_open(&g->out);
}

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "coll_incomplete", "coll_overfull",
		NULL };
	static const char *rules; /* static for the table of options */
	static struct ranks g;    /* one in a process */
	static const struct cli_opt opts[] = {
		{ 'f', "rules", .arg = &rules },
		{ 0 },
	};
	struct stage st;

	stage_start(&st, "dlp-ranks", usage, opts, argc, argv);
	open_ranks(&g, &st, rules);
	stage_anew(&st, notes);
	return out_finish(stage_run(&st));
}
