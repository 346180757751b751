/* Finds the even ones in a sequence of measured values; the rest is warm-up. */
#ifndef DLP_STEADY_H
#define DLP_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* an even value differs from the median by at most this */
#define STEADY_PCT 10
#define STEADY_NONE INT64_MIN /* an unknown value */

/* The median of the known values; 0 if none is known. */
double steady_median(const int64_t *v, size_t n);

/* The longest sequence of consecutive even values, the later one if two are as
 * long: from *from to *to, both included; -1 and -1 if there is none. */
void steady_range(const int64_t *v, size_t n, int64_t *from, int64_t *to);

#endif
