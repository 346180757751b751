/* The stage of dlp-tree; see run.h. */

#include "num.h"
#include "ops.h"
#include "print.h"
#include "run.h"

static const char *const gpu_types[] = { "kern", "copy", "set", "graph" };
#define NGPU (sizeof(gpu_types) / sizeof(gpu_types[0]))

struct gpu_cols {
	struct rec_type *type;
	struct rec_col *op_id, *start, *dur, *dev, *iter;
};

static struct {
	struct tree tree;
	struct ops ops;
	struct {
		struct rec_col *op_id, *name, *eligible;
	} op;
	struct {
		struct rec_col *op_id, *start, *dur, *pid, *overhead, *idle;
		struct rec_col *iter;
	} inst;
	struct gpu_cols gpu[NGPU];
	struct rec_col *kern_tc, *kern_eligible;
	uint64_t n_no_iter, n_no_op;
} t;

static void
on_section(struct stage *st)
{
	(void)st;
	tree_free(&t.tree);
	ops_clear(&t.ops);
	t.n_no_iter = t.n_no_op = 0;
	flat_late = 0;
	tree_node(&t.tree, "", 0);
}

static void
on_op(struct stage *st, struct rec *r)
{
	struct tree_op *op;
	const char *name;
	int64_t id;
	size_t n;

	name = rec_raw(r, t.op.name, &n);
	if (rec_i64(r, t.op.op_id, &id)) {
		op = ops_put(&t.ops, id);
		op->node = name != NULL ? tree_node(&t.tree, name, n) : 0;
		op->eligible = rec_is(r, t.op.eligible, "yes");
	}
	stage_pass(st, r);
}

/* The record's op, if it has one that is known. */
static struct tree_op *
op_of(const struct rec *r, const struct rec_col *op_id)
{
	struct tree_op *op = NULL;
	int64_t id;

	if (rec_i64(r, op_id, &id)) {
		op = ops_get(&t.ops, id);
		t.n_no_op += op == NULL;
	}
	return op;
}

/* Without dlp-iter all is one iteration; outside of all, nothing counts. */
static bool
iter_of(const struct rec *r, const struct rec_col *c, int64_t *iter)
{
	*iter = 0;
	if (c->pos < 0 || rec_i64(r, c, iter))
		return true;
	t.n_no_iter++;
	return false;
}

static void
count_call(uint32_t i)
{
	for (;; i = t.tree.v[i].parent) {
		t.tree.v[i].n_call++;
		if (i == 0)
			break;
	}
}

static void
on_inst(struct stage *st, struct rec *r)
{
	int64_t iter, start, dur, pid = 0, v;
	struct tree_op *op = op_of(r, t.inst.op_id);
	uint32_t node = op != NULL ? op->node : 0;

	stage_pass(st, r);
	if (!iter_of(r, t.inst.iter, &iter))
		return;
	if (op != NULL)
		op->seen = true;
	count_call(node);
	rec_i64(r, t.inst.pid, &pid);
	if (rec_i64(r, t.inst.start, &start) && rec_i64(r, t.inst.dur, &dur))
		tree_span(&t.tree, node, iter, M_CPU, pid, start,
		    num_add(start, dur));
	if (rec_i64(r, t.inst.overhead, &v))
		tree_value(&t.tree, node, iter, M_OVERHEAD, v);
	if (rec_i64(r, t.inst.idle, &v))
		tree_value(&t.tree, node, iter, M_IDLE, v);
}

static void
on_gpu(struct stage *st, struct rec *r)
{
	const struct gpu_cols *c = t.gpu;
	int64_t iter, start, dur, dev = 0;
	struct tree_op *op;

	while (c->type != r->type)
		c++;
	stage_pass(st, r);
	op = op_of(r, c->op_id);
	if (!iter_of(r, c->iter, &iter))
		return;
	if (op != NULL && c == t.gpu) {
		op->tc |= rec_is(r, t.kern_tc, "yes");
		op->eligible |=
		    t.op.eligible->pos < 0 && rec_is(r, t.kern_eligible, "yes");
	}
	rec_i64(r, c->dev, &dev);
	if (rec_i64(r, c->start, &start) && rec_i64(r, c->dur, &dur))
		tree_span(&t.tree, op != NULL ? op->node : 0, iter, M_GPU, dev,
		    start, num_add(start, dur));
}

static void
on_end(struct stage *st)
{
	(void)st;
	tree_close(&t.tree);
	ops_count(&t.ops, &t.tree);
	print_tree(&t.tree);
	stage_note("tree_without_iter", t.n_no_iter);
	stage_note("tree_without_op", t.n_no_op);
	stage_note("tree_late", t.tree.n_late);
	stage_note("tree_clipped", flat_late);
}

static void
bind_ops(struct stage *st)
{
	struct rec_type *op = stage_on(st, "op", on_op, NULL, NULL);
	struct rec_type *inst = stage_on(st, "inst", on_inst, NULL, NULL);

	REC_COLS(
	    op, REC_NEED, { &t.op.op_id, "op_id" }, { &t.op.name, "name" });
	t.op.eligible = rec_col(op, "dl_tc", REC_OPT);
	REC_COLS(inst, REC_NEED, { &t.inst.op_id, "op_id" },
	    { &t.inst.start, "start_ns" }, { &t.inst.dur, "dur_ns" },
	    { &t.inst.overhead, "overhead_ns" }, { &t.inst.idle, "idle_ns" });
	REC_COLS(
	    inst, REC_OPT, { &t.inst.pid, "pid" }, { &t.inst.iter, "iter" });
}

static void
bind_gpu(struct stage *st, const char *tag, struct gpu_cols *c)
{
	c->type = stage_on(st, tag, on_gpu, NULL, NULL);
	REC_COLS(c->type, REC_NEED, { &c->op_id, "op_id" },
	    { &c->start, "start_ns" }, { &c->dur, "dur_ns" });
	REC_COLS(c->type, REC_OPT, { &c->dev, "dev" }, { &c->iter, "iter" });
}

int
tree_run(struct stage *st)
{
	static const char *const notes[] = { "tree_without_iter",
		"tree_without_op", "tree_late", "tree_clipped", NULL };
	size_t i;

	bind_ops(st);
	for (i = 0; i < NGPU; i++)
		bind_gpu(st, gpu_types[i], &t.gpu[i]);
	REC_COLS(t.gpu[0].type, REC_OPT, { &t.kern_tc, "tc" },
	    { &t.kern_eligible, "tc_eligible" });
	st->section = on_section;
	st->end = on_end;
	stage_anew(st, notes);
	return stage_run(st);
}
