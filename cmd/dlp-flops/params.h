/* PyProf's params column, from an op's arguments. */
#ifndef FLOPS_PARAMS_H
#define FLOPS_PARAMS_H

#include "buf.h"
#include "work.h"

/* What a class of ops prints, by its pattern (params.c); false if it does not
 * fit the arguments: then b holds a part of it. */
bool params_spec(const struct work *w, const char *spec, struct buf *b);

/* An op without a class: its shapes and types; false if it has none. */
bool params_any(const struct work *w, struct buf *b);

/* Appends a tuple as Python prints it, without blanks: (35,20) (7,) () */
void params_tuple(struct buf *b, const struct args *a, const struct arg *t);

/* Appends PyProf's word for the type of t, and a comma; nothing if the type
 * is unknown. */
void params_dtype(struct buf *b, const struct work *w, const struct arg *t);

#endif
