/* The record types that are read, and their columns. */
#ifndef DIFF_TYPES_H
#define DIFF_TYPES_H

#include "model.h"
#include "rec.h"

#define N_GPU 4 /* kern, copy, set, graph */

struct work_cols { /* of GPU work and of runs of ops */
	struct rec_type *type;
	struct rec_col *dur, *op_id, *iter, *src, *op, *dir, *layer, *phase;
	struct rec_col *what; /* kern: short, copy: kind */
	struct rec_col *flop, *tc;
};

struct types {
	struct work_cols gpu[N_GPU], inst;
	struct {
		struct rec_type *type;
		struct rec_col *id, *key, *name, *dir, *shapes, *op;
	} op;
	struct {
		struct rec_type *type;
		struct rec_col *iter, *key, *step, *gpu, *n_kern, *src;
		struct rec_col *gpu_lo, *gpu_hi;
	} iter;
	struct rec_type *dev;
	struct rec_col *dev_name;
};

void types_bind(struct types *t, struct rec_reader *rd, const struct model *m);

#endif
