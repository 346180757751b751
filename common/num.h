/* Numbers in text, checked. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

bool num_u64_any(const char *s, size_t n, uint64_t *v);
bool num_i64_any(const char *s, size_t n, int64_t *v);

/* Eight digits in x, the first in the lowest byte, with '0' subtracted from
 * each; false if one is not a digit. */
static inline bool
num_eight(uint64_t x, uint64_t *v)
{
	if (((x + 0x7676767676767676u) | x) & 0x8080808080808080u)
		return false;
	x = x * 10 + (x >> 8); /* pairs, in each second byte */
	x = (x & 0x000000ff000000ffu) * 0x000f424000000064u +
	    (x >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u;
	*v = x >> 32;
	return true;
}

/* All of s[0..n) as a decimal integer; false if it is not one or does not fit.
 * Numbers of four to sixteen digits are read eight digits at a time, with
 * leading zeros. */
static inline bool
num_u64(const char *s, size_t n, uint64_t *v)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t x, y = 0, high;
	uint32_t a, b;

	if (n >= 8 && n <= 16) {
		memcpy(&y, s, 8);
		memcpy(&x, s + n - 8, 8);
		y ^= 0x3030303030303030u;
		y = n == 8 ? 0 : y << 8 * (16 - n);
		if (!num_eight(y, &high) ||
		    !num_eight(x ^ 0x3030303030303030u, v))
			return false;
		*v += high * 100000000;
		return true;
	}
	if (n >= 4 && n < 8) {
		memcpy(&a, s, 4);
		memcpy(&b, s + n - 4, 4);
		a ^= 0x30303030u;
		x = n == 4 ? 0 : a << 8 * (8 - n);
		return num_eight(x | (uint64_t)(b ^ 0x30303030u) << 32, v);
	}
#endif
	if (n == 1 && s[0] >= '0' && s[0] <= '9') {
		*v = (uint64_t)(s[0] - '0');
		return true;
	}
	return num_u64_any(s, n, v);
}

static inline bool
num_i64(const char *s, size_t n, int64_t *v)
{
	uint64_t u;

	if (n > 0 && n <= 16 && s[0] != '-') {
		if (!num_u64(s, n, &u))
			return false;
		*v = (int64_t)u;
		return true;
	}
	return num_i64_any(s, n, v);
}

/* All of s[0..n) as a finite decimal number, in the C locale. */
bool num_f64(const char *s, size_t n, double *v);

/* The same with a unit after it, perhaps after a blank: for times ns, us, ms or
 * s; for sizes B, KB, MB, GB, KiB, MiB or GiB. The value is in ns or bytes;
 * without a unit it is taken as such. */
enum num_unit { NUM_PLAIN, NUM_TIME, NUM_SIZE };
bool num_with_unit(const char *s, size_t n, enum num_unit kind, double *v);

/* The units' names, for messages: "ns, us, ms, s"; NULL for NUM_PLAIN. */
const char *num_units(enum num_unit kind);

/* The end of the range on the side of a, for a sum of a and b. Counts that the
 * sum was cut there, for the note sums_saturated, which stage_end_section()
 * writes; unless one of them is an end of the range already, which stands for
 * "forever". */
int64_t num_limit(int64_t a, int64_t b);

/* How often that happened since the last call. */
uint64_t num_limits_met(void);

/* a + b; the ends of the range instead of an overflow. */
static inline int64_t
num_add(int64_t a, int64_t b)
{
	int64_t r;

	if (!__builtin_add_overflow(a, b, &r))
		return r;
	return num_limit(a, b);
}

static inline int64_t
num_sub(int64_t a, int64_t b)
{
	int64_t r;

	if (!__builtin_sub_overflow(a, b, &r))
		return r;
	return num_limit(a, b);
}

static inline int64_t
num_mul(int64_t a, int64_t b)
{
	int64_t r;

	if (!__builtin_mul_overflow(a, b, &r))
		return r;
	return num_limit((a < 0) != (b < 0) ? -1 : 1, b);
}
