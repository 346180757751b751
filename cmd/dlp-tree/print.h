/* The tree as group records. */
#ifndef TREE_PRINT_H
#define TREE_PRINT_H

#include "node.h"

/* Writes them, in the order of their paths' bytes; the tree is closed. */
void print_tree(const struct tree *t);

#endif
