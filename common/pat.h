/*
 * Patterns over lower-case names, the language of the rule files. Terms are
 * separated by blanks, and all must hold. A term is a list of alternatives
 * separated by |, one of which must occur in the name. A term that begins with
 * ! must not occur; one that begins with @ must occur in the function's own
 * name, not in its template and call arguments. In an alternative, # matches
 * one or more digits, and ^ at its beginning matches the beginning of the name.
 */
#ifndef DLP_PAT_H
#define DLP_PAT_H

#include <stdbool.h>
#include <stddef.h>

/* name: n bytes, lower case. */
bool pat_match(const char *pat, const char *name, size_t n);

#endif
