/* See pynum.h. */
#include <stdio.h>
#include <stdlib.h>

#include "pynum.h"

int64_t
pynum_mul(int64_t a, int64_t b)
{
	int64_t r;

	if (!__builtin_mul_overflow(a, b, &r))
		return r;
	return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

int64_t
pynum_add(int64_t a, int64_t b)
{
	int64_t r;

	if (!__builtin_add_overflow(a, b, &r))
		return r;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

void
pynum_put(struct buf *out, const struct pynum *v)
{
	char s[64];
	int prec;

	if (!v->is_float) {
		buf_i64(out, v->i);
		return;
	}
	if (v->d > -1e15 && v->d < 1e15 && v->d == (double)(int64_t)v->d) {
		buf_i64(out, (int64_t)v->d);
		buf_puts(out, ".0");
		return;
	}
	for (prec = 1; prec < 17; prec++) {
		snprintf(s, sizeof(s), "%.*g", prec, v->d);
		if (strtod(s, NULL) == v->d)
			break;
	}
	snprintf(s, sizeof(s), "%.*g", prec, v->d);
	if (v->d < 1e16 && v->d > -1e16 && strchr(s, 'e') != NULL)
		snprintf(s, sizeof(s), "%.1f", v->d);
	buf_puts(out, s);
}
