/*
 * The nodes of the tree: paths that end in '/', and their times. Node 0 is
 * the whole model; it is the parent of those that have no other.
 */
#ifndef TREE_NODE_H
#define TREE_NODE_H

#include "flat.h"
#include "map.h"

#define NODE_ALL "_CompleteModel_"

enum { M_CPU, M_GPU, M_OVERHEAD, M_IDLE, NMETRICS };

struct stat {
	int64_t sum, min, max; /* over iterations */
};

struct cell { /* an iteration that goes on */
	bool used;
	int64_t iter;
	int64_t sum[NMETRICS]; /* overhead, idle */
	struct flat flat[2];   /* CPU by process, GPU by device */
};

struct node {
	uint32_t parent; /* a lower number; of node 0 itself */
	int level;       /* '/' in the path */
	uint64_t n_call, n_op, n_eligible, n_tc, n_iter;
	struct stat stat[NMETRICS];
	struct cell cell[2]; /* two iterations in a row */
};

struct tree {
	struct smap paths; /* their numbers are the nodes' */
	struct node *v;
	size_t cap;
	uint64_t n_late; /* values of an iteration that was over */
};

/* The node of an op's name: the longest path in it. */
uint32_t tree_node(struct tree *t, const char *name, size_t n);

/* To node i and all above it: an interval of CPU or GPU time of a process or
 * device; a value of overhead or idle. */
void tree_span(struct tree *t, uint32_t i, int64_t iter, int metric,
    int64_t key, int64_t lo, int64_t hi);
void tree_value(
    struct tree *t, uint32_t i, int64_t iter, int metric, int64_t v);

/* The input is over: closes all iterations. */
void tree_close(struct tree *t);

void tree_free(struct tree *t);

#endif
