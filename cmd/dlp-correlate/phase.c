/*
 * The phase of work: that of the outermost range of its thread that names one
 * (a module's forward that is computed again in the backward pass is
 * backward). Backward work comes from a thread of its own, so where a thread
 * has none, and exactly one other thread of the process has, that one is
 * taken and marked as a guess.
 */
#include "phase.h"

#include "thread.h"

int
phase_now(struct threads *ts, struct proc *p, struct thread *th, bool *guess)
{
	const struct open *top;
	int found = 0;
	size_t i;

	*guess = false;
	if (th == NULL)
		return 0;
	top = thread_top(th);
	if (top != NULL && top->phase != 0)
		return top->phase;
	for (i = 0; i < p->n_phased; i++) {
		if (p->phased[i] == th)
			continue;
		thread_sweep(ts, p->phased[i]);
		top = thread_top(p->phased[i]);
		if (top == NULL || top->phase == 0)
			continue;
		if (found != 0)
			return 0;
		found = top->phase;
	}
	*guess = found != 0;
	return found;
}
