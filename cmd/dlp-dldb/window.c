/* Rows that wait for their turn; see window.h. */
#include "window.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"

void
window_open(struct window *w, int n_cols, int n_key)
{
	uint32_t i;

	w->n_cols = n_cols;
	w->n_key = n_key;
	w->rows = xcalloc(WINDOW + 1, (size_t)n_cols * sizeof(*w->rows));
	w->head = w->n = 0;
	w->any = false;
	for (i = 0; i < WINDOW; i++)
		w->at[i] = i;
}

void
window_close(struct window *w)
{
	free(w->rows);
	w->rows = NULL;
}

static int64_t *
row_at(const struct window *w, uint32_t i)
{
	return w->rows + (size_t)i * (size_t)w->n_cols;
}

static int
compare(const struct window *w, const int64_t *a, const int64_t *b)
{
	int i;

	for (i = 0; i < w->n_key; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

/* The slots from head on are a ring; those behind n hold the free places. */
static uint32_t *
slot(struct window *w, uint32_t i)
{
	return &w->at[(w->head + i) % WINDOW];
}

bool
window_put(struct window *w, const int64_t *row)
{
	uint32_t i = w->n, place, k;
	int c = 1;

	if (w->any && compare(w, row, row_at(w, WINDOW)) <= 0)
		return false;
	while (i > 0 && (c = compare(w, row, row_at(w, *slot(w, i - 1)))) < 0)
		i--;
	if (i > 0 && c == 0)
		return false;
	place = *slot(w, w->n);
	memcpy(row_at(w, place), row, (size_t)w->n_cols * sizeof(*row));
	for (k = w->n++; k > i; k--)
		*slot(w, k) = *slot(w, k - 1);
	*slot(w, i) = place;
	return true;
}

const int64_t *
window_take(struct window *w)
{
	int64_t *last = row_at(w, WINDOW);

	if (w->n == 0)
		return NULL;
	memcpy(last, row_at(w, *slot(w, 0)), (size_t)w->n_cols * sizeof(*last));
	w->head = (w->head + 1) % WINDOW;
	w->n--;
	w->any = true;
	return last;
}
