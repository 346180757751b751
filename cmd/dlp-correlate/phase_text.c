/*
 * Words that name a phase: forward, backward, optimizer, ... A range names
 * a phase if one of its words does and no word of another phase stands in it
 * ("forward backward" names none).
 */
#include "phase_text.h"

#include <ctype.h>
#include <stdbool.h>

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
