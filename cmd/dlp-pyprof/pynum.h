/* Numbers as PyProf's Python had them: whole ones, and floats. */
#ifndef PYPROF_PYNUM_H
#define PYPROF_PYNUM_H

#include "buf.h"

struct pynum {
	bool is_float;
	int64_t i; /* held at the ends of its range */
	double d;
};

static inline struct pynum
pynum_int(int64_t i)
{
	return (struct pynum){ false, i, 0 };
}

static inline struct pynum
pynum_float(double d)
{
	return (struct pynum){ true, 0, d };
}

/* Products and sums that do not wrap around. */
int64_t pynum_mul(int64_t a, int64_t b);
int64_t pynum_add(int64_t a, int64_t b);

/* As str() prints it: 12, 12.0, 1.5, 1e+16. */
void pynum_put(struct buf *out, const struct pynum *v);

#endif
