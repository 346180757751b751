/* See tabs.h. */
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "tabs.h"

int
tabs_find(const char *s, size_t n, const char **p, int max)
{
	const char *end = s + n;
	int k = 0;

#ifdef __SSE2__
	const __m128i tabs = _mm_set1_epi8('\t');

	for (; end - s >= 16; s += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)s);
		unsigned m =
		    (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, tabs));

		for (; m != 0; m &= m - 1, k++)
			if (k < max)
				p[k] = s + __builtin_ctz(m) + 1;
	}
#endif
	for (; s < end; s++)
		if (*s == '\t') {
			if (k < max)
				p[k] = s + 1;
			k++;
		}
	return k;
}
