/* --dlprof: what belongs to no op of a marker. */
#ifndef DLP_DL_CALL_H
#define DLP_DL_CALL_H

#include "work.h"

struct corr;

/*
 * The run that work outside of all ops belongs to. While a run of backward
 * goes on in its process, which hands its work to threads of the framework
 * that have no ranges, it is that one; without such a run it is one for each
 * call, of one op. Else the call is an op and a run of its own, or, where no
 * call is known, the activity is a run of the op named after it.
 */
struct inst *dl_call_run(
    struct corr *c, const struct work *w, struct text layer);

#endif
