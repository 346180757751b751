/* Sums of 64-bit numbers that cannot overflow: 128 bits. */
#ifndef AGG_WIDE_H
#define AGG_WIDE_H

#include "buf.h"

struct wide { /* hi * 2^64 + lo */
	int64_t hi;
	uint64_t lo;
};

void wide_add(struct wide *w, int64_t v);
void wide_join(struct wide *w, const struct wide *v);
double wide_f64(const struct wide *w);

/* The whole of s[0..n) as a decimal integer; false if it is none. */
bool wide_get(const char *s, size_t n, struct wide *w);
void wide_put(struct buf *b, const struct wide *w); /* appends decimals */

#endif
