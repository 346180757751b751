/* Numbers in text; see num.h. */
#include <stdatomic.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num.h"

bool
num_u64_any(const char *s, size_t n, uint64_t *v)
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
num_i64_any(const char *s, size_t n, int64_t *v)
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
	uint64_t whole;

	/* most are, and so few digits are exact */
	if (n <= 15 && num_u64(s, n, &whole)) {
		*v = (double)whole;
		return true;
	}
	if (n == 0 || n >= sizeof(t))
		return false;
	memcpy(t, s, n);
	t[n] = '\0';
	if (strspn(t, "0123456789+-.eE") < n) /* no inf, nan, hex, blanks */
		return false;
	*v = strtod(t, &end);
	return *end == '\0' && isfinite(*v);
}

static const struct {
	enum num_unit kind;
	const char *text;
	double factor;
} units[] = {
	{ NUM_TIME, "ns", 1 },
	{ NUM_TIME, "us", 1e3 },
	{ NUM_TIME, "ms", 1e6 },
	{ NUM_TIME, "s", 1e9 },
	{ NUM_SIZE, "KB", 1e3 },
	{ NUM_SIZE, "MB", 1e6 },
	{ NUM_SIZE, "GB", 1e9 },
	{ NUM_SIZE, "KiB", 1024 },
	{ NUM_SIZE, "MiB", 1024.0 * 1024 },
	{ NUM_SIZE, "GiB", 1024.0 * 1024 * 1024 },
	{ NUM_SIZE, "B", 1 },
};

bool
num_with_unit(const char *s, size_t n, enum num_unit kind, double *v)
{
	size_t i, u;

	if (num_f64(s, n, v))
		return true;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		u = strlen(units[i].text);
		if (units[i].kind != kind || n <= u ||
		    memcmp(s + n - u, units[i].text, u) != 0)
			continue;
		n -= u;
		if (s[n - 1] == ' ')
			n--;
		if (!num_f64(s, n, v))
			return false;
		*v *= units[i].factor;
		return isfinite(*v);
	}
	return false;
}

const char *
num_units(enum num_unit kind)
{
	if (kind == NUM_PLAIN)
		return NULL;
	return kind == NUM_TIME ? "ns, us, ms, s" : "KB, MB, GB, KiB, MiB, GiB";
}

/* Of the process: a sum does not know its section. */
static _Atomic uint64_t limits_met;

int64_t
num_limit(int64_t a, int64_t b)
{
	limits_met += a != INT64_MIN && a != INT64_MAX && b != INT64_MIN &&
		      b != INT64_MAX;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

uint64_t
num_limits_met(void)
{
	return atomic_exchange(&limits_met, 0);
}
