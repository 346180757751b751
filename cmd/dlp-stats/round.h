/* Numbers as the vendor's tables have them. */
#ifndef STATS_ROUND_H
#define STATS_ROUND_H

#include "buf.h"

/* With so many decimals (at most 3), halves away from zero. */
void put_round(struct buf *b, double v, int decimals);

/* The same number, in units of the last decimal. */
double round_units(double v, int decimals);

#endif
