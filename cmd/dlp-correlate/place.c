/* Work: which run of which op launched it, or why none did. */
#include "place.h"

#include "corr.h"
#include "current.h"
#include "dl_call.h"
#include "graph.h"
#include "num.h"
#include "phase.h"

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

static enum why
why_none(const struct work *w)
{
	const struct open *top;

	if (!w->has_api || w->th == NULL) {
		if (!w->p->has_call || w->corr < w->p->first_corr)
			return WHY_BEFORE;
		return WHY_NO_API;
	}
	top = thread_top(w->th);
	if (w->has_node || w->type == W_GRAPH)
		return WHY_GRAPH;
	if (top == NULL)
		return WHY_NO_RANGE;
	if (top->n_dead > 0)
		return WHY_UNCLOSED;
	return top->n_user > 0 ? WHY_USER : WHY_NO_RANGE;
}

static void
count(struct corr *c, const struct work *w, const struct place *pl)
{
	int64_t ns = w->has_gpu ? num_sub(w->end, w->start) : 0;

	c->n.why[pl->why] += w->type != W_CALL && w->type != W_SYNC;
	if (w->type == W_CALL || w->type == W_SYNC)
		return;
	c->n.gpu_ns = num_add(c->n.gpu_ns, ns);
	if (w->type == W_GRAPH) {
		c->n.graphs++;
		c->n.graph_ns = num_add(c->n.graph_ns, ns);
	}
	c->n.why_ns[pl->why] = num_add(c->n.why_ns[pl->why], ns);
}

static void
note_call(struct proc *p, const struct work *w)
{
	if (!w->has_api)
		return;
	if (!p->has_call || w->corr < p->first_corr)
		p->first_corr = w->corr;
	p->has_call = true;
	if (w->type == W_CALL) {
		p->has_launch = true;
		p->launch_corr = w->corr;
		p->launch_id = w->id;
	}
}

static void
place_phase(struct corr *c, const struct work *w, struct place *pl)
{
	bool guess = false;
	int captured = pl->phase;

	pl->phase = 0;
	if (w->th != NULL)
		pl->phase = phase_now(&c->threads, w->p, w->th, &guess);
	pl->phase_by = guess ? PHASE_BY_THREAD : PHASE_BY_RANGE;
	if (pl->phase == 0 && captured != 0) {
		pl->phase = captured;
		pl->phase_by = PHASE_BY_GRAPH;
	}
}

/* The layer path that the work's thread is in. */
static struct text
open_layer(const struct work *w, const struct open *top)
{
	static const struct text none;

	if (top == NULL)
		return none;
	return (struct text){ w->th->layer.s, top->layer_len };
}

/* The run that launched it. With --dlprof a call before the node of a backward
 * is outside of ops, as DLProf, which knows no frames, has it: the op that it
 * would name is none. */
static struct inst *
launcher(struct corr *c, const struct work *w)
{
	const struct open *top = thread_top(w->th);

	if (c->dlprof && (w->type == W_CALL || w->type == W_SYNC) &&
	    top != NULL && top->cur != NULL && top->cur->pending)
		return NULL;
	return current_inst(c, w->th);
}

void
work_place(struct corr *c, const struct work *w, struct place *pl)
{
	struct open *top;

	pl->in = NULL;
	pl->layer.n = 0;
	pl->phase = 0;
	pl->kern = w->type == W_KERN;
	pl->prim = 0;
	pl->prim_run = 0;
	pl->why = WHY_NONE;
	note_call(w->p, w);
	if ((!w->has_node || !graph_place(c, w, pl)) && w->th != NULL)
		pl->in = launcher(c, w);
	top = w->th != NULL ? thread_top(w->th) : NULL;
	place_phase(c, w, pl);
	if (pl->layer.n == 0)
		pl->layer = open_layer(w, top);
	if (pl->in == NULL && c->dlprof) {
		pl->in = dl_call_run(c, w, pl->layer);
		if (op_get(&c->ops, pl->in->op)->none)
			pl->why = why_none(w);
	}
	if (pl->in != NULL) {
		if (top != NULL && !pl->in->replay) {
			pl->prim = top->prim;
			pl->prim_run = top->prim_run;
		}
		pl->op = pl->in->op;
		pl->layer = op_get(&c->ops, pl->op)->f[OF_LAYER];
		if (pl->in->replay && pl->phase == 0) {
			pl->phase = pl->in->phase;
			pl->phase_by = PHASE_BY_GRAPH;
		}
		inst_add(pl->in, w);
	} else {
		pl->op = op_unassociated(&c->ops, pl->layer, w->what);
		pl->why = why_none(w);
	}
	count(c, w, pl);
}
