/*
 * Time goes on: runs and projections close in the order of their ends. At
 * the end of a section: what is still open, and the notes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "corr.h"
#include "err.h"

static const char *const why_words[WHY_N] = {
	[WHY_BEFORE] = "before-window",
	[WHY_NO_API] = "no-api",
	[WHY_NO_RANGE] = "no-range",
	[WHY_USER] = "user-range",
	[WHY_UNCLOSED] = "unclosed",
	[WHY_GRAPH] = "graph",
};

const char *
why_word(enum why w)
{
	return why_words[w];
}

static void
close_until(struct corr *c, int64_t t)
{
	struct closing x;

	while (c->n_heap > 0 && c->heap[0].end <= t) {
		x = heap_pop(c);
		if (x.is_proj)
			proj_write(c, x.p);
		else
			inst_write(c, x.p);
	}
}

void
corr_now(struct corr *c, int64_t t)
{
	if (t > c->now)
		c->now = t;
	if (c->launching != NULL && c->now > c->launch_at)
		graph_launch_end(c);
	if (c->n_heap > 0 && c->heap[0].end <= c->now)
		close_until(c, c->now);
}

void
corr_reset(struct corr *c)
{
	int i;

	c->now = INT64_MIN;
	c->has_end = c->spaced = c->old = false;
	c->n_inst = c->order = 0;
	c->gpu_ns = 0;
	for (i = 0; i < WHY_N; i++) {
		c->n_why[i] = 0;
		c->why_ns[i] = 0;
	}
	c->n_damaged = c->n_broken = c->n_leaked = c->n_unended = 0;
	c->n_crossing = c->n_backwards = c->n_unpaired = c->n_late =
	    c->n_no_args = 0;
}

static uint64_t
evicted(const struct corr *c)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < c->procs.n; i++) {
		const struct proc *p =
		    (const struct proc *)(uintptr_t)c->procs.val[i];

		n += p->fwd.evicted + p->bwd.evicted;
	}
	return n;
}

static void
notes(const struct corr *c)
{
	char name[64];
	int w;

	for (w = WHY_NONE + 1; w < WHY_N; w++) {
		snprintf(name, sizeof(name), "unassociated_%s", why_words[w]);
		stage_note(name, c->n_why[w]);
	}
	stage_note("markers_unclosed", c->n_leaked);
	stage_note("markers_damaged", c->n_damaged);
	stage_note("markers_broken", c->n_broken);
	stage_note("markers_without_args", c->n_no_args);
	stage_note("ranges_unended", c->n_unended);
	stage_note("ranges_end_before_start", c->n_backwards);
	stage_note("ranges_crossing_threads", c->n_crossing);
	stage_note("backward_unpaired", c->n_unpaired);
	stage_note("ids_evicted", evicted(c));
	stage_note("records_late", c->n_late);
}

static double
share(const struct corr *c, int64_t ns)
{
	return 100.0 * (double)ns / (double)c->gpu_ns;
}

/* One line, if part of the GPU's time has no op. */
static void
summary(const struct corr *c)
{
	struct buf b = { 0 };
	int w;

	if (c->gpu_ns <= 0 || c->why_ns[WHY_NONE] == c->gpu_ns)
		return;
	for (w = WHY_NONE + 1; w < WHY_N; w++)
		if (c->why_ns[w] > 0)
			buf_printf(&b, "%s%s %.1f %%", b.len > 0 ? ", " : "",
			    why_words[w], share(c, c->why_ns[w]));
	warn("%.1f %% of the GPU time belongs to ops; no op: %s",
	    share(c, c->why_ns[WHY_NONE]), buf_str(&b));
	buf_free(&b);
}

void
corr_end(struct corr *c)
{
	struct inst *in;

	graph_launch_end(c);
	close_until(c, INT64_MAX);
	notes(c);
	summary(c);
	procs_free(c);
	ops_free(c);
	proj_free(c);
	smap_clear(&c->names);
	while ((in = c->free_inst) != NULL) {
		c->free_inst = in->next_free;
		ivl_free(&in->gpu);
		free(in);
	}
}
