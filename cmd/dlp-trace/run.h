/* The way of a stream through dlp-trace. */
#ifndef TRACE_RUN_H
#define TRACE_RUN_H

#include "stage.h"

/* To the end of the stage that is open; iter_only: nothing outside of
 * iterations. The exit status. */
int trace_run(struct stage *st, bool iter_only);

#endif
