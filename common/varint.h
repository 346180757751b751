/* Small numbers in a few bytes: seven bits in each, the lowest first, the
 * highest bit set in all but the last. */
#pragma once

#include "buf.h"

#define VARINT_MAX 10 /* bytes */

static inline char *
varint_put(char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (char)(v | 0x80);
	*p++ = (char)v;
	return p;
}

/* Reads bytes that varint_put() wrote. */
static inline const char *
varint_get(const char *p, uint64_t *v)
{
	uint64_t c = (unsigned char)*p++;
	int shift = 7;

	for (*v = c & 0x7f; c >= 0x80 && shift < 64; shift += 7) {
		c = (unsigned char)*p++;
		*v |= (c & 0x7f) << shift;
	}
	return p;
}

/* Maps negative numbers near 0 to small ones. */
static inline uint64_t
varint_fold(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t
varint_unfold(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

static inline void
varint_add(struct buf *b, uint64_t v)
{
	buf_reserve(b, VARINT_MAX);
	b->len = (size_t)(varint_put(b->s + b->len, v) - b->s);
}
