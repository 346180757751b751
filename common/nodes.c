/* See nodes.h. */
#include "nodes.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

struct node_link {
	int64_t orig;
	bool has_orig;
};

/* the most steps from a node to its root; more means a ring */
#define HOPS_MAX 64

size_t
nodes_put(struct nodes *t, int64_t id)
{
	uint64_t *no = map_put(&t->at, (uint64_t)id, NULL);

	if (*no == 0) {
		ARRAY_GROW(t->v, t->n, t->cap);
		t->v[t->n] = (struct node_link){ 0 };
		*no = ++t->n;
	}
	return *no - 1;
}

void
nodes_link(struct nodes *t, size_t no, int64_t orig)
{
	t->v[no].has_orig = true;
	t->v[no].orig = orig;
}

bool
nodes_root(const struct nodes *t, int64_t id, size_t *no, int64_t *root)
{
	const uint64_t *at;
	int hops;

	for (hops = 0; hops < HOPS_MAX; hops++) {
		at = map_get(&t->at, (uint64_t)id);
		if (at == NULL)
			return false;
		if (!t->v[*at - 1].has_orig) {
			*no = *at - 1;
			*root = id;
			return true;
		}
		id = t->v[*at - 1].orig;
	}
	return false;
}

void
nodes_free(struct nodes *t)
{
	map_free(&t->at);
	free(t->v);
	memset(t, 0, sizeof(*t));
}
