/* The record types that are read, and their columns; see place.h. */
#include "place.h"

static const struct {
	const char *tag, *what;
} gpu_types[N_GPU] = {
	{ "kern", "short" },
	{ "copy", "kind" },
	{ "set", NULL },
	{ "graph", NULL },
};

static void
bind_work(
    struct work_cols *c, struct rec_reader *rd, const char *tag, bool by_op)
{
	struct rec_type *t = rec_type(rd, tag);

	c->type = t;
	c->dur = rec_col(t, "dur_ns", REC_NEED);
	c->op_id = rec_col(t, "op_id", by_op ? REC_NEED : REC_OPT);
	c->iter = rec_col(t, "iter", REC_NEED);
	c->src = rec_col(t, "src", REC_OPT);
	c->op = rec_col(t, "op", by_op ? REC_NEED : REC_OPT);
	c->dir = rec_col(t, "dir", REC_OPT);
	c->layer = rec_col(t, "layer", by_op ? REC_NEED : REC_OPT);
	c->phase = rec_col(t, "phase", by_op ? REC_NEED : REC_OPT);
}

static void
bind_op(struct types *t, struct rec_reader *rd)
{
	struct rec_type *op = rec_type(rd, "op");

	t->op.type = op;
	t->op.id = rec_col(op, "op_id", REC_NEED);
	t->op.key = rec_col(op, "key", REC_NEED);
	t->op.name = rec_col(op, "name", REC_NEED);
	t->op.dir = rec_col(op, "dir", REC_OPT);
	t->op.shapes = rec_col(op, "shapes", REC_OPT);
	t->op.op = rec_col(op, "op", REC_OPT);
}

static void
bind_iter(struct types *t, struct rec_reader *rd)
{
	struct rec_type *it = rec_type(rd, "iter");

	t->iter.type = it;
	t->iter.iter = rec_col(it, "iter", REC_NEED);
	t->iter.key = rec_col(it, "key", REC_OPT);
	t->iter.step = rec_col(it, "step_ns", REC_NEED);
	t->iter.gpu = rec_col(it, "gpu_ns", REC_OPT);
	t->iter.gpu_lo = rec_col(it, "gpu_start_ns", REC_OPT);
	t->iter.gpu_hi = rec_col(it, "gpu_end_ns", REC_OPT);
	t->iter.n_kern = rec_col(it, "n_kern", REC_OPT);
	t->iter.src = rec_col(it, "src", REC_OPT);
}

void
types_bind(struct types *t, struct rec_reader *rd, const struct model *m)
{
	bool by_op = m->by != BY_KERNEL && m->by != BY_ITER;
	int i;

	for (i = 0; i < N_GPU; i++) {
		struct work_cols *c = &t->gpu[i];

		bind_work(c, rd, gpu_types[i].tag, by_op);
		if (gpu_types[i].what != NULL)
			c->what = rec_col(c->type, gpu_types[i].what, REC_NEED);
	}
	t->gpu[0].flop = rec_col(t->gpu[0].type, "flop", REC_OPT);
	t->gpu[0].tc = rec_col(t->gpu[0].type, "tc", REC_OPT);
	if (m->cpu)
		bind_work(&t->inst, rd, "inst", by_op);
	bind_op(t, rd);
	bind_iter(t, rd);
	t->dev = rec_type(rd, "dev");
	t->dev_name = rec_col(t->dev, "name", REC_OPT);
}
