/*
 * The element-wise kernels of aten, whose names tell what they read and
 * write: the template holds the function, and its type the operands.
 */
#ifndef FLOPS_ELEM_H
#define FLOPS_ELEM_H

#include <stdbool.h>
#include <stddef.h>

#include "dtype.h"

#define ELEM_MAX_IN 6

struct elem {
	bool is;      /* it is such a kernel, and its function was found */
	bool casts;   /* loads and stores convert: the sizes in memory are
			 others than in the name */
	bool strided; /* operands can be broadcast or have gaps */
	int n_in;
	enum dtype dt;       /* of the first operand that is no mask */
	int in[ELEM_MAX_IN]; /* bytes per element; 0: unknown */
	int out;
	int flop;  /* per element; -1: unknown */
	int full;  /* inputs that have all elements; 0: all */
	int block; /* elements per block of the grid; 0: 512, 1024 or 2048 */
};

/* Reads the name s[0..n), lower case. */
void elem_set(struct elem *e, const char *s, size_t n);

/* Operations per element of the function s[0..n), a part of a lower-case kernel
 * name; -1: unknown. *full: how many of its inputs have all elements, 0: all.
 */
int elem_cost(const char *s, size_t n, int *full);

/* N of the first OpaqueType<N> in the name; 0: none. */
int elem_opaque(const char *s, size_t n);

struct work;
struct answer;

/* Fills in flop, bytes and role of such a kernel; false if it is none or its
 * number of elements is not that of anything the op has. */
bool elem_count(const struct work *w, struct answer *r);

#endif
