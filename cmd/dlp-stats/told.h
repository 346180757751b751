/* What dlp-parse --rows tells of a section's file in ##info lines. */
#ifndef STATS_TOLD_H
#define STATS_TOLD_H

#include "stage.h"

void told_section(void);
void told_meta(struct stage *st, struct rec *r);

/* False if it is told that the file lacks the table of NVTX, or of API calls:
 * then nothing is made of work by range. */
bool told_nvtx(void);

/* To when ranges last that never end, in sums, as they look on the GPU, and
 * in the trace of push/pop ranges; false if that is not told. */
enum told_of { TOLD_SUM, TOLD_GPU, TOLD_PUSH, TOLD_ENDS };
bool told_end(enum told_of of, int64_t *end);

#endif
