/* Records of GPU work. */
#ifndef DLP_PARSE_EMIT_GPU_H
#define DLP_PARSE_EMIT_GPU_H

#include <stdbool.h>

#include "event.h"

struct profile;

/* call NULL: none is known. own: the call has a record of its own. */
void emit_gpu(struct profile *p, const struct event *ev,
    const struct event *call, bool own);

#endif
