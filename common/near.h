/* Words that are nearly another one, for messages. */
#ifndef DLP_NEAR_H
#define DLP_NEAR_H

#include <stddef.h>

#define NEAR_LONGEST 32 /* of the words known */

/* How many letters must be added, dropped or changed to make b of a; b has
 * at most NEAR_LONGEST. */
size_t near_distance(const char *a, const char *b);

#endif
