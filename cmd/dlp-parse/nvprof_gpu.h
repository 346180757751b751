/* The sources of GPU work. */
#ifndef DLP_PARSE_NVPROF_GPU_H
#define DLP_PARSE_NVPROF_GPU_H

#include "nvprof_row.h"

void nvprof_add_gpu(struct nvprof *nv, struct sources *ss);

#endif
