/* The sources of ranges and marks. */
#ifndef DLP_PARSE_NVPROF_MARKER_H
#define DLP_PARSE_NVPROF_MARKER_H

#include "nvprof_row.h"

void nvprof_add_markers(struct nvprof *nv, struct sources *ss);

#endif
