/*
 * Advances time in a section. Runs of ops, and projections (the GPU time of a
 * range, --ranges), wait in a heap; when time has passed its end, each is
 * closed: its record is written. At the end of a section the rest is closed,
 * and the notes are written.
 */
#include "corr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"

/* True if the first run or projection in the heap ends at t or before. */
static bool
is_due(const struct closing *q, int64_t t)
{
	return q->heap.n > 0 && q->heap.v[0].at <= t;
}

static void
close_inst(struct corr *c, struct corr_inst *in)
{
	const struct corr_op *op = op_get(&c->ops, in->op);

	write_inst(c, in);
	if (op->once) /* the op has no other run */
		op_drop(&c->ops, op->id);
}

static void
close_until(struct corr *c, int64_t t)
{
	struct timed x;

	while (is_due(&c->closing, t)) {
		x = timeheap_pop(&c->closing.heap);
		if (x.kind == CLOSE_PROJ)
			proj_write(&c->projs, x.p);
		else
			close_inst(c, x.p);
	}
}

void
corr_now(struct corr *c, int64_t t)
{
	if (t > c->threads.now)
		c->threads.now = t;
	if (c->n_launch > 0)
		graph_launch_end(c, c->threads.now);
	if (is_due(&c->closing, c->threads.now))
		close_until(c, c->threads.now);
}

void
corr_init(struct corr *c)
{
	c->markers = markers_new();
	c->insts.closing = &c->closing;
	c->threads.insts = &c->insts;
	ops_init(&c->ops, c->markers);
	prims_init(&c->prims);
	comms_init(&c->comms);
	projs_init(&c->projs, &c->closing);
	write_init(&c->types);
}

void
corr_reset(struct corr *c)
{
	c->threads.now = INT64_MIN;
	c->has_end = c->spaced = c->old = false;
	c->insts.n = 0;
	c->closing.order = 0;
	memset(&c->n, 0, sizeof(c->n));
	if (c->hooks.section != NULL)
		c->hooks.section(c);
}

/* Lookups of sequence ids and op ids that failed because newer ids had replaced
 * them: each process remembers a limited number. */
static uint64_t
evicted(const struct corr *c)
{
	const struct corr_proc *p;
	uint64_t n = 0;
	size_t i;

	for (i = 0; (p = proc_nth(&c->threads, i)) != NULL; i++)
		n += p->fwd.evicted + p->bwd.evicted;
	return n;
}

static void
write_notes(struct corr *corr)
{
	char name[64];
	enum why w;

	for (w = WHY_NONE + 1; w < WHY_N; w++) {
		snprintf(name, sizeof(name), "unassociated_%s", why_word(w));
		stage_note(name, corr->n.why[w]);
	}
	stage_note("markers_unclosed", corr->n.leaked);
	stage_note("markers_damaged", corr->n.damaged + corr->ops.n_damaged);
	stage_note("markers_broken", corr->n.broken);
	stage_note("markers_without_args", corr->ops.n_no_args);
	stage_note("ranges_unended", corr->n.unended);
	stage_note("ranges_end_before_start", corr->n.backwards);
	stage_note("ranges_crossing_threads", corr->n.crossing);
	stage_note("backward_unpaired", corr->n.unpaired);
	stage_note("ids_evicted", evicted(corr));
	stage_note("records_late", corr->n.late);
	if (corr->hooks.notes != NULL)
		corr->hooks.notes(corr);
	stage_note("graphs_whole", corr->n.graphs);
}

static double
gpu_share(const struct corr *c, int64_t ns)
{
	return 100.0 * (double)ns / (double)c->n.gpu_ns;
}

/* Prints a message if CUDA graphs were recorded without their kernels, and one
 * if part of the GPU's time has no op. */
static void
warn_of_time(const struct corr *corr)
{
	struct buf buf = { 0 };
	enum why w;

	if (corr->n.graphs > 0 && corr->n.gpu_ns > 0)
		warn("%" PRIu64 " runs of CUDA graphs, %.1f %% of the GPU time,"
		     " were recorded as a whole: nsys profile"
		     " --cuda-graph-trace=node records their kernels",
		    corr->n.graphs, gpu_share(corr, corr->n.graph_ns));
	if (corr->n.gpu_ns <= 0 || corr->n.why_ns[WHY_NONE] == corr->n.gpu_ns)
		return;
	for (w = WHY_NONE + 1; w < WHY_N; w++)
		if (corr->n.why_ns[w] > 0)
			buf_printf(&buf, "%s%s %.1f %%",
			    buf.len > 0 ? ", " : "", why_word(w),
			    gpu_share(corr, corr->n.why_ns[w]));
	warn("%.1f %% of the GPU time belongs to ops; no op: %s",
	    gpu_share(corr, corr->n.why_ns[WHY_NONE]), buf_str(&buf));
	buf_free(&buf);
}

static void
free_procs(struct corr *c)
{
	struct corr_proc *p;
	size_t i;

	for (i = 0; (p = proc_nth(&c->threads, i)) != NULL; i++) {
		graph_free(p);
		xla_free(p);
		if (c->hooks.forget != NULL)
			c->hooks.forget(c, p);
	}
	procs_free(&c->threads);
}

void
corr_end(struct corr *corr)
{
	graph_launch_end(corr, INT64_MAX);
	close_until(corr, INT64_MAX);
	if (corr->hooks.end != NULL)
		corr->hooks.end(corr);
	write_notes(corr);
	warn_of_time(corr);
	free_procs(corr);
	ops_clear(&corr->ops);
	prims_clear(&corr->prims);
	comms_clear(&corr->comms);
	map_clear(&corr->dtypes.by_id);
	projs_free(&corr->projs);
	insts_free(&corr->insts);
}

void
corr_free(struct corr *corr)
{
	size_t i;

	for (i = 0; i < LAUNCHES; i++) {
		map_free(&corr->launch[i].of);
		map_free(&corr->launch[i].hlo_runs);
		free(corr->launch[i].replay);
	}
	timeheap_free(&corr->closing.heap);
	ops_free(&corr->ops);
	prims_free(&corr->prims);
	comms_free(&corr->comms);
	map_free(&corr->dtypes.by_id);
	write_free(&corr->types);
	markers_free(corr->markers);
	feed_free(corr);
}
