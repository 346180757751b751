/* The sources of GPU work. */
#ifndef DLP_PARSE_NSYS_GPU_H
#define DLP_PARSE_NSYS_GPU_H

#include "nsys_row.h"

void nsys_add_gpu(struct nsys *ns, struct sources *ss);

#endif
