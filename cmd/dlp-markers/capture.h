/* Where the nodes of CUDA graphs were captured. */
#ifndef DLP_MARKERS_CAPTURE_H
#define DLP_MARKERS_CAPTURE_H

#include "rec.h"
#include "stage.h"

/* Reads the node records of the stream. */
void capture_bind(struct stage *st);

/* Writes the column node_from of a node (has) of a process: "[NODE,THREAD,
 * TIME]", or unset. */
void capture_put(bool has, int64_t pid, int64_t node);
void capture_forget(void);

#endif
