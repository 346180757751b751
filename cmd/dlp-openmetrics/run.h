/* The way of a stream through dlp-openmetrics. */
#ifndef OM_RUN_H
#define OM_RUN_H

#include "stage.h"
#include "table.h"

/* To the end of the stage that is open; the metrics to out. The exit
 * status. */
int om_run(
    struct stage *st, const struct table *t, bool iter_only, struct buf *out);

#endif
