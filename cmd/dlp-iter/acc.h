/* What iterations add up to. */
#ifndef ITER_ACC_H
#define ITER_ACC_H

#include "item.h"
#include "ivl.h"

struct acc {
	bool has_gpu;
	int64_t gpu_lo, gpu_hi;
	struct ivl gpu;   /* the newest part of the union */
	int64_t gpu_done; /* length of the part before it, up to */
	int64_t done_hi;  /* this time */
	int64_t kern_ns;
	uint64_t n_kern, n_op;
};

struct accs {
	struct acc *v; /* of iterations base, base + 1, ... */
	size_t base, n, cap;
	uint64_t late; /* came when their iteration was written */
	bool has_gpu;
	int64_t gpu_hi; /* of all of them so far */
};

void acc_add(struct accs *a, size_t n, const struct item *m);
struct acc *acc_at(struct accs *a, size_t n); /* NULL: written already */
void acc_drop(struct accs *a);                /* the first one */
int64_t acc_gpu_ns(const struct acc *c);
void acc_clear(struct accs *a);

#endif
