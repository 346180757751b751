/* The template arguments and types in kernels' names, lower case. */
#ifndef FLOPS_CPP_H
#define FLOPS_CPP_H

#include <stdbool.h>
#include <string.h>

#include "dtype.h"

struct span {
	const char *s, *e;
};

/* A letter, digit or underscore. */
bool cpp_ident(char c);

/* The end of the template argument at s: a comma or closing bracket of its
 * own level. */
const char *cpp_arg_end(const char *s, const char *e);

/* Up to max arguments of the list that begins at s, and their number. */
int cpp_split(const char *s, const char *e, struct span *v, int max);

/* The first word of a type that is a number type; DT_NONE: none. */
enum dtype cpp_type(struct span t);

/* The size of a type in bytes; OpaqueType<N> has N; 0: unknown. */
int cpp_size(struct span t);

/* The first and the last place of what in t; NULL: none. */
static inline const char *
span_find(struct span t, const char *what)
{
	const char *p;
	size_t n = strlen(what);

	for (p = t.s; (size_t)(t.e - p) >= n; p++)
		if (memcmp(p, what, n) == 0)
			return p;
	return NULL;
}

const char *span_last(struct span t, const char *what);

static inline bool
span_starts(struct span t, const char *what)
{
	size_t n = strlen(what);

	return (size_t)(t.e - t.s) >= n && memcmp(t.s, what, n) == 0;
}

#endif
