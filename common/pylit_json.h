/* Python literals to JSON and to plain text. */
#ifndef DLP_PYLIT_JSON_H
#define DLP_PYLIT_JSON_H

#include "buf.h"
#include "pylit.h"

/* Over one value, containers included. */
bool pl_skip(struct pylit *l);

/* Appends one value as JSON: tuples as lists, True, False and None as JSON
 * has them, what JSON has no word for as a string. NULL: skips it. */
bool pl_json(struct pylit *l, struct buf *out);

/* Appends the text of a PL_STR, its escapes resolved (to UTF-8). */
void pl_text(const struct pl_atom *a, struct buf *out);

#endif
