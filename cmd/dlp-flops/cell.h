/* Cells of recurrent networks. */
#ifndef FLOPS_CELL_H
#define FLOPS_CELL_H

#include "buf.h"
#include "work.h"

/* weight: the place of the first weight among the tensors, or 0 with a
 * marker's arguments. */
void cell_count(const struct work *w, struct answer *r, int weight);
bool cell_params(const struct work *w, struct buf *b);

#endif
