/* The arguments of an op, as PyProf's argument marker has them. */
#ifndef PYPROF_ARG_H
#define PYPROF_ARG_H

#include <stdbool.h>
#include <stdint.h>

#include "mview.h"

#define ARG_DIMS 16
#define ARG_MAX 256

struct shape {
	int n;
	int64_t v[ARG_DIMS];
};

struct arg {                     /* views into the marker's text */
	struct mview name, type; /* type: tensor, int, float, tuple, ... */
	struct mview dtype;      /* of a tensor; s NULL: none */
	struct mview value;      /* of others, as written; s NULL: none */
	bool has_shape;
	struct shape shape;
};

struct marker {
	struct mview mod, op;
	struct arg arg[ARG_MAX];
	int n;
};

/* False if the text is no argument marker: a dict with mod, op and args. */
bool marker_read(struct marker *m, const char *s, size_t n);

bool arg_is(const struct arg *a, const char *type); /* tensor, int, ... */
bool arg_unnamed(const struct arg *a);
bool arg_int(const struct arg *a, int64_t *v); /* a whole number */

/* The numbers of a tuple or list; false if it is none of whole numbers. */
bool arg_ints(const struct arg *a, struct shape *v);

int64_t shape_elems(const struct shape *s);
bool shape_same(const struct shape *a, const struct shape *b);

/* The shape that two have together by the rules of broadcasting. */
bool shape_broadcast(
    const struct shape *a, const struct shape *b, struct shape *out);

/* Bytes of a type by PyProf's table; 0: PyProf does not know it. */
int64_t dtype_size(struct mview dtype);

/* PyProf's word for a type: fp32; NULL if it does not know it. */
const char *dtype_word(struct mview dtype);

#endif
