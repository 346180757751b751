/* Arrays: the number of elements, room for more in one that grows, order, and a
 * search in one that is in order. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "err.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Makes room for one more element behind the n that are in use. cap is the
 * number of elements allocated, v may be NULL where it is 0; both are lvalues
 * and are changed. The array doubles, so that it is copied rarely.
 *
 *	ARRAY_GROW(list->v, list->n, list->cap);
 *	list->v[list->n++] = x;
 */
#define ARRAY_GROW(v, n, cap)                                                  \
	do {                                                                   \
		if ((v) == NULL || (n) == (cap)) {                             \
			(cap) = (cap) > 0 ? (cap)*2 : 16;                      \
			(v) = xrealloc((v), (size_t)(cap), sizeof(*(v)));      \
		}                                                              \
	} while (0)

/* Makes sure that element i exists. The array has n elements, an lvalue that is
 * changed; new ones are zeroed. For arrays that have few elements. */
#define ARRAY_REACH(v, n, i)                                                   \
	do {                                                                   \
		if ((size_t)(i) >= (n)) {                                      \
			(v) = xrealloc((v), (size_t)(i) + 1, sizeof(*(v)));    \
			memset((v) + (n), 0,                                   \
			    ((size_t)(i) + 1 - (n)) * sizeof(*(v)));           \
			(n) = (size_t)(i) + 1;                                 \
		}                                                              \
	} while (0)

/* For functions of qsort(): the sign of a - b, and that of the first of these
 * members in which two structs differ. */
#define CMP(a, b) (((a) > (b)) - ((a) < (b)))
#define CMP2(x, y, m, n)                                                       \
	((x)->m != (y)->m ? CMP((x)->m, (y)->m) : CMP((x)->n, (y)->n))
#define CMP3(x, y, l, m, n)                                                    \
	((x)->l != (y)->l ? CMP((x)->l, (y)->l) : CMP2(x, y, m, n))

/* For qsort(): int64_t in ascending order. */
static inline int
array_by_i64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* How many of the n elements have at most t in their int64_t at this offset;
 * they are of size bytes, and in the order of that number. */
static inline size_t
array_until(const void *v, size_t n, size_t size, size_t offset, int64_t t)
{
	size_t lo = 0, hi = n, mid;
	int64_t at;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		memcpy(&at, (const char *)v + mid * size + offset, sizeof(at));
		if (at <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
