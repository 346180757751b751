/* Names for CUTLASS kernels that have none but their type. */
#ifndef DLP_PARSE_KERNNAME_CUTLASS_H
#define DLP_PARSE_KERNNAME_CUTLASS_H

#include <stdbool.h>

#include "buf.h"
#include "kernname_span.h"

/* Appends a name in CUTLASS's own manner for the kernel type, the template
 * argument of cutlass::Kernel and its likes; false if the type is not
 * CUTLASS's. */
bool kernname_cutlass(struct span type, struct buf *out);

#endif
