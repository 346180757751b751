/* Shapes as DLProf prints them. */
#ifndef DLP_DL_SHAPE_H
#define DLP_DL_SHAPE_H

#include <stdbool.h>

#include "buf.h"
#include "text.h"

/*
 * Appends the input shapes of an op of that type to in, and those of its
 * output to out (nothing: not known). shapes: [[64,3,32,32],[6]]. scalars:
 * whether a [] is a tensor without axes, or no tensor at all.
 */
void dl_shapes(struct text type, struct text shapes, bool scalars,
    struct buf *in, struct buf *out);

#endif
