/* Files that users mistake for a stream, by their first bytes. */
#pragma once

#include "buf.h"

/* For a message: describes the file of that name (NULL: standard input), which
 * begins with s[0..n), and says what to do with it; NULL if it is not a known
 * kind. Valid until the next call. */
const char *magic_what(const char *name, const char *s, size_t n);

/* The tool that unpacks it (xz, zstd or gzip); NULL if it is not compressed. */
const char *magic_tool(const char *s, size_t n);

/* Appends a file's name as a word of a shell. */
void magic_word(struct buf *b, const char *name);
