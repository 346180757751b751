/* API calls that make the CPU wait for the GPU, alone or with the work that
 * they launched. */
#ifndef ADVISE_API_H
#define ADVISE_API_H

#include "facts.h"
#include "stage.h"

enum api_of { API_KERN, API_COPY, API_SET, API_SYNC, API_CALL, API_N };

/* The columns of these types' records. */
void api_bind(struct stage *st);

void api_count(struct facts *f, const struct rec *r, enum api_of which);

/* In an iteration, or there are none at all. */
bool in_iter(const struct rec *r, const struct rec_col *iter);

#endif
