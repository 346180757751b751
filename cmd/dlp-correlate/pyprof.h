/* PyProf's columns of a kernel. */
#ifndef DLP_PYPROF_H
#define DLP_PYPROF_H

#include "buf.h"
#include "names.h"
#include "ops.h"
#include "recent.h"
#include "work.h"

struct pycols {
	bool has_seq, over; /* over: mod, op and dir replace the op's */
	int64_t seq, sub;   /* sub -1: none */
	struct text mod, op;
	bool bwd;
	struct buf alt; /* comma separated */
};

/* o->alt is emptied and filled; views live until the next call. */
void pyprof_kernel(const struct names *names, const struct ops *ops,
    const struct work *w, const struct place *pl, struct pycols *o);

/* The op of the last forward kernel that kept the sequence id, else of the
 * last that had it as an alternative. */
bool pyprof_forward(struct proc *p, int64_t seq, struct recent_val *v);

void pyprof_free(struct proc *p);

#endif
