/* UTF-8: one code point at a time, and texts of any bytes made UTF-8. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

/* The length of the sequence at s (n > 0), 1 to 4, with its code point in *cp.
 * If it is not UTF-8, *cp is -1 and the length is that of the longest part that
 * could begin a sequence: one U+FFFD replaces it. */
int utf8_next(const char *s, size_t n, long *cp);

/* Appends a code point; U+FFFD if it is none, or half of a surrogate pair. */
void utf8_put(struct buf *out, unsigned long cp);

/* True if a terminal must not get the code point (-1: none) from a stranger:
 * control characters, characters without a width or an image, those that change
 * the direction of text, and unassigned ones. */
bool utf8_hidden(long cp);

/* Appends the text; U+FFFD replaces bytes that are not UTF-8 and characters
 * that a terminal must not get. Control characters of ASCII stay, because each
 * format has its own escapes for them. */
void utf8_fix(struct buf *out, const char *s, size_t n);

/* Appends the text as messages and screens show it: characters that a terminal
 * must not get (utf8_hidden) become \xHH for each byte. */
void utf8_show(struct buf *out, const char *s, size_t n);

/* True if utf8_show would change nothing. */
bool utf8_shown(const char *s, size_t n);
