/* UTF-8, one code point at a time. */
#ifndef DLP_UTF8_H
#define DLP_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* The length of the sequence at s (n > 0), 1 to 4, with its code
 * point in *cp; if it is none, *cp is -1 and the length is that of the
 * longest part that could begin one: one U+FFFD stands for it. */
int utf8_next(const char *s, size_t n, long *cp);

/* Whether a terminal must not get the code point (-1: none) from a stranger:
 * control characters, those without a width, those that turn the direction of
 * text, and those that have no meaning yet. */
bool utf8_hidden(long cp);

#endif
