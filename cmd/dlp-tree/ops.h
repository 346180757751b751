/* The ops of a section: their nodes, and what counts of them once. */
#ifndef TREE_OPS_H
#define TREE_OPS_H

#include "node.h"

struct tree_op {
	uint32_t node;
	bool seen; /* it ran */
	bool eligible, tc;
};

struct ops {
	struct map at; /* op id -> place in v */
	struct tree_op *v;
	size_t n, cap;
};

/* A new op, or the one of that id that there was. */
struct tree_op *ops_put(struct ops *o, int64_t id);

/* NULL if there is none. */
struct tree_op *ops_get(const struct ops *o, int64_t id);

/* Counts those that ran in the nodes above them. */
void ops_count(const struct ops *o, struct tree *t);

void ops_clear(struct ops *o);

#endif
