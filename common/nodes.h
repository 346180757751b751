/*
 * Nodes of CUDA graphs. A node that was cloned or instantiated names the one
 * that it was made from; the first of them, the root, was captured.
 */
#pragma once

#include "map.h"

struct nodes {         /* of a process; all zero is empty */
	struct map at; /* node -> its number, from 1 */
	struct node_link *v;
	size_t n, cap;
};

/* The node's number, from 0. The node is new if the number equals the former n.
 */
size_t nodes_put(struct nodes *t, int64_t id);

/* Records that node number no was made from orig; the last call is valid. */
void nodes_link(struct nodes *t, size_t no, int64_t orig);

/* Finds the root of a node; false if a node on the way is unknown. */
bool nodes_root(const struct nodes *t, int64_t id, size_t *no, int64_t *root);

void nodes_free(struct nodes *t);
