/* Text of any bytes as UTF-8. */
#ifndef DLP_UTF8_FIX_H
#define DLP_UTF8_FIX_H

#include "buf.h"

/* Appends the text; U+FFFD stands for what is no UTF-8, and for what a terminal
 * must not get, but for the control characters of ASCII: their escapes are the
 * affair of the format. */
void utf8_fix(struct buf *out, const char *s, size_t n);

/* Appends the text as messages and screens show it: each byte of what a terminal
 * must not get (utf8_hidden) as \xHH. */
void utf8_show(struct buf *out, const char *s, size_t n);

/* Whether utf8_show would change nothing. */
bool utf8_shown(const char *s, size_t n);

#endif
