/* A line that is a Python dict: its values by key. */
#ifndef DLP_PYROW_H
#define DLP_PYROW_H

#include <stdint.h>

#include "buf.h"
#include "mview.h"
#include "pylit.h"

struct pyrow { /* zeroed; views into the line */
	struct pyrow_item {
		struct mview key, value; /* as written */
	} * v;
	size_t n, cap;
};

/* Reads a line; false if it is not a complete dict. */
bool pyrow_read(struct pyrow *r, const char *s, size_t n);
void pyrow_free(struct pyrow *r);

/* The value, unchanged; s is NULL if there is no such key. */
struct mview pyrow_get(const struct pyrow *r, const char *key);

/* False if there is none, or it has another type. */
bool pyrow_i64(const struct pyrow *r, const char *key, int64_t *v);
bool pyrow_str(const struct pyrow *r, const char *key, struct buf *out);

/* Walks over a list or tuple of texts or numbers:
 *	pyrow_list(&l, value);
 *	while (pyrow_item(&l, &a)) ... pl_text(&a, &buf)
 * An item that is neither ends the walk, and l.bad is set. */
void pyrow_list(struct pylit *l, struct mview value);
bool pyrow_item(struct pylit *l, struct pl_atom *a);

#endif
