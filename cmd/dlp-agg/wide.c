/* Sums of 128 bits; see wide.h. */
#include "wide.h"

void
wide_add(struct wide *w, int64_t v)
{
	struct wide x = { v < 0 ? -1 : 0, (uint64_t)v };

	wide_join(w, &x);
}

void
wide_join(struct wide *w, const struct wide *v)
{
	uint64_t lo = w->lo + v->lo;

	w->hi += v->hi + (lo < w->lo);
	w->lo = lo;
}

double
wide_f64(const struct wide *w)
{
	return (double)w->hi * 18446744073709551616.0 + (double)w->lo;
}

/* hi:lo / 10 in place; the remainder. Long division by 32-bit digits. */
static unsigned
divide(uint64_t *hi, uint64_t *lo)
{
	uint64_t part[4] = { *hi >> 32, *hi & 0xffffffff, *lo >> 32,
		*lo & 0xffffffff };
	uint64_t rem = 0;
	int i;

	for (i = 0; i < 4; i++) {
		uint64_t x = rem << 32 | part[i];

		part[i] = x / 10;
		rem = x % 10;
	}
	*hi = part[0] << 32 | part[1];
	*lo = part[2] << 32 | part[3];
	return (unsigned)rem;
}

void
wide_put(struct buf *b, const struct wide *w)
{
	uint64_t hi = (uint64_t)w->hi, lo = w->lo;
	char t[40], *p = t + sizeof(t);

	if (w->hi == (w->lo >> 63 ? -1 : 0)) {
		buf_i64(b, (int64_t)w->lo);
		return;
	}
	if (w->hi < 0) {
		buf_putc(b, '-');
		lo = ~lo + 1;
		hi = ~hi + (lo == 0);
	}
	while (hi != 0 || lo != 0)
		*--p = (char)('0' + divide(&hi, &lo));
	buf_put(b, p, (size_t)(t + sizeof(t) - p));
}

static void
times_ten(struct wide *w, int64_t digit)
{
	struct wide two, ten;

	wide_join(w, w);
	two = *w;
	wide_join(w, w);
	wide_join(w, w);
	ten = *w;
	wide_join(&ten, &two);
	wide_add(&ten, digit);
	*w = ten;
}

bool
wide_get(const char *s, size_t n, struct wide *w)
{
	bool minus = n > 0 && s[0] == '-';
	size_t i = minus;

	*w = (struct wide){ 0, 0 };
	for (; i < n && s[i] >= '0' && s[i] <= '9' && i < 39; i++)
		times_ten(w, minus ? '0' - s[i] : s[i] - '0');
	return i == n && n > (size_t)minus;
}
