/*
 * Work: which run of which op launched it, or why none did.
 */
#include "corr.h"
#include "num.h"

/* A backward frame that has work before its node: named by what the frame
 * says, without its forward. */
static void
resolve_by_name(struct corr *c, struct thread *th, struct inst *in)
{
	struct marker m = { .kind = MK_BWD,
		.by = BY_PYTORCH,
		.seq = -1,
		.op_id = -1,
		.step = -1 };
	size_t i;

	for (i = th->n; i > 0 && th->v[i - 1].own != in;)
		i--;
	if (i > 0 && th->v[i - 1].text.s != NULL) {
		m.name.s = th->v[i - 1].text.s;
		m.name.n = th->v[i - 1].text.len;
	} else {
		m.name.s = "";
	}
	m.text = m.op = m.name;
	in->op = op_of_backward(c, th, &m, OP_NONE);
	in->need_node = true;
	c->n_unpaired++;
	inst_schedule(c, in);
}

struct inst *
thread_inst(struct corr *c, struct thread *th)
{
	struct open *top = thread_top(th);

	if (top == NULL || top->cur == NULL)
		return NULL;
	if (top->cur->pending)
		resolve_by_name(c, th, top->cur);
	return top->cur;
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

	c->n_why[pl->why] += w->type != W_CALL && w->type != W_SYNC;
	if (w->type == W_CALL || w->type == W_SYNC)
		return;
	c->gpu_ns = num_add(c->gpu_ns, ns);
	c->why_ns[pl->why] = num_add(c->why_ns[pl->why], ns);
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

	pl->phase = 0;
	if (w->th != NULL)
		pl->phase = phase_now(c, w->p, w->th, &guess);
	pl->phase_by = guess ? PHASE_BY_THREAD : PHASE_BY_RANGE;
}

/* The work's thread is swept. */
void
work_place(struct corr *c, const struct work *w, struct place *pl)
{
	static const struct text none;
	struct open *top;

	pl->in = NULL;
	pl->why = WHY_NONE;
	note_call(w->p, w);
	if ((!w->has_node || !graph_place(c, w, pl)) && w->th != NULL)
		pl->in = thread_inst(c, w->th);
	top = w->th != NULL ? thread_top(w->th) : NULL;
	place_phase(c, w, pl);
	if (pl->in != NULL) {
		pl->op = pl->in->op;
		pl->layer = op_get(c, pl->op)->f[OF_LAYER];
		if (pl->in->replay && pl->phase == 0) {
			pl->phase = pl->in->phase;
			pl->phase_by = PHASE_BY_GRAPH;
		}
		inst_add(pl->in, w);
	} else {
		pl->layer = none;
		if (top != NULL)
			pl->layer =
			    (struct text){ w->th->layer.s, top->layer_len };
		pl->op = op_unassociated(c, pl->layer, w->what);
		pl->why = why_none(w);
	}
	count(c, w, pl);
}
