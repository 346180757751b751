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

static const char digits[] = "00010203040506070809"
			     "10111213141516171819"
			     "20212223242526272829"
			     "30313233343536373839"
			     "40414243444546474849"
			     "50515253545556575859"
			     "60616263646566676869"
			     "70717273747576777879"
			     "80818283848586878889"
			     "90919293949596979899";

static unsigned
n_digits(uint64_t v)
{
	unsigned n = 1;

	for (; v >= 10000; v /= 10000)
		n += 4;
	return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

void
buf_u64(struct buf *b, uint64_t v)
{
	unsigned n;
	char *p;

	if (v < 10) {
		buf_putc(b, (char)('0' + v));
		return;
	}
	n = n_digits(v);
	buf_reserve(b, n);
	b->len += n;
	p = b->s + b->len;
	while (v >= 100) {
		p -= 2;
		memcpy(p, digits + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		memcpy(p - 2, digits + v * 2, 2);
	} else {
		p[-1] = (char)('0' + v);
	}
}

void
buf_i64(struct buf *b, int64_t v)
{
	if (v < 0) {
		buf_putc(b, '-');
		buf_u64(b, -(uint64_t)v);
	} else {
		buf_u64(b, (uint64_t)v);
	}
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

/* What printf would write, by whole numbers: false where rounding is close,
 * or the number large. */
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
