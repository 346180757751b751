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
#include "stage.h"

static void
close_until(struct corr *c, int64_t t)
{
	const struct corr_op *op;
	struct timed x;

	while (c->closing.heap.n > 0 && c->closing.heap.v[0].at <= t) {
		x = timeheap_pop(&c->closing.heap);
		if (x.kind == CLOSE_PROJ) {
			proj_write(&c->projs, x.p);
			continue;
		}
		op = op_get(&c->ops, ((struct corr_inst *)x.p)->op);
		write_inst(c, x.p);
		if (op->once) /* the op has no other run */
			op_drop(&c->ops, op->id);
	}
}

void
corr_now(struct corr *c, int64_t t)
{
	if (t > c->threads.now)
		c->threads.now = t;
	if (c->n_launch > 0)
		graph_launch_end(c, c->threads.now);
	close_until(c, c->threads.now);
}

void
corr_section(struct stage *st)
{
	struct corr *c = st->ctx;

	map_clear(&c->texts.written);
	c->texts.n = 0;
	c->threads.now = INT64_MIN;
	c->has_end = c->spaced = c->old = false;
	c->insts.n = 0;
	c->closing.order = 0;
	memset(&c->n, 0, sizeof(c->n));
	c->mode = (struct dl_mode){ .given_word = c->mode.given_word };
}

static void
write_notes(struct corr *c)
{
	const struct corr_proc *p;
	uint64_t evicted = 0;
	char name[64];
	enum why w;
	size_t i;

	/* lookups of sequence ids and op ids that failed because newer ids had
	 * replaced them: each process remembers a limited number */
	for (i = 0; (p = proc_nth(&c->threads, i)) != NULL; i++)
		evicted += p->fwd.evicted + p->bwd.evicted;
	for (w = WHY_NONE + 1; w < WHY_N; w++) {
		snprintf(name, sizeof(name), "unassociated_%s", why_words[w]);
		stage_note(name, c->n.why[w]);
	}
	stage_note("markers_unclosed", c->n.leaked);
	stage_note("markers_damaged", c->n.damaged + c->ops.n_damaged);
	stage_note("markers_broken", c->n.broken);
	stage_note("markers_without_args", c->ops.n_no_args);
	stage_note("ranges_unended", c->n.unended);
	stage_note("ranges_end_before_start", c->n.backwards);
	stage_note("ranges_crossing_threads", c->n.crossing);
	stage_note("ranges_too_deep", c->n.too_deep);
	stage_note("ranges_not_projected", c->n.unprojected);
	stage_note("backward_unpaired", c->n.unpaired);
	stage_note("ids_evicted", evicted);
	stage_note("records_late", c->n.late);
	if (c->ops.dl != NULL)
		stage_note("calls_of_shared_ops", dl_shared(&c->ops));
	stage_note("graphs_whole", c->n.graphs);
}

static double
gpu_share(const struct corr *c, int64_t ns)
{
	return 100.0 * (double)ns / (double)c->n.gpu_ns;
}

/* Prints a message if CUDA graphs were recorded without their kernels, and one
 * if part of the GPU's time has no op. */
static void
warn_of_time(const struct corr *c)
{
	struct buf buf = { 0 };
	enum why w;

	if (c->n.graphs > 0 && c->n.gpu_ns > 0)
		warn("%" PRIu64 " runs of CUDA graphs, %.1f %% of the GPU time,"
		     " were recorded as a whole: nsys profile"
		     " --cuda-graph-trace=node records their kernels",
		    c->n.graphs, gpu_share(c, c->n.graph_ns));
	if (c->quiet || c->n.gpu_ns <= 0 ||
	    c->n.why_ns[WHY_NONE] == c->n.gpu_ns)
		return;
	for (w = WHY_NONE + 1; w < WHY_N; w++)
		if (c->n.why_ns[w] > 0)
			buf_printf(&buf, "%s%s %.1f %%",
			    buf.len > 0 ? ", " : "", why_words[w],
			    gpu_share(c, c->n.why_ns[w]));
	warn("%.1f %% of the GPU time belongs to ops; no op: %s",
	    gpu_share(c, c->n.why_ns[WHY_NONE]), buf_str(&buf));
	buf_free(&buf);
}

void
corr_end(struct stage *st)
{
	struct corr *c = st->ctx;
	struct corr_proc *p;
	size_t i;

	graph_launch_end(c, INT64_MAX);
	close_until(c, INT64_MAX);
	if (c->ops.dl != NULL || c->mode.given_word != NULL)
		dl_end(c);
	write_notes(c);
	warn_of_time(c);
	for (i = 0; (p = proc_nth(&c->threads, i)) != NULL; i++) {
		graph_free(p);
		xla_free(p);
	}
	py_end(c);
	procs_free(&c->threads);
	map_free(&c->texts.written);
	ops_end(&c->ops);
	if (c->ops.dl != NULL)
		dl_free(c->ops.dl);
	prims_end(&c->prims);
	comms_end(&c->comms);
	map_free(&c->dtypes.by_id);
	projs_free(&c->projs);
	insts_free(&c->insts);
}

int
corr_run(struct corr *c, struct stage *st)
{
	c->ops.markers = c->markers = markers_new();
	c->threads.texts = &c->texts;
	c->threads.insts = &c->insts;
	c->insts.closing = &c->closing;
	c->pyprof = py_new();
	if (c->dlprof)
		dl_init(c, st);
	c->comms.off = c->dlprof; /* it has no class for communication */
	prims_init(&c->prims);
	if (!c->comms.off)
		comm_open(&c->comms.rules, NULL);
	projs_init(&c->projs, &c->closing);
	write_init(&c->types);
	feed_start(c, st);
	return stage_run(st);
}
