/*
 * Once the key is known: an item gets its iteration and goes out, and an
 * iteration's own record follows when it can no longer change.
 */
#ifndef ITER_PLACE_H
#define ITER_PLACE_H

#include "state.h"

/* While lengths are only measured the line may be NULL. */
void place(struct run *g, const struct item *m, const char *line);

/* Writes a file's last iterations; how many it has. */
size_t place_end(struct run *g, struct source *f);

#endif
