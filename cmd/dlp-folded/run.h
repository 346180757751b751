/* The way of a stream through dlp-folded. */
#ifndef FOLDED_RUN_H
#define FOLDED_RUN_H

#include "stage.h"

struct folded {
	char **types, **frames;
	int ntypes, nframes;
	const char *value; /* a column, or count */
	bool iter_only;    /* nothing outside of iterations */
};

/* To the end of the stage that is open; the exit status. */
int folded_run(struct stage *st, const struct folded *f);

#endif
