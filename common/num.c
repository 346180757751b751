/* Numbers in text; see num.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num.h"

bool
num_u64(const char *s, size_t n, uint64_t *v)
{
	uint64_t r = 0;
	size_t i;

	if (n == 0)
		return false;
	for (i = 0; i < n; i++) {
		unsigned d = (unsigned char)s[i] - (unsigned)'0';

		if (d > 9)
			return false;
		if (i >= 18 && (__builtin_mul_overflow(r, 10, &r) ||
				   __builtin_add_overflow(r, d, &r)))
			return false;
		if (i < 18)
			r = r * 10 + d;
	}
	*v = r;
	return true;
}

bool
num_i64(const char *s, size_t n, int64_t *v)
{
	bool neg = n > 0 && s[0] == '-';
	uint64_t u;

	if (!num_u64(s + neg, n - neg, &u))
		return false;
	if (u > (uint64_t)INT64_MAX + neg)
		return false;
	*v = neg ? (int64_t)(0 - u) : (int64_t)u;
	return true;
}

bool
num_f64(const char *s, size_t n, double *v)
{
	char t[64], *end;

	if (n == 0 || n >= sizeof(t) || strspn(s, "0123456789+-.eE") < n)
		return false;
	memcpy(t, s, n);
	t[n] = '\0';
	*v = strtod(t, &end);
	return *end == '\0' && isfinite(*v);
}
