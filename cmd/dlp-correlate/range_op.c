/*
 * Ranges of a framework: whether one opens a run of an op, and what it leaves
 * behind for the backward pass. An argument marker is the op of what is inside
 * (the outermost one); else the outermost range with a framework's text. A
 * backward frame (evaluate_function: X) opens a run that waits for its node
 * X, which carries the sequence id.
 */
#include "range_op.h"

#include "corr.h"
#include "pair.h"
#include "phase.h"

/* op OP_NONE: pending, a backward frame whose node is not known yet. */
static struct inst *
open_inst(
    struct corr *c, struct thread *th, uint32_t op, int64_t start, int64_t end)
{
	struct inst *in = inst_new(&c->insts);
	bool guess;

	in->pid = th->p->pid;
	in->src = th->p->src;
	in->tid = th->tid;
	in->has_tid = true;
	in->start = start;
	in->end = end;
	in->op = op;
	in->phase = phase_now(&c->threads, th->p, th, &guess);
	if (op == OP_NONE)
		in->pending = true;
	else
		inst_schedule(&c->insts, in);
	return in;
}

/* The innermost call trace marker open on the thread. */
static struct mview
trace_of(const struct thread *th)
{
	const struct open *o;
	size_t i;

	for (i = th->n; i > 0; i--) {
		o = &th->v[i - 1];
		if (o->kind == MK_TRACE && !o->dead)
			return (struct mview){ o->text.s, o->text.len };
	}
	return (struct mview){ NULL, 0 };
}

/* What the module whose arguments are on top of the thread says of itself. */
static struct mview
repr_of(const struct thread *th)
{
	const struct open *o = &th->v[th->n - 1] - (th->n > 1);

	if (o->kind != MK_REPR || o->dead)
		return (struct mview){ NULL, 0 };
	return (struct mview){ o->text.s, o->text.len };
}

static void
begin_args(struct corr *c, struct thread *th, struct open *o, struct marker *m,
    struct inst *cur, bool bwd)
{
	uint32_t id;

	o->name = names_put(&c->names, m->op.s, m->op.n);
	o->mod = names_put(&c->names, m->mod.s, m->mod.n);
	if (o->dead || (cur != NULL && cur->args))
		return;
	id = op_of_args(
	    &c->ops, thread_layer(th), trace_of(th), repr_of(th), m, bwd);
	o->own = open_inst(c, th, id, o->start, o->end);
	o->own->args = true;
	if (m->op.n == 8 && memcmp(m->op.s, "backward", 8) == 0)
		th->p->backward = (struct run_ref){ o->own, o->own->order };
	if (bwd && cur != NULL) {
		o->own->seq = cur->seq;
		o->own->fwd_op = cur->fwd_op;
		o->own->fwd_inst = cur->fwd_inst;
	}
}

static void
begin_op(struct corr *c, struct thread *th, struct open *o,
    const struct marker *m, struct inst *cur)
{
	if (o->hidden || o->dead)
		return;
	if (c->dlprof && th->p->has_func && m->by == BY_PYTORCH)
		return; /* where DLProf has markers, nothing else is an op */
	if (cur != NULL && o->end <= cur->end)
		return; /* lies in another; start/end ranges can overlap */
	o->own = open_inst(
	    c, th, op_of_range(&c->ops, thread_layer(th), m), o->start, o->end);
	o->own->seq = m->seq;
}

/* What a backward of this sequence id will look for. */
static void
leave_seq(struct thread *th, uint64_t prim_run, const struct marker *m,
    const struct inst *cur)
{
	struct recent_val v = { OP_NONE, SMAP_NONE, 0, prim_run };

	if (cur == NULL || cur->pending)
		return;
	v.op = cur->op;
	v.inst = cur->id;
	recent_put(&th->p->fwd, m->seq, v);
}

/* Whether the node takes over the frame's run: one in which nothing ran on
 * the GPU so far, at most calls that ask for the device. */
static bool
takes_over(struct corr *c, const struct inst *cur)
{
	if (cur == NULL || (cur->need_node && cur->n_gpu > 0))
		return false;
	if (cur->need_node)
		c->n.unpaired--; /* counted when the call came */
	return true;
}

