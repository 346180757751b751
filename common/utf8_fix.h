/* Makes text of any bytes UTF-8. */
#ifndef DLP_UTF8_FIX_H
#define DLP_UTF8_FIX_H

#include "buf.h"

/* Appends the text; U+FFFD replaces bytes that are not UTF-8 and characters
 * that a terminal must not get. Control characters of ASCII stay, because each
 * format has its own escapes for them. */
void utf8_fix(struct buf *out, const char *s, size_t n);

/* Appends the text as messages and screens show it: characters that a terminal
 * must not get (utf8_hidden) become \xHH for each byte. */
void utf8_show(struct buf *out, const char *s, size_t n);

/* True if utf8_show would change nothing. */
bool utf8_shown(const char *s, size_t n);

#endif
