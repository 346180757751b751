/* Text for people. */
#ifndef FMT_TEXT_H
#define FMT_TEXT_H

#include "buf.h"

/* Appends the n bytes of escaped text s so that a
 * terminal shows them: bytes that are no printable UTF-8 as \xHH; returns
 * the columns that they take. */
int text_show(struct buf *b, const char *s, size_t n);

/* The bytes of shown text s[0..n) that fit in width columns; *used: the
 * columns that they take. */
size_t text_head(const char *s, size_t n, int width, int *used);
/* The same from its end. */
size_t text_tail(const char *s, size_t n, int width, int *used);

#endif
