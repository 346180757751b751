/* The ops of a section; see ops.h. */
#include "err.h"
#include "ops.h"

struct tree_op *
ops_put(struct ops *o, int64_t id)
{
	bool is_new;
	uint64_t *at = map_put(&o->at, (uint64_t)id, &is_new);

	if (!is_new)
		return &o->v[*at];
	if (o->n == o->cap) {
		o->cap = o->cap > 0 ? o->cap * 2 : 64;
		o->v = xrealloc(o->v, o->cap, sizeof(*o->v));
	}
	*at = o->n;
	o->v[o->n] = (struct tree_op){ 0 };
	return &o->v[o->n++];
}

struct tree_op *
ops_get(const struct ops *o, int64_t id)
{
	const uint64_t *at = map_get(&o->at, (uint64_t)id);

	return at != NULL ? &o->v[*at] : NULL;
}

void
ops_count(const struct ops *o, struct tree *t)
{
	size_t i;

	for (i = 0; i < o->n; i++) {
		const struct tree_op *op = &o->v[i];
		uint32_t k = op->node;

		for (; op->seen; k = t->v[k].parent) {
			t->v[k].n_op++;
			t->v[k].n_eligible += op->eligible;
			t->v[k].n_tc += op->tc;
			if (k == 0)
				break;
		}
	}
}

void
ops_clear(struct ops *o)
{
	map_clear(&o->at);
	o->n = 0;
}
