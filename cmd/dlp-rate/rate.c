/* The arithmetic of rates; see rate.h. */
#include "rate.h"

#define UNKNOWN (-1.0)

static double
over(double a, double b, double scale)
{
	return a < 0 || b <= 0 ? UNKNOWN : a / b * scale;
}

/* No arithmetic takes no time, whatever the peak; TFLOP/s are FLOPs per ns
 * times 1000. */
static double
peak_time(const struct work *w)
{
	if (w->peak_ns >= 0)
		return w->peak_ns;
	if (w->flop == 0)
		return 0;
	return over(w->flop, w->peak_tflops, 1e-3);
}

/* The bound is whatever takes longer at the device's rates. */
static void
roof(const struct work *w, struct rate *r)
{
	double mem = over(w->bytes, w->gb_s, 1); /* GB/s: bytes per ns */

	if (r->peak_ns < 0 || mem < 0 || (r->peak_ns == 0 && mem == 0)) {
		r->roof_ns = w->roof_ns;
		return;
	}
	r->bound = r->peak_ns >= mem ? "compute" : "memory";
	r->roof_ns = r->peak_ns >= mem ? r->peak_ns : mem;
	if (w->roof_ns >= 0)
		r->roof_ns = w->roof_ns;
}

void
rate_of(const struct work *w, struct rate *r)
{
	r->tflops = over(w->flop, w->ns, 1e-3);
	r->gb_s = over(w->bytes, w->ns, 1);
	r->ai = over(w->flop, w->bytes, 1);
	r->bound = "unknown";
	r->peak_ns = peak_time(w);
	r->roof_ns = UNKNOWN;
	roof(w, r);
	r->peak_tflops = w->peak_tflops > 0 ? w->peak_tflops : UNKNOWN;
	if (w->peak_ns > 0 && w->flop > 0) /* of several types: their mean */
		r->peak_tflops = over(w->flop, w->peak_ns, 1e-3);
	r->peak_pct = over(r->peak_ns, w->ns, 100);
	r->bound_pct = over(r->roof_ns, w->ns, 100);
}
