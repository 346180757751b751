/* Python literals to JSON and to plain text. */
#ifndef DLP_PYLIT_JSON_H
#define DLP_PYLIT_JSON_H

#include "buf.h"
#include "pylit.h"

/* Skips one value, containers included. */
bool pl_skip(struct pylit *l);

/* Appends one value as JSON: tuples as lists, True, False and None in JSON's
 * words, and values that JSON does not have as strings. out NULL: skips it. */
bool pl_json(struct pylit *l, struct buf *out);

/* Appends the text of a PL_STR, its escapes resolved (to UTF-8). */
void pl_text(const struct pl_atom *a, struct buf *out);

#endif
