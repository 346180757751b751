/*
 * Finds the run and op that launched a work record, or the reason why there is
 * none, and its phase. The phase is named by the outermost range of the thread
 * that names one: a module's forward that is computed again in the backward
 * pass is backward. A forward or backward pass inside the optimizer's step is
 * what it says, because a closure that the step was given, as by Lightning,
 * computes it. Backward work comes from a thread of its own. So if a thread has
 * no phase, and exactly one other thread of the process has one, which is
 * backward, that is used and marked as a guess. Another phase of that thread
 * says nothing: a worker that copies the next batch runs beside the forward
 * pass.
 */
#include "corr.h"

#include <ctype.h>
#include <string.h>

#include "array.h"
#include "num.h"

/*
 * Words that name a phase: forward, backward, optimizer, ... A range names a
 * phase if it contains one of its words and no word of another phase ("forward
 * backward" names none).
 */

enum { PH_NONE, PH_FWD, PH_BWD, PH_OPT, PH_DATA, PH_N };

static const char *const words[PH_N] = {
	[PH_FWD] = "forward",
	[PH_BWD] = "backward",
	[PH_OPT] = "optimizer",
	[PH_DATA] = "dataload",
};

static const struct {
	const char *word; /* lower case */
	int phase;
} table[] = {
	{ "forward", PH_FWD },
	{ "fwd", PH_FWD },
	{ "fprop", PH_FWD },
	{ "backward", PH_BWD },
	{ "backwards", PH_BWD },
	{ "bwd", PH_BWD },
	{ "bprop", PH_BWD },
	{ "optimizer", PH_OPT },
	{ "optimiser", PH_OPT },
	{ "optim", PH_OPT },
	{ "opt", PH_OPT },
	{ "dataloader", PH_DATA },
	{ "dataload", PH_DATA },
	{ "dataloading", PH_DATA },
};

static int
word_phase(const char *s, size_t n)
{
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(table); i++) {
		const char *w = table[i].word;

		for (k = 0; k < n && w[k] != '\0'; k++)
			if (tolower((unsigned char)s[k]) != w[k])
				break;
		if (k == n && w[k] == '\0')
			return table[i].phase;
	}
	return PH_NONE;
}

static bool
is_letter(char ch)
{
	return isalpha((unsigned char)ch) != 0;
}

int
phase_of_text(const char *s, size_t n)
{
	size_t i = 0, from;
	int found = PH_NONE, ph;

	while (i < n) {
		while (i < n && !is_letter(s[i]))
			i++;
		from = i;
		while (i < n && is_letter(s[i]))
			i++;
		ph = word_phase(s + from, i - from);
		if (ph == PH_NONE || ph == found)
			continue;
		if (found != PH_NONE)
			return PH_NONE;
		found = ph;
	}
	return found;
}

int
phase_inside(int outer, int own)
{
	bool closure = outer == PH_OPT && (own == PH_FWD || own == PH_BWD);

	return outer == PH_NONE || closure ? own : outer;
}

const char *
phase_word(int phase)
{
	return words[phase];
}

int
phase_now(struct threads *ts, struct corr_proc *proc, struct corr_thread *th,
    bool *guess)
{
	const struct corr_open *top;
	int found = 0;
	size_t i;

	*guess = false;
	if (th == NULL)
		return 0;
	top = thread_top(th);
	if (top != NULL && top->phase != 0)
		return top->phase;
	for (i = 0; i < proc->n_phased; i++) {
		if (proc->phased[i] == th)
			continue;
		thread_sweep(ts, proc->phased[i]);
		top = thread_top(proc->phased[i]);
		if (top == NULL || top->phase == 0)
			continue;
		if (found != 0)
			return 0;
		found = top->phase;
	}
	if (found != PH_BWD)
		return 0;
	*guess = true;
	return found;
}

static const char *const why_words[WHY_N] = {
	[WHY_BEFORE] = "before-window",
	[WHY_NO_API] = "no-api",
	[WHY_NO_RANGE] = "no-range",
	[WHY_USER] = "user-range",
	[WHY_UNCLOSED] = "unclosed",
	[WHY_GRAPH] = "graph",
	[WHY_LIBRARY] = "xla-library",
};

