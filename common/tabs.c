/* The TABs of a line; see esc.h. */
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <stdint.h>

#include "esc.h"

#ifdef __SSE2__
/* The TABs among 16 bytes, a bit each. */
static inline uint64_t
in_16(const char *s)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)s);

	return (unsigned)_mm_movemask_epi8(
	    _mm_cmpeq_epi8(v, _mm_set1_epi8('\t')));
}

static inline uint64_t
in_64(const char *s)
{
	return in_16(s) | in_16(s + 16) << 16 | in_16(s + 32) << 32 |
	       in_16(s + 48) << 48;
}

/* Stores the places of the TABs in m, counted from s, after k others. */
static inline int
tabs_in(uint64_t m, const char *s, const char **p, int k, int max)
{
	if (max - k >= 64)
		for (; m != 0; m &= m - 1)
			p[k++] = s + __builtin_ctzll(m) + 1;
	for (; m != 0; m &= m - 1, k++)
		if (k < max)
			p[k] = s + __builtin_ctzll(m) + 1;
	return k;
}
#endif

int
tabs_find(const char *s, size_t n, const char **p, int max)
{
	const char *end = s + n;
	int k = 0;

#ifdef __SSE2__
	for (; end - s >= 64; s += 64)
		k = tabs_in(in_64(s), s, p, k, max);
	for (; end - s >= 16; s += 16)
		k = tabs_in(in_16(s), s, p, k, max);
#endif
	for (; s < end; s++)
		if (*s == '\t') {
			if (k < max)
				p[k] = s + 1;
			k++;
		}
	return k;
}
