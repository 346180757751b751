/*
 * at/native/cuda/IndexKernelUtils.cu: vectorized_gather_kernel<unit, index>
 * has a block for each index and for each 256 units of a row, of as many
 * threads as a row has units, in whole warps, and at most 256.
 */
#include <string.h>

#include "gather.h"
#include "num.h"
#include "size.h"
#include "work.h"

#define WARP 32
#define THREADS 256

int
gather_unit(const char *s, size_t n)
{
	static const char mark[] = "vectorized_gather_kernel<";
	const char *p = strstr(s, mark);
	int64_t v;

	if (p == NULL)
		return 0;
	p += sizeof(mark) - 1;
	if (*p == '(') /* (int)16 */
		p += strcspn(p, ")") + 1;
	if (p > s + n || !num_i64(p, strcspn(p, ",>"), &v) || v < 1 || v > 16)
		return 0;
	return (int)v;
}

/* Number i of a list "1,2,3". */
static int64_t
number(const char *s, int i)
{
	int64_t v;

	for (; i > 0 && *s != '\0'; i--)
		s += strcspn(s, ",") + 1;
	return num_i64(s, strcspn(s, ","), &v) ? v : -1;
}

/* The row is what is left of the table's sizes behind its first: the rows are
 * chosen along it, or the kernel would be another one. */
static int64_t
row_numel(const struct work *w)
{
	const struct arg *t;
	size_t i;

	for (i = 0; (t = arg_tensor(w->a, i)) != NULL; i++)
		if (t->nd > 1 && arg_dim(w->a, t, 0) > 0)
			return arg_numel(w->a, t) / arg_dim(w->a, t, 0);
	return -1;
}

int
gather_esize(const struct work *w)
{
	int64_t row, units, threads;
	int size, found = -1;

	if (w->k->gather == 0 || w->grid == NULL || w->block == NULL ||
	    (row = row_numel(w)) <= 0)
		return -1;
	for (size = 1; size <= 16; size *= 2) {
		units = (size_mul(row, size) + w->k->gather - 1) / w->k->gather;
		threads = (units + WARP - 1) / WARP * WARP;
		if (threads > THREADS)
			threads = THREADS;
		if (number(w->block, 0) != threads ||
		    number(w->grid, 1) != (units + THREADS - 1) / THREADS)
			continue;
		if (found > 0)
			return -1; /* two sizes have the same launch */
		found = size;
	}
	return found;
}
