/* Files that are given in place of a stream, by their first bytes. */
#ifndef DLP_MAGIC_H
#define DLP_MAGIC_H

#include "buf.h"

/* What the file of that name (NULL: standard input) that begins with s[0..n)
 * is, and what to do with it, for a message; NULL if it is none of them. To be
 * used before the next call. */
const char *magic_what(const char *name, const char *s, size_t n);

/* xz, zstd or gzip, what unpacks it; NULL if it is not compressed. */
const char *magic_tool(const char *s, size_t n);

/* Appends a file's name as a word of a shell. */
void magic_word(struct buf *b, const char *name);

#endif
