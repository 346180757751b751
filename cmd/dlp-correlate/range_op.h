/* Ranges of a framework. */
#ifndef DLP_RANGE_OP_H
#define DLP_RANGE_OP_H

#include "marker.h"

struct corr;
struct open;
struct thread;

/* o is the top of the thread, m what its text says. */
void range_op(
    struct corr *c, struct thread *th, struct open *o, struct marker *m);

#endif
