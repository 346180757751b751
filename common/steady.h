/* Which of a row of measured values are even: the rest is warm-up. */
#ifndef DLP_STEADY_H
#define DLP_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STEADY_PCT 10         /* an even value is this near to the median */
#define STEADY_NONE INT64_MIN /* a value that is not known */

/* The median of the values that are known; 0 if none is. */
double steady_median(const int64_t *v, size_t n);

/* The most consecutive even values, the later of equals: *from to *to, both
 * included; -1 and -1 if there is none. */
void steady_range(const int64_t *v, size_t n, int64_t *from, int64_t *to);

#endif
