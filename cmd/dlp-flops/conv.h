/* Convolutions. */
#ifndef FLOPS_CONV_H
#define FLOPS_CONV_H

#include "buf.h"
#include "work.h"

enum {
	C_TRANSPOSED = 1, /* else it is unless the op's name says otherwise */
	C_BACKWARD = 2
}; /* the gradient of the result comes first */
void conv_count(const struct work *w, struct answer *r, int flags);
bool conv_params(const struct work *w, struct buf *b);

#endif
