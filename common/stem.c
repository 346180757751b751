/* Names without their numbers; see stem.h. */
#include "stem.h"

#include <string.h>

size_t
stem_len(const char *s, size_t n)
{
	const char *comma = memchr(s, ',', n);
	size_t all = comma != NULL ? (size_t)(comma - s) : n, k = all;

	while (k > 0 && s[k - 1] >= '0' && s[k - 1] <= '9')
		k--;
	if (k < all && k > 0 && (s[k - 1] == ' ' || s[k - 1] == '#'))
		all = k - 1;
	return all > 0 ? all : n;
}
