/* Sizes of results that a marker's arguments tell: pooling, interpolation. */
#ifndef FLOPS_WINDOW_H
#define FLOPS_WINDOW_H

#include "work.h"

/* Elements of the result of a pooling, by kernel size, stride, padding,
 * dilation and ceil_mode of a marker, else by its gradient; -1: unknown. */
int64_t window_pooled(const struct work *w);

/* Elements of one window: the product of the kernel's sizes; -1: unknown. */
int64_t window_size(const struct work *w);

/* Elements of the result of interpolate, or of an adaptive pooling, by the
 * size or factor of a marker, else by its gradient; -1: unknown. */
int64_t window_resized(const struct work *w);

#endif
