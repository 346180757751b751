/*
 * Time goes on: runs and projections close in the order of their ends. At
 * the end of a section: what is still open, and the notes.
 */
#include "engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "corr.h"
#include "err.h"
#include "graph.h"
#include "place.h"
#include "pyprof.h"
#include "stage.h"

static const struct op *
op_of(const struct corr *c, const struct inst *in)
{
	return op_get(&c->ops, in->op);
}

static void
close_inst(struct corr *c, struct inst *in)
{
	const struct op *op = op_of(c, in);

	inst_write(&c->insts, op, in);
	if (op->once)
		op_drop(&c->ops, op->id);
}

static void
close_until(struct corr *c, int64_t t)
{
	struct timed x;

	while (closing_due(&c->closing, t)) {
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
	if (closing_due(&c->closing, c->threads.now))
		close_until(c, c->threads.now);
}

void
corr_init(struct corr *c)
{
	c->insts.closing = c->projs.closing = &c->closing;
	c->threads.insts = &c->insts;
	c->markers = c->ops.markers = markers_new();
	if (c->dlprof)
		c->ops.dl = &c->dl;
}

void
corr_reset(struct corr *c)
{
	c->threads.now = INT64_MIN;
	c->has_end = c->spaced = c->old = false;
	c->insts.n = 0;
	c->closing.order = 0;
	memset(&c->n, 0, sizeof(c->n));
	memset(&c->mode, 0, sizeof(c->mode));
}

static uint64_t
evicted(const struct corr *c)
{
	const struct proc *p;
	uint64_t n = 0;
	size_t i;

	for (i = 0; (p = proc_nth(&c->threads, i)) != NULL; i++)
		n += p->fwd.evicted + p->bwd.evicted;
	return n;
}

static void
notes(const struct corr *c)
{
	char name[64];
	enum why w;

	for (w = WHY_NONE + 1; w < WHY_N; w++) {
		snprintf(name, sizeof(name), "unassociated_%s", why_word(w));
		stage_note(name, c->n.why[w]);
	}
	stage_note("markers_unclosed", c->n.leaked);
	stage_note("markers_damaged", c->n.damaged + c->ops.n_damaged);
	stage_note("markers_broken", c->n.broken);
	stage_note("markers_without_args", c->ops.n_no_args);
	stage_note("ranges_unended", c->n.unended);
	stage_note("ranges_end_before_start", c->n.backwards);
	stage_note("ranges_crossing_threads", c->n.crossing);
	stage_note("backward_unpaired", c->n.unpaired);
	stage_note("ids_evicted", evicted(c));
	stage_note("records_late", c->n.late);
	stage_note("calls_of_shared_ops", c->n.calls_shared);
	stage_note("graphs_whole", c->n.graphs);
}

static double
share(const struct corr *c, int64_t ns)
{
	return 100.0 * (double)ns / (double)c->n.gpu_ns;
}

/* Lines, if part of the GPU's time has no op, or no kernels. */
static void
summary(const struct corr *c)
{
	struct buf b = { 0 };
	enum why w;

	if (c->n.graphs > 0 && c->n.gpu_ns > 0)
		warn("%" PRIu64 " runs of CUDA graphs, %.1f %% of the GPU time,"
		     " were recorded as a whole: nsys profile"
		     " --cuda-graph-trace=node records their kernels",
		    c->n.graphs, share(c, c->n.graph_ns));
	if (c->n.gpu_ns <= 0 || c->n.why_ns[WHY_NONE] == c->n.gpu_ns)
		return;
	for (w = WHY_NONE + 1; w < WHY_N; w++)
		if (c->n.why_ns[w] > 0)
			buf_printf(&b, "%s%s %.1f %%", b.len > 0 ? ", " : "",
			    why_word(w), share(c, c->n.why_ns[w]));
	warn("%.1f %% of the GPU time belongs to ops; no op: %s",
	    share(c, c->n.why_ns[WHY_NONE]), buf_str(&b));
	buf_free(&b);
}

void
corr_end(struct corr *c)
{
	const char *mode;
	struct proc *p;
	size_t i;

	graph_launch_end(c, INT64_MAX);
	close_until(c, INT64_MAX);
	mode = c->as_mode != NULL ? c->as_mode : dl_mode_word(&c->mode);
	if (mode != NULL && (c->dlprof || c->as_mode != NULL))
		out_meta("info", "mode\t%s", mode);
	notes(c);
	summary(c);
	for (i = 0; (p = proc_nth(&c->threads, i)) != NULL; i++) {
		graph_free(p);
		pyprof_free(p);
	}
	procs_free(&c->threads);
	ops_free(&c->ops);
	prims_free(&c->prims);
	projs_free(&c->projs);
	smap_clear(&c->names.map);
	insts_free(&c->insts);
}
