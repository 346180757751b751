/* Columns by record type; see types.h. */
#include "types.h"

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
	REC_COLS(t, REC_NEED, { &c->dur, "dur_ns" }, { &c->iter, "iter" });
	REC_COLS(t, by_op ? REC_NEED : REC_OPT, { &c->op_id, "op_id" },
	    { &c->op, "op" }, { &c->layer, "layer" }, { &c->phase, "phase" });
	REC_COLS(t, REC_OPT, { &c->src, "src" }, { &c->dir, "dir" });
}

static void
bind_op(struct types *t, struct rec_reader *rd)
{
	struct rec_type *op = rec_type(rd, "op");

	t->op.type = op;
	REC_COLS(op, REC_NEED, { &t->op.id, "op_id" }, { &t->op.key, "key" },
	    { &t->op.name, "name" });
	REC_COLS(op, REC_OPT, { &t->op.dir, "dir" },
	    { &t->op.shapes, "shapes" }, { &t->op.op, "op" });
}

static void
bind_iter(struct types *t, struct rec_reader *rd)
{
	struct rec_type *it = rec_type(rd, "iter");

	t->iter.type = it;
	REC_COLS(it, REC_NEED, { &t->iter.iter, "iter" },
	    { &t->iter.step, "step_ns" });
	REC_COLS(it, REC_OPT, { &t->iter.key, "key" },
	    { &t->iter.gpu, "gpu_ns" }, { &t->iter.gpu_lo, "gpu_start_ns" },
	    { &t->iter.gpu_hi, "gpu_end_ns" }, { &t->iter.n_kern, "n_kern" },
	    { &t->iter.src, "src" });
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
	REC_COLS(t->gpu[0].type, REC_OPT, { &t->gpu[0].flop, "flop" },
	    { &t->gpu[0].tc, "tc" });
	if (m->cpu)
		bind_work(&t->inst, rd, "inst", by_op);
	bind_op(t, rd);
	bind_iter(t, rd);
	t->dev = rec_type(rd, "dev");
	t->dev_name = rec_col(t->dev, "name", REC_OPT);
}
