/* What matters of a kern record. */
#ifndef FLOPS_KERN_READ_H
#define FLOPS_KERN_READ_H

#include "rec.h"
#include "result.h"

struct kern { /* views live as long as the record, or the next call */
	struct subject s;
	uint32_t name_idx;
	const struct kname *k;
	int64_t op_id, inst, sub, dur_ns, prim_id, prim_run;
	int64_t dev; /* of state_place() */
	bool has_inst, has_seq;
	const char *grid;
	size_t ngrid;
	enum tc given; /* by the profile */
};

void kern_read_bind(struct rec_type *t);
void kern_read(const struct rec *r, struct kern *k);

/* Of the legend: has it ops. */
bool kern_has_ops(void);

#endif
