/* Natural order of texts; see natural.h. */
#include <stdbool.h>
#include <string.h>

#include "natural.h"

static bool
digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Compares two sequences of digits; moves the pointers past them. */
static int
number_cmp(const char **a, const char **b)
{
	size_t n, m;
	int x;

	*a += strspn(*a, "0");
	*b += strspn(*b, "0");
	n = strspn(*a, "0123456789");
	m = strspn(*b, "0123456789");
	if (n != m)
		return n < m ? -1 : 1;
	x = memcmp(*a, *b, n);
	*a += n;
	*b += m;
	return x;
}

int
natural_cmp(const char *a, const char *b)
{
	const char *s = a, *t = b;
	int x;

	while (*s != '\0' && *t != '\0') {
		if (digit(*s) && digit(*t)) {
			x = number_cmp(&s, &t);
			if (x != 0)
				return x;
			continue;
		}
		if (*s != *t)
			return (unsigned char)*s < (unsigned char)*t ? -1 : 1;
		s++;
		t++;
	}
	if (*s != '\0' || *t != '\0')
		return *s != '\0' ? 1 : -1;
	return strcmp(a, b);
}
