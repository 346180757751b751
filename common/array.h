/* Arrays: the number of elements, and room for more in one that grows. */
#ifndef DLP_ARRAY_H
#define DLP_ARRAY_H

#include "err.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Makes room for one more element behind the n that are in use. cap is the
 * number of elements allocated, v may be NULL where it is 0; both are lvalues
 * and are changed. The array doubles, so that it is copied rarely.
 *
 *	ARRAY_GROW(list->v, list->n, list->cap);
 *	list->v[list->n++] = x;
 */
#define ARRAY_GROW(v, n, cap)                                                  \
	do {                                                                   \
		if ((v) == NULL || (n) == (cap)) {                             \
			(cap) = (cap) > 0 ? (cap)*2 : 16;                      \
			(v) = xrealloc((v), (size_t)(cap), sizeof(*(v)));      \
		}                                                              \
	} while (0)

#endif
