/* Files that are given in place of a stream, by their first bytes. */
#ifndef DLP_MAGIC_H
#define DLP_MAGIC_H

#include <stddef.h>

/* What a file that begins with s[0..n) is, and what to do with it, for a
 * message; NULL if it is none of them. */
const char *magic_what(const char *s, size_t n);

#endif
