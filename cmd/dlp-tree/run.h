/* The stage: records into the tree, and the tree as records. */
#ifndef TREE_RUN_H
#define TREE_RUN_H

#include "stage.h"

/* Reads the stream, which is open, to its end; the exit status. */
int tree_run(struct stage *st);

#endif
