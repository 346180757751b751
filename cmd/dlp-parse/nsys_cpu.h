/* The sources of what the CPU does, but for NVTX. */
#ifndef DLP_PARSE_NSYS_CPU_H
#define DLP_PARSE_NSYS_CPU_H

#include "nsys_row.h"

void nsys_add_cpu(struct nsys *ns, struct sources *ss);

#endif
