/* The stage: which record goes where. */
#ifndef AGG_RUN_H
#define AGG_RUN_H

#include "spec.h"
#include "stage.h"

/* Reads the stream, which is open, to its end, and writes the result; argv
 * is for our ##cmd. The exit status. */
int agg_run(struct spec *spec, struct stage *st, int argc, char *const *argv);

#endif
