/*
 * Which forward op a backward node belongs to. A node carries the sequence
 * id that was current when its forward ran; several forward ranges peek at
 * the same number, and the last one made the node. AccumulateGrad carries
 * none: the op that made its input does, or if that is not known, the node
 * before it.
 *
 * Both maps are rings indexed by the number itself, which counts up: the
 * newest 2^20 numbers of a process are kept, a number pushed out by a newer
 * one is counted when it is asked for.
 */
#include <stdlib.h>

#include "corr.h"
#include "err.h"

#define RECENT_MIN 1024u
#define RECENT_MAX (1u << 20)

struct recent_slot {
	int64_t key; /* + 1; 0 is free */
	struct recent_val v;
};

static void
grow(struct recent *m)
{
	struct recent_slot *old = m->slot, *s;
	size_t i, n = m->cap;

	m->cap = n > 0 ? n * 2 : RECENT_MIN;
	m->slot = xcalloc(m->cap, sizeof(*m->slot));
	for (i = 0; i < n; i++) {
		if (old[i].key == 0)
			continue;
		s = &m->slot[(size_t)(old[i].key - 1) & (m->cap - 1)];
		if (s->key < old[i].key)
			*s = old[i];
	}
	free(old);
}

void
recent_put(struct recent *m, int64_t key, struct recent_val v)
{
	struct recent_slot *s;

	if (key < 0 || key == INT64_MAX)
		return;
	if (m->cap == 0)
		grow(m);
	for (;;) {
		s = &m->slot[(size_t)key & (m->cap - 1)];
		if (s->key == 0 || s->key == key + 1 || m->cap >= RECENT_MAX)
			break;
		grow(m);
	}
	s->key = key + 1;
	s->v = v;
}

bool
recent_get(struct recent *m, int64_t key, struct recent_val *v)
{
	const struct recent_slot *s;

	if (m->cap == 0 || key < 0 || key == INT64_MAX)
		return false;
	s = &m->slot[(size_t)key & (m->cap - 1)];
	if (s->key == key + 1) {
		*v = s->v;
		return true;
	}
	if (s->key > key + 1)
		m->evicted++;
	return false;
}

void
recent_free(struct recent *m)
{
	free(m->slot);
	memset(m, 0, sizeof(*m));
}

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

/* PyProf looks at kernels, not ranges: the last forward kernel that kept the
 * sequence id, else the last that had it as an alternative. */
static bool
by_kernel(struct proc *p, int64_t seq, struct recent_val *v)
{
	return recent_get(&p->py.seq, seq, v) || recent_get(&p->py.alt, seq, v);
}

bool
pair_forward(struct corr *c, struct thread *th, const struct marker *m,
    struct recent_val *v)
{
	struct proc *p = th->p;
	bool found;

	if (m->seq >= 0)
		found = pyprof_mode(p) ? by_kernel(p, m->seq, v)
				       : recent_get(&p->fwd, m->seq, v);
	else
		found = by_inputs(p, m, v) ||
			(!pyprof_mode(p) && by_order(th, m, v));
	if (!found || v->op == OP_NONE) {
		c->n_unpaired++;
		return false;
	}
	return true;
}
