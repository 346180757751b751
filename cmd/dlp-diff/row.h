/*
 * What is compared: a row per op, kernel, layer, ..., with the time of each
 * step of each side.
 */
#ifndef DIFF_ROW_H
#define DIFF_ROW_H

#include "map.h"
#include "side.h"

enum { TC_YES = 1, TC_NO = 2, TC_UNKNOWN = 4 };

struct cell { /* a row in a step */
	int64_t ns, flop;
	uint32_t step;
	uint32_t n : 28, tc : 3, has_flop : 1;
};

struct cells {
	struct cell *v; /* in the order of the steps */
	size_t n, cap;
};

struct row {
	uint32_t key;                     /* its number */
	uint32_t name, dir, shapes, type; /* texts; SMAP_NONE: unset */
	struct cells *side;
	size_t n_side;
};

struct rows {
	struct smap keys, texts;
	struct row *v;
	size_t cap;
};

/* The row of a key; is_new where its texts are to be set. */
struct row *rows_put(struct rows *r, const char *key, size_t n, bool *is_new);

/* The number of a text, or SMAP_NONE for s NULL. */
uint32_t rows_text(struct rows *r, const char *s, size_t n);

/* The row's values in that step of that side, made if there are none. */
struct cell *row_cell(struct row *r, size_t side, uint32_t step);

#endif
