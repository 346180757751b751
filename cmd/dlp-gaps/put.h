/* The records of gaps. */
#ifndef GAPS_PUT_H
#define GAPS_PUT_H

#include "state.h"

/* The device idled from d->idle_from to end, when w began: a record, or one for
 * each part that a border of the steps that count cuts off. */
void put_gap(struct gaps *g, struct file *f, const struct dev *d, int64_t end,
    const struct work *w);

/* It idles from d->idle_from on: what of that the last step has. */
void put_last(struct gaps *g, struct file *f, const struct dev *d);

#endif
