/* The stage: which record goes where. */
#ifndef AGG_RUN_H
#define AGG_RUN_H

#include "plan.h"
#include "stage.h"

/* Reads the stream, which is open, to its end, and writes the results; argv
 * is for our ##cmd. The exit status. */
int agg_run(struct plan *plan, struct stage *st, int argc, char *const *argv);

#endif
