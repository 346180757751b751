/*
 * Rows of a long table are written by a thread, while the next ones are made.
 *
 *	behind_row(f, ctx, s, n);	f(ctx, s, n), at once or later
 *	behind_end();			all have been
 *
 * Between the first row and the end what f uses is f's alone.
 */
#ifndef STATS_BEHIND_H
#define STATS_BEHIND_H

#include <stddef.h>

typedef void behind_fn(const void *ctx, const char *s, size_t n);

void behind_row(behind_fn *f, const void *ctx, const char *s, size_t n);
void behind_end(void);

#endif
