/* Cells of recurrent networks. */
#ifndef FLOPS_CELL_H
#define FLOPS_CELL_H

#include "buf.h"
#include "work.h"

/* weight: the place of the first weight among the tensors, or 0 with a
 * marker's arguments. */
void cell_count(const struct work *w, struct answer *r, int weight);
bool cell_params(const struct work *w, struct buf *b);

/* Which of a cell's two products has that sequence id: which is 0 for the one
 * with the input, 1 for the one with the hidden state, 2 for neither known. */
void cell_note(int64_t seq, int64_t which);
int64_t cell_which(int64_t seq);
void cell_forget(void); /* a section begins */

#endif
