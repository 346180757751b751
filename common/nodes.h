/*
 * Nodes of CUDA graphs. A node that was cloned or instantiated names the one
 * that it was made from; the first of them, the root, was captured.
 */
#ifndef DLP_NODES_H
#define DLP_NODES_H

#include "map.h"

struct nodes {         /* of a process; all zero is empty */
	struct map at; /* node -> its number, from 1 */
	struct node_link *v;
	size_t n, cap;
};

/* The node's number, from 0; it is new if that is n as it was before. */
size_t nodes_put(struct nodes *t, int64_t id);

/* The node number no was made from orig: the last word on it holds. */
void nodes_link(struct nodes *t, size_t no, int64_t orig);

/* The root of a node; false if a node on the way is not known. */
bool nodes_root(const struct nodes *t, int64_t id, size_t *no, int64_t *root);

void nodes_free(struct nodes *t);

#endif
