/* Growable byte strings; see buf.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "err.h"

void
buf_grow(struct buf *b, size_t more)
{
	size_t need, cap;

	if (__builtin_add_overflow(b->len, more, &need) || need > SIZE_MAX / 2)
		die("out of memory");
	cap = b->cap > 0 ? b->cap : 64;
	while (cap < need)
		cap *= 2;
	b->s = xrealloc(b->s, cap, 1);
	b->cap = cap;
}

void
buf_free(struct buf *b)
{
	free(b->s);
	memset(b, 0, sizeof(*b));
}

/* The eight digits of v < 10^8, the first one in the lowest byte: quotients
 * of all halves, quarters and eighths at once. */
static uint64_t
eight(uint64_t v)
{
	uint64_t q;

	v = v / 10000 | (v % 10000) << 32;
	q = (v * 10486 >> 20) & 0x7f0000007fu; /* by 100 */
	v = q | (v - q * 100) << 16;
	q = (v * 103 >> 10) & 0x000f000f000f000fu; /* by 10 */
	return q | (v - q * 10) << 8;
}

/* Writes eight digits without the first `skip`. */
static char *
put_eight(char *p, uint64_t d, unsigned skip)
{
	int i;

	d = (d | 0x3030303030303030u) >> skip * 8;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	(void)i;
	memcpy(p, &d, 8); /* more than it takes */
#else
	for (i = 0; i < 8; i++)
		p[i] = (char)(d >> i * 8);
#endif
	return p + 8 - skip;
}

#define E8 100000000u

/* Without leading zeros; v < E8. */
static inline char *
put_low(char *p, uint64_t v)
{
	uint64_t d;

	if (v < 10) {
		*p = (char)('0' + v);
		return p + 1;
	}
	d = eight(v);
	return put_eight(p, d, (unsigned)__builtin_ctzll(d) / 8);
}

/* Without leading zeros; p must have room for MAX_U64. Inline, because numbers
 * are most of a record. */
static inline __attribute__((always_inline)) char *
put_u64(char *p, uint64_t v)
{
	if (v < E8)
		return put_low(p, v);
	if (v / E8 < E8) {
		p = put_low(p, v / E8);
	} else {
		p = put_low(p, v / E8 / E8);
		p = put_eight(p, eight(v / E8 % E8), 0);
	}
	return put_eight(p, eight(v % E8), 0);
}

#define MAX_U64 32 /* 20 digits, a sign, a separator, put_eight()'s more */

void
buf_u64(struct buf *b, uint64_t v)
{
	buf_reserve(b, MAX_U64);
	b->len = (size_t)(put_u64(b->s + b->len, v) - b->s);
}

static inline __attribute__((always_inline)) char *
put_i64(char *p, int64_t v)
{
	if (v >= 0)
		return put_u64(p, (uint64_t)v);
	*p = '-';
	return put_u64(p + 1, -(uint64_t)v);
}

void
buf_i64(struct buf *b, int64_t v)
{
	buf_reserve(b, MAX_U64);
	b->len = (size_t)(put_i64(b->s + b->len, v) - b->s);
}

void
buf_c_i64(struct buf *b, char c, int64_t v)
{
	char *s, *p;

	buf_reserve(b, MAX_U64);
	s = b->s; /* a byte that is written could be that of a member */
	p = s + b->len;
	*p++ = c;
	b->len = (size_t)(put_i64(p, v) - s);
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	buf_reserve(b, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(b->s + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

#define MAX_DECIMALS 9

/* Writes the same as printf, by whole numbers; false if rounding is close, or
 * the number is large. */
static bool
put_fixed(struct buf *b, double v, int decimals)
{
	static const double power[MAX_DECIMALS + 1] = { 1, 1e1, 1e2, 1e3, 1e4,
		1e5, 1e6, 1e7, 1e8, 1e9 };
	char t[24];
	int i = sizeof(t), written = 0;
	double x, rest;
	uint64_t u;

	if (decimals < 0 || decimals > MAX_DECIMALS || !(v >= 0) ||
	    (x = v * power[decimals]) >= 1e12)
		return false;
	u = (uint64_t)x;
	rest = x - (double)u;
	if (rest > 0.499 && rest < 0.501)
		return false;
	u += rest > 0.5;
	do {
		t[--i] = (char)('0' + u % 10);
		u /= 10;
		if (++written == decimals)
			t[--i] = '.';
	} while (u > 0 || written <= decimals);
	buf_put(b, t + i, sizeof(t) - (size_t)i);
	return true;
}

void
buf_f64(struct buf *b, double v, int decimals)
{
	if (signbit(v) || !put_fixed(b, v, decimals))
		buf_printf(b, "%.*f", decimals, v);
}

const char *
buf_str(struct buf *b)
{
	buf_reserve(b, 1);
	b->s[b->len] = '\0';
	return b->s;
}
