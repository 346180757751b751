/* The sizes of products, as Tensor Cores see them. */
#ifndef FLOPS_TCSHAPE_H
#define FLOPS_TCSHAPE_H

#include "work.h"

/* What the sizes of a product say, as bits. */
enum {
	SHAPE_VECTOR = 1,    /* one of M, N, K is 1 */
	SHAPE_SMALL = 2,     /* one of them is below 16 */
	SHAPE_UNALIGNED = 4, /* rows are no multiple of 16 bytes */
	SHAPE_DEPTHWISE = 8, /* convolution, one input channel per group */
	SHAPE_GROUPED = 16,  /* convolution in groups */
	SHAPE_CONV = 32,     /* a convolution */
};

/* Those that keep a product off Tensor Cores. */
#define SHAPE_HINDERS                                                          \
	(SHAPE_VECTOR | SHAPE_SMALL | SHAPE_UNALIGNED | SHAPE_DEPTHWISE |      \
	    SHAPE_GROUPED)

/* The bits of an op's arguments; 0 where they are unknown. dt: the type of
 * the operands. */
unsigned tcshape(const struct work *w, enum family f, enum dtype dt);

/* Whether a row of n elements is no multiple of 16 bytes. */
bool tcshape_odd(int64_t n, enum dtype dt);

#endif
