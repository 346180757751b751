/* The tail of emit_nvtx's texts. */
#ifndef DLP_MK_TAIL_H
#define DLP_MK_TAIL_H

#include "marker.h"

/* Sets seq, op_id, sizes and input_ids from the tail, and cuts m->name before
 * it. 1: a whole tail; 0: none; -1: one that is cut off or malformed, what
 * could be read is set. */
int mk_tail(struct marker *m);

#endif
