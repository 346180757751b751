/*
 * The escapes of values in records: backslash, TAB, LF, CR, NUL, other
 * control bytes and DEL; a value that is just "-" is written \x2d, because
 * a bare "-" means unset. Every other byte stands for itself, invalid
 * UTF-8 too.
 */
#pragma once

#include <stddef.h>

#include "buf.h"

/* Appends the n bytes of s, escaped. */
void esc_put(struct buf *b, const char *s, size_t n);

/* Appends the value whose escaped text is s; an unknown escape is left
 * unchanged. */
void esc_undo(struct buf *b, const char *s, size_t n);

/* True if esc_undo would change the text. */
static inline bool
esc_has(const char *s, size_t n)
{
	return n > 0 && memchr(s, '\\', n) != NULL;
}

/* Fills p with the places after each TAB of s[0..n), at most max of them;
 * returns the number of TABs. Fastest with room for 64 more. */
int tabs_find(const char *s, size_t n, const char **p, int max);
