/* The stage of dlp-advise: judges at the end of each section. */
#ifndef ADVISE_RUN_H
#define ADVISE_RUN_H

#include "rule.h"
#include "stage.h"

struct advise_opts {
	bool dlprof;         /* DLProf's detectors alone */
	const char *fail_on; /* NULL, or a comma list: rules, any, dlprof */
};

/* The exit status: 1 if a rule of fail_on has fired. */
int advise_run(struct stage *st, const struct advise_opts *o);

#endif
