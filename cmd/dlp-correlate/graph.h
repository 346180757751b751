/* CUDA graphs recorded node by node. */
#ifndef DLP_GRAPH_H
#define DLP_GRAPH_H

#include "work.h"

struct corr;

/* A node was made; orig: the one that it was made from. The thread (or NULL)
 * must be swept. */
void graph_node(struct corr *c, struct thread *th, struct proc *p, int64_t node,
    bool has_orig, int64_t orig);

/* Finds what a graph node's work was captured from; false: from no op. Then
 * pl's layer and phase are set if it was captured in ranges of the program, a
 * layer that lives as long as the process. */
bool graph_place(struct corr *c, const struct work *w, struct place *pl);

/* Ends the launches whose call began before now; INT64_MAX: all. */
void graph_launch_end(struct corr *c, int64_t now);
void graph_free(struct proc *p);

#endif
