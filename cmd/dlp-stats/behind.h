/*
 * Rows of a long table are written by a thread, while the next ones are made.
 *
 *	behind_row(f, s, n);	f(s, n), at once or later
 *	behind_end();			all have been
 *
 * Between the first row and the end f is the same, and what it uses is its
 * alone.
 */
#ifndef STATS_BEHIND_H
#define STATS_BEHIND_H

#include <stddef.h>

typedef void behind_fn(const char *s, size_t n);

void behind_row(behind_fn *f, const char *s, size_t n);
void behind_end(void);

#endif
