/* Frames of a folded stack. */
#ifndef FOLDED_FRAME_H
#define FOLDED_FRAME_H

#include <stdbool.h>

#include "buf.h"

/* Appends a frame and, where the stack has one already, a semicolon before
 * it. raw: the value as records hold it; if path is set, it is a path whose
 * components are frames. What would end a frame or a line is replaced. */
void frame_put(struct buf *stack, const char *raw, size_t n, bool path);

/* A number at the end would be read as a first weight: joins it to the word
 * before. */
void frame_finish(struct buf *stack);

#endif
