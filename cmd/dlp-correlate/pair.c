/*
 * Which forward op a backward node belongs to. A node carries the sequence
 * id that was current when its forward ran; several forward ranges peek at
 * the same number, and the last one made the node. AccumulateGrad carries
 * none: the op that made its input does, or if that is not known, the node
 * before it.
 */
#include "pair.h"

#include "pyprof.h"
#include "thread.h"

/* The first input whose producer is known to be a backward's. */
static bool
by_inputs(struct proc *p, const struct marker *m, struct recent_val *v)
{
	int64_t id, out;
	size_t at = 0;

	while (marker_input(m, &at, &id, &out))
		if (id > 0 && recent_get(&p->bwd, id, v))
			return true;
	return false;
}

/* AccumulateGrad runs as soon as its gradient is there, before any other node
 * of its thread: so the gradient is of the node before. */
static bool
by_order(const struct thread *th, const struct marker *m, struct recent_val *v)
{
	static const char word[] = "AccumulateGrad";
	size_t w = sizeof(word) - 1;

	if (m->name.n < w || memcmp(m->name.s + m->name.n - w, word, w) != 0)
		return false;
	v->op = th->last_fwd;
	v->inst = th->last_fwd_inst;
	return v->op != OP_NONE;
}

bool
pair_forward(struct thread *th, const struct marker *m, struct recent_val *v)
{
	struct proc *p = th->p;
	bool found;

	if (m->seq >= 0)
		found = proc_is_pyprof(p) ? pyprof_forward(p, m->seq, v)
					  : recent_get(&p->fwd, m->seq, v);
	else
		found = by_inputs(p, m, v) ||
			(!proc_is_pyprof(p) && by_order(th, m, v));
	return found && v->op != OP_NONE;
}
