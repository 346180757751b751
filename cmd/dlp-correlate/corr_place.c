/*
 * Finds the run and op that launched a work record, or the reason why there is
 * none, and its phase.
 */
#include "corr.h"

#include <string.h>

#include "num.h"

const char *const why_words[WHY_N] = {
	[WHY_BEFORE] = "before-window",
	[WHY_NO_API] = "no-api",
	[WHY_NO_RANGE] = "no-range",
	[WHY_USER] = "user-range",
	[WHY_UNCLOSED] = "unclosed",
	[WHY_GRAPH] = "graph",
	[WHY_LIBRARY] = "xla-library",
};

static enum why
why_none(const struct corr_work *work)
{
	const struct corr_open *top;

	if (!work->has_api || work->th == NULL) {
		if (!work->p->has_call || work->corr < work->p->first_corr)
			return WHY_BEFORE;
		return WHY_NO_API;
	}
	top = thread_top(work->th);
	if (work->has_node || work->type == W_GRAPH)
		return WHY_GRAPH;
	if (top == NULL)
		return WHY_NO_RANGE;
	if (top->n_dead > 0)
		return WHY_UNCLOSED;
	return top->n_user > 0 ? WHY_USER : WHY_NO_RANGE;
}

void
work_place(struct corr *c, const struct corr_work *work, struct corr_place *pl)
{
	struct corr_thread *th = work->th;
	struct corr_proc *p = work->p;
	bool dl = c->ops.dl != NULL, guess = false;
	const struct corr_open *top;
	int captured;
	int64_t ns;

	memset(pl, 0, sizeof(*pl));
	pl->kern = work->type == W_KERN;
	if (work->has_api) {
		p->begun = true;
		if (!p->has_call || work->corr < p->first_corr)
			p->first_corr = work->corr;
		p->has_call = true;
	}
	if (work->type == W_CALL) {
		p->has_launch = true;
		p->launch_corr = work->corr;
		p->launch_id = work->id;
	}
	if ((!work->has_node || !graph_place(c, work, pl)) && th != NULL &&
	    !(dl && dl_is_outside(work)))
		pl->in = current_inst(c, th);
	if (pl->in == NULL && !dl)
		xla_place(c, work, pl);
	top = th != NULL ? thread_top(th) : NULL;
	if (top != NULL && !work->has_node)
		pl->told = top->told;
	captured = pl->phase;
	pl->phase =
	    th != NULL ? phase_now(&c->threads, work->p, th, &guess) : 0;
	pl->phase_by = guess ? PHASE_BY_THREAD : PHASE_BY_RANGE;
	if (pl->layer.n == 0 && top != NULL)
		pl->layer = (struct mview){ th->layer.s, top->layer_len };
	if (pl->in == NULL && dl) {
		pl->in = dl_outside(c, work, pl->layer);
		if (op_get(&c->ops, pl->in->op)->none)
			pl->why = why_none(work);
	}
	if (pl->in == NULL) {
		if (pl->why == WHY_NONE)
			pl->why = why_none(work);
	} else {
		if (top != NULL && !pl->in->replay) {
			pl->prim = top->prim;
			pl->prim_run = top->prim_run;
		}
		pl->op = pl->in->op;
		pl->layer = op_get(&c->ops, pl->op)->f[OF_LAYER];
		if (pl->in->replay && captured == 0)
			captured = pl->in->phase;
		if (work->comm != NULL)
			inst_add_call(pl->in, work);
		else
			inst_add(pl->in, work);
	}
	if (pl->phase == 0 && captured != 0) {
		pl->phase = captured;
		pl->phase_by = PHASE_BY_GRAPH;
	}
	if (work->comm != NULL)
		comm_place(c, work, pl);
	else if (pl->in == NULL)
		pl->op = op_unassociated(&c->ops, pl->layer, work->what);
	if (work->type == W_CALL || work->type == W_SYNC)
		return;
	ns = work->has_gpu ? num_sub(work->end, work->start) : 0;
	c->n.why[pl->why]++;
	c->n.why_ns[pl->why] = num_add(c->n.why_ns[pl->why], ns);
	c->n.gpu_ns = num_add(c->n.gpu_ns, ns);
	if (work->type == W_GRAPH) {
		c->n.graphs++;
		c->n.graph_ns = num_add(c->n.graph_ns, ns);
	}
}
