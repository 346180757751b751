/* From records to calls, of the API and of the operating system. */
#ifndef STATS_READ_CALL_H
#define STATS_READ_CALL_H

#include "fields.h"

void call_open(void);    /* once the reports are known */
void call_section(void); /* a section begins */

/* Records of calls; false: left out, without a duration. */
bool call_api(const struct rec *r);
bool call_os(const struct rec *r);

/* Sets the times of GPU work's call, and tells of the call if it has no
 * record of its own. */
void call_of_gpu(const struct rec *r, enum type t, struct gpu *g);

#endif
