/* All that is compared: the rows and the sides of them. */
#ifndef DIFF_MODEL_H
#define DIFF_MODEL_H

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

/* A side, made if there are fewer. */
struct side *model_side(struct model *m, size_t i);

/* What is compared as a whole: "step", or "run" where no side has steps. */
const char *model_unit(const struct model *m);

/* Writes a text of the rows as a field: unset if id is SMAP_NONE. */
void model_put_text(const struct model *m, uint32_t id);

#endif
