/* Sums and products of sizes; see size.h. */
#include "size.h"

bool size_overflow;

int64_t
size_mul(int64_t x, int64_t y)
{
	int64_t r;

	if (x < 0 || y < 0)
		return -1;
	if (!__builtin_mul_overflow(x, y, &r))
		return r;
	size_overflow = true;
	return -1;
}

int64_t
size_add(int64_t x, int64_t y)
{
	int64_t r;

	if (x < 0 || y < 0)
		return -1;
	if (!__builtin_add_overflow(x, y, &r))
		return r;
	size_overflow = true;
	return -1;
}
