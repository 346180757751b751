/* Shapes as DLProf prints them. */
#ifndef DLP_PARSE_DLDB_SHAPE_H
#define DLP_PARSE_DLDB_SHAPE_H

#include "buf.h"

/*
 * Appends "<N:32, C:3, H:32, W:32>; <6>" for shapes "[[32,3,32,32],[6]]",
 * names ["",""] and the letters "N,C,H,W;K": a name that is not empty
 * stands before its shape; letters only where their number is right.
 * NULL and what is no such text is taken for empty.
 */
void dldb_shape(
    struct buf *b, const char *shapes, const char *names, const char *letters);

#endif
