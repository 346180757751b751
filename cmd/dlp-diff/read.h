/* Reading the sides: streams of ops, GPU work and iterations into rows. */
#ifndef DIFF_READ_H
#define DIFF_READ_H

#include "row.h"
#include "side.h"

enum by { BY_OP, BY_KERNEL, BY_TYPE, BY_LAYER, BY_PHASE, BY_ITER };

struct model {
	enum by by;
	bool cpu; /* time of ops on the CPU, not of their work on the GPU */
	struct rows rows;
	struct row all, tc; /* everything; kernels that use Tensor Cores */
	struct side *side;
	size_t n_side;
	bool complete; /* every section had its end */
};

/* What is compared as a whole: "step", or "run" where no side has steps. */
const char *model_unit(const struct model *m);

/*
 * Reads a stream. Its sections are runs of side number `first`; if one_each,
 * section i is side first + i. With n_first > 0, section n_first and those
 * behind it are side first + 1. by_src: each file of a section (column src)
 * is a side of its own.
 */
void read_stream(struct model *m, const char *path, size_t first,
    size_t n_first, bool one_each, bool by_src);

/* A side, made if there are fewer. */
struct side *read_side(struct model *m, size_t i);

#endif