const char *
why_word(enum why w)
{
	return why_words[w];
}

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

static void
count_work(struct corr *corr, const struct corr_work *work,
    const struct corr_place *pl)
{
	int64_t ns = work->has_gpu ? num_sub(work->end, work->start) : 0;

	corr->n.why[pl->why] += work->type != W_CALL && work->type != W_SYNC;
	if (work->type == W_CALL || work->type == W_SYNC)
		return;
	corr->n.gpu_ns = num_add(corr->n.gpu_ns, ns);
	if (work->type == W_GRAPH) {
		corr->n.graphs++;
		corr->n.graph_ns = num_add(corr->n.graph_ns, ns);
	}
	corr->n.why_ns[pl->why] = num_add(corr->n.why_ns[pl->why], ns);
}

static void
note_call(struct corr_proc *p, const struct corr_work *w)
{
	if (!w->has_api)
		return;
	p->begun = true;
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
place_phase(
    struct corr *corr, const struct corr_work *work, struct corr_place *pl)
{
	bool guess = false;
	int captured = pl->phase;

	pl->phase = 0;
	if (work->th != NULL)
		pl->phase =
		    phase_now(&corr->threads, work->p, work->th, &guess);
	pl->phase_by = guess ? PHASE_BY_THREAD : PHASE_BY_RANGE;
	if (pl->phase == 0 && captured != 0) {
		pl->phase = captured;
		pl->phase_by = PHASE_BY_GRAPH;
	}
}

/* The layer path that the work's thread is in. */
static struct escaped
open_layer(const struct corr_work *w, const struct corr_open *top)
{
	static const struct escaped none;

	if (top == NULL)
		return none;
	return (struct escaped){ w->th->layer.s, top->layer_len };
}

/* The run that launched the work. */
static struct corr_inst *
launcher(struct corr *c, const struct corr_work *w)
{
	if (c->hooks.is_outside != NULL && c->hooks.is_outside(w))
		return NULL;
	return current_inst(c, w->th);
}

/* Called when the run is found: takes the run's op, and for a captured run its
 * phase. */
static void
place_in_run(struct corr *corr, const struct corr_work *work,
    const struct corr_open *top, struct corr_place *pl)
{
	if (top != NULL && !pl->in->replay) {
		pl->prim = top->prim;
		pl->prim_run = top->prim_run;
	}
	pl->op = pl->in->op;
	pl->layer = op_get(&corr->ops, pl->op)->f[OF_LAYER];
	if (pl->in->replay && pl->phase == 0) {
		pl->phase = pl->in->phase;
		pl->phase_by = PHASE_BY_GRAPH;
	}
	if (work->comm != NULL)
		inst_add_call(pl->in, work);
	else
		inst_add(pl->in, work);
}

void
work_place(
    struct corr *corr, const struct corr_work *work, struct corr_place *pl)
{
	const struct corr_open *top;

	memset(pl, 0, sizeof(*pl));
	pl->kern = work->type == W_KERN;
	note_call(work->p, work);
	if ((!work->has_node || !graph_place(corr, work, pl)) &&
	    work->th != NULL)
		pl->in = launcher(corr, work);
	if (pl->in == NULL && corr->ops.hooks.same == NULL)
		xla_place(corr, work, pl);
	top = work->th != NULL ? thread_top(work->th) : NULL;
	if (top != NULL && !work->has_node)
		pl->told = top->told;
	place_phase(corr, work, pl);
	if (pl->layer.n == 0)
		pl->layer = open_layer(work, top);
	if (pl->in == NULL && corr->hooks.outside != NULL) {
		pl->in = corr->hooks.outside(corr, work, pl->layer);
		if (op_get(&corr->ops, pl->in->op)->none)
			pl->why = why_none(work);
	}
	if (pl->in != NULL)
		place_in_run(corr, work, top, pl);
	else if (pl->why == WHY_NONE)
		pl->why = why_none(work);
	if (work->comm != NULL)
		comm_place(corr, work, pl);
	else if (pl->in == NULL)
		pl->op = op_unassociated(&corr->ops, pl->layer, work->what);
	count_work(corr, work, pl);
}
