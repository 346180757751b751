/* An iter record: what is said of an iteration. */
#ifndef ITER_LINE_H
#define ITER_LINE_H

#include "acc.h"
#include "extent.h"
#include "plan.h"

struct line {
	int64_t iter, start, dur, cpu_hi, gpu_lo, gpu_hi, gpu, step, kern_ns;
	uint64_t n_kern, n_op;
	bool has_cpu, has_dur, has_gpu, has_step;
	const char *key;
	const char *src; /* escaped; NULL: the input names no files */
};

/* Of iteration n, whose sums are c. key is shown where cuts made it. *end is
 * where the step before it ended, NO_TIME if it is the first, and becomes
 * where this one ends. */
void line_make(struct line *x, size_t n, const struct plan *p,
    const struct extent *e, const struct acc *c, const char *key, int64_t *end);

/* Writes it as dlp-iter's own record. */
void line_put(const struct line *x);

/* Appends its fields to a record that has begun. */
void line_fields(const struct line *x);

#endif
