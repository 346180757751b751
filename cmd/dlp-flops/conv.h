/* Convolutions. */
#ifndef FLOPS_CONV_H
#define FLOPS_CONV_H

#include "buf.h"
#include "work.h"

void conv_count(const struct work *w, struct answer *r, int transposed);
bool conv_params(const struct work *w, struct buf *b);

#endif
