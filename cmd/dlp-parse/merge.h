/* The events of a profile in launch order, written. */
#ifndef DLP_PARSE_MERGE_H
#define DLP_PARSE_MERGE_H

#include <stdbool.h>

#include "event.h"

struct profile;

bool merge_peek(struct profile *p); /* false: no more events */
const struct event *merge_head(const struct profile *p);
void merge_emit(struct profile *p); /* writes the next event's records */
void merge_notes(void);

#endif
