/*
 * Rows of integers that come nearly in order: so many wait until those that
 * belong before them have come.
 */
#ifndef DLP_DLDB_WINDOW_H
#define DLP_DLDB_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#define WINDOW 4096 /* rows; a power of two */

struct window {
	int n_cols, n_key;   /* rows are in the order of their first columns */
	int64_t *rows;       /* WINDOW, and the last one that left */
	uint32_t at[WINDOW]; /* from head on, in order: places in rows */
	uint32_t head, n;
	bool any; /* one has left */
};

void window_open(struct window *w, int n_cols, int n_key);
void window_close(struct window *w);

/* False: the row comes too late, or a row of the same key waits or was the
 * last to leave; it is not taken. */
bool window_put(struct window *w, const int64_t *row);
/* Whether one has to leave before the next can be put. */
static inline bool
window_full(const struct window *w)
{
	return w->n == WINDOW;
}
/* The first leaves; NULL if there is none. Valid until the next call. */
const int64_t *window_take(struct window *w);

#endif
