/*
 * Phases: forward, backward, optimizer, ... A range names a phase if one of
 * its words does and no word of another phase stands in it ("forward
 * backward" names none). Work gets the phase of the outermost such range of
 * its thread (a module's forward that is computed again in the backward
 * pass is backward). Backward work comes from a thread of its own, so where
 * a thread has none, and exactly one other thread of the process has, that
 * one is taken and marked as a guess.
 */
#include <ctype.h>
#include <stdlib.h>

#include "corr.h"
#include "err.h"

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

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
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

const char *
phase_word(int phase)
{
	return words[phase];
}

int
phase_now(struct corr *c, struct proc *p, struct thread *th, bool *guess)
{
	const struct open *top;
	int found = PH_NONE;
	size_t i;

	*guess = false;
	if (th == NULL)
		return PH_NONE;
	top = thread_top(th);
	if (top != NULL && top->phase != PH_NONE)
		return top->phase;
	for (i = 0; i < p->n_phased; i++) {
		if (p->phased[i] == th)
			continue;
		thread_sweep(c, p->phased[i]);
		top = thread_top(p->phased[i]);
		if (top == NULL || top->phase == PH_NONE)
			continue;
		if (found != PH_NONE)
			return PH_NONE;
		found = top->phase;
	}
	*guess = found != PH_NONE;
	return found;
}
