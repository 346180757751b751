/* UTF-8, one code point at a time. */
#ifndef DLP_UTF8_H
#define DLP_UTF8_H

#include <stddef.h>

/* The length of the sequence at s (n > 0), 1 to 4, with its code
 * point in *cp; if it is none, *cp is -1 and the length is that of the
 * longest part that could begin one: one U+FFFD stands for it. */
int utf8_next(const char *s, size_t n, long *cp);

#endif
