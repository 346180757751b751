/* The records of gaps. */
#ifndef GAPS_PUT_H
#define GAPS_PUT_H

#include "gaps.h"

/* The device idled from d->idle_from to end, when w began. */
void put_gap(const struct gaps *g, const struct file *f, const struct dev *d,
    int64_t end, const struct work *w);

#endif
