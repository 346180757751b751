/*
 * The phase of work is named by the outermost range of the thread that names
 * one: a module's forward that is computed again in the backward pass is
 * backward. A forward or backward pass inside the optimizer's step is what it
 * says, because a closure that the step was given, as by Lightning, computes
 * it. Backward work comes from a thread of its own. So if a thread has no
 * phase, and exactly one other thread of the process has one, which is
 * backward, that is used and marked as a guess. Another phase of that thread
 * says nothing: a worker that copies the next batch runs beside the forward
 * pass.
 */
#include <ctype.h>

#include "array.h"
#include "corr_thread.h"
#include "mk.h"

/*
 * A range names a phase if it contains one of its words (ops.tab) and no word
 * of another phase ("forward backward" names none).
 */

const char *const phase_words[PH_N] = {
	[PH_FWD] = "forward",
	[PH_BWD] = "backward",
	[PH_OPT] = "optimizer",
	[PH_DATA] = "dataload",
};

int
phase_of_text(struct mview v)
{
	char word[16];
	size_t i = 0, n;
	int found = PH_NONE, ph;

	while (i < v.n) {
		while (i < v.n && !isalpha((unsigned char)v.s[i]))
			i++;
		for (n = 0; i < v.n && isalpha((unsigned char)v.s[i]); i++, n++)
			if (n < sizeof(word))
				word[n] = (char)tolower((unsigned char)v.s[i]);
		ph = n <= sizeof(word) ? PH_N - 1 : PH_NONE;
		while (ph > PH_NONE &&
		       !mk_is(WORD_PHASE << ph, (struct mview){ word, n }))
			ph--;
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

int
phase_now(struct threads *ts, struct corr_proc *proc, struct corr_thread *th,
    bool *guess)
{
	const struct corr_open *top;
	int found = 0;
	size_t i;

	if (guess != NULL)
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
	if (guess != NULL)
		*guess = true;
	return found;
}

void
thread_phased(struct corr_thread *th)
{
	struct corr_proc *p = th->p;

	if (th->phased)
		return;
	th->phased = true;
	ARRAY_GROW(p->phased, p->n_phased, p->cap_phased);
	p->phased[p->n_phased++] = th;
}