/* The node X of a backward, inside its frame or alone. */
static void
begin_node(struct corr *c, struct thread *th, struct open *o,
    const struct marker *m, struct inst *cur)
{
	struct recent_val fwd = { OP_NONE, SMAP_NONE, 0, 0 };
	struct inst *in = cur;
	uint32_t op;

	if (o->hidden || o->dead)
		return;
	if (cur != NULL && !cur->pending && !cur->need_node)
		return;
	if (!pair_forward(th, m, &fwd)) {
		c->n.unpaired++;
		fwd.op = OP_NONE;
	} else if (fwd.prim_run != 0)
		prim_backward(&c->prims, fwd.prim_run, m);
	op = op_of_backward(&c->ops, thread_layer(th), m, fwd.op);
	if (takes_over(c, cur)) {
		in->op = op;
		if (in->need_node)
			in->need_node = false;
		else
			inst_schedule(&c->insts, in);
	} else {
		in = open_inst(c, th, op, o->start, o->end);
		o->own = in;
	}
	in->seq = m->seq;
	in->fwd_op = fwd.op;
	in->fwd_inst = fwd.op != OP_NONE ? fwd.inst : 0;
	if (m->seq >= 0) {
		th->last_fwd = in->fwd_op;
		th->last_fwd_inst = in->fwd_inst;
	}
}

/* The results of a backward are known by the op id of the outermost op
 * directly below its node, or of the node. */
static void
leave_op_id(struct thread *th, const struct open *o, const struct marker *m,
    const struct inst *cur)
{
	const struct open *up = o - 1;
	struct recent_val v = { OP_NONE, SMAP_NONE, 0, 0 };

	if (cur == NULL || cur->pending || m->op_id < 0 || th->n < 2)
		return;
	if (m->kind != MK_BWD && up->kind != MK_BWD && up->kind != MK_BWD_FRAME)
		return;
	v.op = cur->fwd_op;
	v.inst = cur->fwd_inst;
	if (v.op != OP_NONE)
		recent_put(&th->p->bwd, m->op_id, v);
}

static void
begin_frame(
    struct corr *c, struct thread *th, struct open *o, const struct marker *m)
{
	if (o->hidden || o->dead)
		return;
	o->own = open_inst(c, th, OP_NONE, o->start, o->end);
	o->order = o->own->order;
	buf_put(&o->text, m->name.s, m->name.n);
}

void
range_op(struct corr *c, struct thread *th, struct open *o, struct marker *m)
{
	static const struct open ground;
	const struct open *up = th->n > 1 ? o - 1 : &ground;
	struct inst *cur = up->cur;

	o->seq = m->seq;
	if (!th->any_op) {
		th->any_op = true;
		th->autograd = m->kind == MK_BWD || m->kind == MK_BWD_FRAME;
	}
	o->hidden = (m->flags & MK_GROUP) != 0;
	if (!th->p->has_op_id && m->kind != MK_ARGS) {
		struct mview v = m->kind == MK_BWD_FRAME ? m->text : m->name;

		o->name = names_put(&c->names, v.s, v.n);
	}
	if (m->kind == MK_ARGS)
		begin_args(c, th, o, m, cur, up->n_bwd > 0);
	else if (m->kind == MK_BWD_FRAME)
		begin_frame(c, th, o, m);
	else if (m->kind == MK_BWD)
		begin_node(c, th, o, m, cur);
	else
		begin_op(c, th, o, m, cur);
	if (o->own != NULL)
		cur = o->own;
	if (m->kind == MK_OP && cur != NULL && !o->dead && !o->hidden)
		prim_begin(&c->prims, th, o, up, m);
	prim_inputs(&c->prims, th->p, m);
	if (m->kind == MK_OP && m->seq >= 0 && up->n_bwd == 0 &&
	    (up->again || !th->autograd))
		leave_seq(th, o->own_prim != 0 ? o->own_prim_run : up->prim_run,
		    m, cur);
	if (up->n_bwd > 0 || m->kind == MK_BWD)
		leave_op_id(th, o, m, cur);
}
