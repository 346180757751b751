/* Runs of ops. */
#ifndef DLP_INST_H
#define DLP_INST_H

#include "closing.h"
#include "ivl_by.h"
#include "op.h"
#include "work.h"

/* A run of an op, or (launch_id) a replay of a captured one. */
struct inst {
	uint64_t id, order;
	uint32_t op;
	bool pending;   /* a backward frame whose node has not come yet */
	bool need_node; /* a frame that had work before its node came */
	bool args;      /* opened by an argument marker */
	bool replay, has_launch, has_tid;
	uint32_t fwd_op;
	int phase;
	int64_t pid, tid;
	struct text src; /* of its process */
	int64_t start, end, seq;
	uint64_t fwd_inst; /* 0: none */
	int64_t launch_id;
	int64_t gpu_lo, gpu_hi;
	struct ivl_by gpu; /* by device */
	int64_t api_end, api_ns;
	uint64_t n_kern, n_gpu, n_call;
	struct inst *next_free;
};

struct insts {                   /* zeroed but for closing */
	struct closing *closing; /* shared with the projections */
	struct inst *free;
	uint64_t n;
};

/* An empty run of no op; owned by s. */
struct inst *inst_new(struct insts *s);

/* Its op is known: it gets its number and its place among what will close. */
void inst_schedule(struct insts *s, struct inst *in);

void inst_drop(struct insts *s, struct inst *in); /* one that is no run */
void inst_write(struct insts *s, const struct op *op, struct inst *in);
void inst_add(struct inst *in, const struct work *w);
void insts_free(struct insts *s);

#endif
