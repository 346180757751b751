/* The arithmetic of rates: no records here. */
#ifndef RATE_RATE_H
#define RATE_RATE_H

#include <stdbool.h>

struct work { /* negative: unknown */
	double flop, bytes, ns;
	double peak_ns, roof_ns; /* where they are summed up already */
	double peak_tflops;      /* of the device; 0: unknown */
	double gb_s;             /* of its memory; 0: unknown */
};

struct rate { /* negative: unknown */
	double tflops, gb_s, ai, peak_tflops, peak_pct, bound_pct;
	double peak_ns;    /* the time that the FLOPs take at the peak */
	double roof_ns;    /* the time that FLOPs and bytes take at least */
	const char *bound; /* "compute", "memory" or "unknown" */
};

void rate_of(const struct work *w, struct rate *r);

#endif
