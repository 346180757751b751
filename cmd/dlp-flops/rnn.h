/* The recurrent layers LSTM, GRU and RNN. */
#ifndef FLOPS_RNN_H
#define FLOPS_RNN_H

#include "work.h"

void rnn_count(const struct work *w, struct answer *r, int unused);

/* Number i, from 0, of those that begin what a recurrent module says of
 * itself: 10 and 20 of "10, 20, num_layers=2"; -1 if there is none. */
int64_t repr_size(const struct work *w, int i);

#endif
