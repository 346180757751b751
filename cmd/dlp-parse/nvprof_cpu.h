/* The sources of calls, overhead and allocations. */
#ifndef DLP_PARSE_NVPROF_CPU_H
#define DLP_PARSE_NVPROF_CPU_H

#include "nvprof_row.h"

void nvprof_add_cpu(struct nvprof *nv, struct sources *ss);

#endif
