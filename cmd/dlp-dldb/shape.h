/* DLProf's shapes, "<N:32, C:3>; x: <6>", taken apart. */
#ifndef DLP_DLDB_SHAPE_H
#define DLP_DLDB_SHAPE_H

#include "buf.h"

/* Appends [[32,3],[6]], ["","x"] and N,C: the letters of those that have
 * some, joined by ";". Nothing for a text without a shape. */
void shape_split(
    const char *s, struct buf *sizes, struct buf *names, struct buf *letters);

#endif
