/*
 * Patterns over lower-case names, the language of the rule files:
 * terms separated by blanks, all of which must hold; a term is a list of
 * alternatives separated by |, one of which must occur in the name; a term
 * that begins with ! must not occur; one that begins with @ is looked for in
 * the function's own name only, not in its template and call arguments. In
 * an alternative, # stands for one or more digits and ^ at its beginning for
 * the beginning of the name.
 */
#ifndef DLP_PAT_H
#define DLP_PAT_H

#include <stdbool.h>
#include <stddef.h>

/* name: n bytes, lower case. */
bool pat_match(const char *pat, const char *name, size_t n);

#endif
