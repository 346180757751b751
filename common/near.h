/* Words that are similar, for messages. */
#ifndef DLP_NEAR_H
#define DLP_NEAR_H

#include <stddef.h>

#define NEAR_LONGEST 32 /* the longest known word */

/* The number of letters that must be added, dropped or changed to turn a into
 * b; b has at most NEAR_LONGEST letters. */
size_t near_distance(const char *a, const char *b);

#endif
