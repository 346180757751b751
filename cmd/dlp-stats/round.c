/* Rounding; see round.h. */
#include <math.h>

#include "round.h"

static const double tens[] = { 1, 10, 100, 1000 };

/* v in units of the last decimal. */
static void
put_units(struct buf *b, bool minus, uint64_t v, int decimals)
{
	uint64_t one = (uint64_t)tens[decimals];
	int i;

	if (minus)
		buf_putc(b, '-');
	buf_u64(b, v / one);
	if (decimals == 0)
		return;
	buf_putc(b, '.');
	for (i = 0, v %= one; i < decimals; i++) {
		one /= 10;
		buf_putc(b, (char)('0' + v / one));
		v %= one;
	}
}

double
round_units(double v, int decimals)
{
	double a = fabs(v), x = a * tens[decimals], f = floor(x), err;

	if (!(x < 4e15)) /* NaN too */
		return v * tens[decimals];
	/* The product was rounded itself: x + err is what it is exactly. */
	err = fma(a, tens[decimals], -x);
	if (x - f > 0.5 || (x - f == 0.5 && err >= 0))
		f += 1;
	return v < 0 ? -f : f;
}

void
put_round(struct buf *b, double v, int decimals)
{
	double u = round_units(v, decimals);

	if (!(fabs(u) < 4e15))
		buf_f64(b, v, decimals);
	else
		put_units(b, u < 0, (uint64_t)fabs(u), decimals);
}
