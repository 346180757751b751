/* The part of facts.h that reads the rows of work: kernels, copies, calls. */
#ifndef ADVISE_FACTS_WORK_H
#define ADVISE_FACTS_WORK_H

#include "facts.h"

enum { /* what is known of an op */
	OP_SEEN = 1,
	OP_ELIGIBLE = 2,
	OP_TYPED = 4,
	OP_HALF = 8,
	OP_TC = 16,
	OP_CONV = 32,
	OP_DALI = 64,
	OP_XLA = 128,
	OP_PYTORCH = 256,
	OP_API = 512,
};

/* Sets the callbacks of work records. */
void work_bind(struct stage *st, struct facts *f);

/* What is only known at the end; frees what was kept. */
void work_end(struct facts *f);
void work_forget(struct facts *f);

/* In facts.c: the device of that number, made if it is new. */
struct device *facts_dev(struct facts *f, int64_t no);

/* In facts.c: a kernel of the op has that type (or NULL), used Tensor Cores,
 * could have. */
void facts_op(int64_t id, const char *dtype, size_t n, bool tc, bool eligible);

#endif
