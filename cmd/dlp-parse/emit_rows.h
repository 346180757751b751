/*
 * --rows: where an event stands in the file, which is the order of what is
 * equal otherwise: the row of its table, and the number of its name.
 */
#ifndef DLP_PARSE_EMIT_ROWS_H
#define DLP_PARSE_EMIT_ROWS_H

#include <stdbool.h>

#include "event.h"

extern bool emit_rows; /* whether it was asked for */

#define EMIT_ROWS_MAX 4

/* Appends the names of the columns of the kind, at most EMIT_ROWS_MAX; how
 * many: none without --rows. */
int emit_rows_names(enum ev_kind kind, const char **names);

/* Their values; call: of GPU work, may be NULL. */
void emit_rows_cols(const struct event *ev, const struct event *call);

#endif
