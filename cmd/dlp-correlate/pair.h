/* Which forward op a backward node belongs to. */
#ifndef DLP_PAIR_H
#define DLP_PAIR_H

#include "marker.h"
#include "recent.h"

struct thread;

/* false: not known. */
bool pair_forward(
    struct thread *th, const struct marker *m, struct recent_val *v);

#endif
