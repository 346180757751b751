/* needs: */
/* buf_f64() writes what printf does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"

static struct buf b;

static void
check(double v, int decimals)
{
	char want[512];

	snprintf(want, sizeof(want), "%.*f", decimals, v);
	buf_clear(&b);
	buf_f64(&b, v, decimals);
	if (strcmp(want, buf_str(&b)) != 0) {
		printf("not ok: %.17g, %d: %s, not %s\n", v, decimals,
		    buf_str(&b), want);
		exit(1);
	}
}

int
main(void)
{
	static const double some[] = { 0, -0.0, 0.5, 1.5, 2.5, 0.125, 0.05,
		0.0625, 9.5, 99.95, 999.5, 1e12, 1e11 + 0.5, 1e300, -1, -0.5,
		123456789.123456789, 0.9999999999, 4.35, 2.675 };
	uint64_t x = 88172645463325252;
	size_t i;
	int d;

	for (i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		for (d = 0; d <= 12; d++)
			check(some[i], d);
	for (i = 0; i < 300000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		check((double)(x >> 11) / (double)(1ULL << (x & 63)),
		    (int)(x >> 60) % 10);
		check((double)(x & 0xfffff) / 1024, (int)(x >> 60) % 10);
	}
	puts("ok");
	return 0;
}
