/* The TABs of a line. */
#ifndef DLP_TABS_H
#define DLP_TABS_H

#include <stddef.h>

/* Fills p with the places after each TAB of s[0..n), at most max of them;
 * returns the number of TABs. Fastest with room for 64 more. */
int tabs_find(const char *s, size_t n, const char **p, int max);

#endif
