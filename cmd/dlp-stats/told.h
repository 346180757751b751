/* What is told of a section: dlp-parse --rows' ##info lines, the commands. */
#ifndef STATS_TOLD_H
#define STATS_TOLD_H

#include "stage.h"

void told_section(void);
void told_meta(struct stage *st, struct rec *r);

/* False if it is told that the file lacks the table of NVTX, or of API calls:
 * then nothing is made of work by range. */
bool told_nvtx(void);

/* Whether the stream went through dlp-correlate, which leaves ranges out. */
bool told_fewer_ranges(void);

/* To when ranges last that never end, in sums, as they look on the GPU, and
 * in the trace of push/pop ranges; false if that is not told. */
enum told_of { TOLD_SUM, TOLD_GPU, TOLD_PUSH, TOLD_ENDS };
bool told_end(enum told_of of, int64_t *end);

#endif
