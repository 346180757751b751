/*
 * A range begins: what it is, a layer or an op, and what it counts for. An
 * argument marker is the op of what is inside (the outermost one); otherwise
 * the outermost range with a framework's text is. A backward frame
 * (evaluate_function: X) opens a run that waits for its node X, which carries
 * the sequence id.
 */
#include "corr.h"

#include <string.h>

#include "esc.h"

/* The first input whose producer is known to be a backward's. */
static bool
pair_by_inputs(
    struct corr_proc *p, const struct marker *m, struct recent_val *v)
{
	int64_t id, out;
	size_t at = 0;

	while (marker_input(m, &at, &id, &out))
		if (id > 0 && recent_get(&p->bwd, id, v))
			return true;
	return false;
}

/* AccumulateGrad runs as soon as its gradient is there, before any other node
 * of its thread: so the gradient is of the node before. */
static bool
pair_by_order(
    const struct corr_thread *th, const struct marker *m, struct recent_val *v)
{
	static const char word[] = "AccumulateGrad";
	size_t w = sizeof(word) - 1;

	if (m->name.n < w || memcmp(m->name.s + m->name.n - w, word, w) != 0)
		return false;
	v->op = th->last_fwd;
	v->inst = th->last_fwd_inst;
	return v->op != OP_NONE;
}

/*
 * Which forward op a backward node belongs to; false: not known. A node
 * carries the sequence id that was current when its forward ran; several
 * forward ranges peek at the same number, and the last one made the node.
 * AccumulateGrad carries none: it belongs to the op that made its input, or if
 * that is not known, to the node before it.
 */
static bool
pair_forward(struct corr *c, struct corr_thread *th, const struct marker *m,
    struct recent_val *v)
{
	enum pair by_hook = PAIR_ASK;
	bool found;

	if (c->hooks.pair != NULL)
		by_hook = c->hooks.pair(th, m, v);
	if (by_hook != PAIR_ASK)
		found = by_hook == PAIR_FOUND;
	else if (m->seq >= 0)
		found = recent_get(&th->p->fwd, m->seq, v);
	else
		found = pair_by_inputs(th->p, m, v) || pair_by_order(th, m, v);
	return found && v->op != OP_NONE;
}

/* op OP_NONE: pending, a backward frame whose node is not known yet. */
static struct corr_inst *
open_inst(struct corr *c, struct corr_thread *th, uint32_t op,
    const struct corr_open *o)
{
	struct corr_inst *in = inst_new(&c->insts);
	bool guess;

	in->pid = th->p->pid;
	in->src = th->p->src;
	in->tid = th->tid;
	in->has_tid = true;
	in->start = o->span.start;
	in->end = o->span.end;
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
trace_of(const struct corr_thread *th)
{
	const struct corr_open *o;
	size_t i;

	for (i = th->open.n; i > 0; i--) {
		o = thread_at(th, i - 1);
		if (o->kind == MK_TRACE && !o->dead)
			return (struct mview){ o->text.s, o->text.len };
	}
	return (struct mview){ NULL, 0 };
}

/* How the module whose arguments are on top of the thread describes itself. */
static struct mview
repr_of(const struct corr_thread *th)
{
	const struct corr_open *o = thread_top(th) - (th->open.n > 1);

	if (o->kind != MK_REPR || o->dead)
		return (struct mview){ NULL, 0 };
	return (struct mview){ o->text.s, o->text.len };
}

static void
begin_args(struct corr *c, struct corr_thread *th, struct corr_open *o,
    struct marker *m, struct corr_inst *cur, bool bwd)
{
	uint32_t id;

	if (o->dead || (cur != NULL && cur->args))
		return;
	id = op_of_args(
	    &c->ops, thread_layer(th), trace_of(th), repr_of(th), m, bwd);
	o->own = open_inst(c, th, id, o);
	o->own->args = true;
	if (c->hooks.args != NULL)
		c->hooks.args(th, o, m);
	if (bwd && cur != NULL) {
		o->own->seq = cur->seq;
		o->own->fwd_op = cur->fwd_op;
		o->own->fwd_inst = cur->fwd_inst;
	}
}

static void
begin_op(struct corr *c, struct corr_thread *th, struct corr_open *o,
    const struct marker *m, struct corr_inst *cur)
{
	if (o->hidden || o->dead)
		return;
	if (c->hooks.makes_op != NULL && !c->hooks.makes_op(th, m))
		return;
	if (cur != NULL && o->span.end <= cur->end)
		return; /* lies in another; start/end ranges can overlap */
	o->own = open_inst(c, th, op_of_range(&c->ops, thread_layer(th), m), o);
	o->own->seq = m->seq;
}

/* What a backward of this sequence id will look for. */
static void
leave_seq(struct corr_thread *th, uint64_t prim_run, const struct marker *m,
    const struct corr_inst *cur)
{
	struct recent_val v = { OP_NONE, RECENT_NO_NAME, 0, prim_run };

	if (cur == NULL || cur->pending)
		return;
	v.op = cur->op;
	v.inst = cur->id;
	recent_put(&th->p->fwd, m->seq, v);
}

/* Whether the node takes over the frame's run: one in which nothing ran on
 * the GPU so far, at most calls that ask for the device. */
static bool
takes_over(struct corr *c, const struct corr_inst *cur)
{
	if (cur == NULL || (cur->need_node && cur->n_gpu > 0))
		return false;
	if (cur->need_node)
		c->n.unpaired--; /* counted when the call came */
	return true;
}

/* The node X of a backward, inside its frame or alone. */
static void
begin_node(struct corr *c, struct corr_thread *th, struct corr_open *o,
    const struct marker *m, struct corr_inst *cur)
{
	struct recent_val fwd = { OP_NONE, RECENT_NO_NAME, 0, 0 };
	struct corr_inst *in = cur;
	uint32_t op;

	if (o->hidden || o->dead)
		return;
	if (cur != NULL && !cur->pending && !cur->need_node)
		return;
	if (!pair_forward(c, th, m, &fwd)) {
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
		in = open_inst(c, th, op, o);
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
leave_op_id(struct corr_thread *th, const struct corr_open *o,
    const struct marker *m, const struct corr_inst *cur)
{
	const struct corr_open *up = o - 1;
	struct recent_val v = { OP_NONE, RECENT_NO_NAME, 0, 0 };

	if (cur == NULL || cur->pending || m->op_id < 0 || th->open.n < 2)
		return;
	if (m->kind != MK_BWD && up->kind != MK_BWD && up->kind != MK_BWD_FRAME)
		return;
	v.op = cur->fwd_op;
	v.inst = cur->fwd_inst;
	if (v.op != OP_NONE)
		recent_put(&th->p->bwd, m->op_id, v);
}

static void
begin_frame(struct corr *c, struct corr_thread *th, struct corr_open *o,
    const struct marker *m)
{
	if (o->hidden || o->dead)
		return;
	o->own = open_inst(c, th, OP_NONE, o);
	o->order = o->own->order;
	buf_put(&o->text, m->name.s, m->name.n);
}

static void
note_name(struct corr *c, const struct corr_thread *th, struct corr_open *o,
    const struct marker *m)
{
	if (c->hooks.named != NULL)
		c->hooks.named(c, th, o, m);
}

/* The framework's range o, the top of the thread, opens what it stands for. */
static void
open_op(struct corr *c, struct corr_thread *th, struct corr_open *o,
    struct marker *m, const struct corr_open *up)
{
	switch (m->kind) {
	case MK_ARGS:
		begin_args(c, th, o, m, up->cur, up->n_bwd > 0);
		break;
	case MK_BWD_FRAME:
		begin_frame(c, th, o, m);
		break;
	case MK_BWD:
		begin_node(c, th, o, m, up->cur);
		break;
	default:
		begin_op(c, th, o, m, up->cur);
	}
}

static void
range_op(struct corr *c, struct corr_thread *th, struct corr_open *o,
    struct marker *m)
{
	static const struct corr_open ground;
	const struct corr_open *up = th->open.n > 1 ? o - 1 : &ground;
	const struct corr_inst *cur;
	bool op = m->kind == MK_OP;

	o->seq = m->seq;
	if (!th->any_op) {
		th->any_op = true;
		th->autograd = m->kind == MK_BWD || m->kind == MK_BWD_FRAME;
	}
	o->hidden = (m->flags & MK_GROUP) != 0;
	note_name(c, th, o, m);
	open_op(c, th, o, m, up);
	cur = o->own != NULL ? o->own : up->cur;
	if (op && cur != NULL && !o->dead && !o->hidden)
		prim_begin(&c->prims, th, o, up, m);
	prim_inputs(&c->prims, th->p, m);
	if (op && m->seq >= 0 && up->n_bwd == 0 && (up->again || !th->autograd))
		leave_seq(th, o->own_prim != 0 ? o->own_prim_run : up->prim_run,
		    m, cur);
	if (up->n_bwd > 0 || m->kind == MK_BWD)
		leave_op_id(th, o, m, cur);
}

/* Whether the program never ended the range, which recorders then end with the
 * recording. A range of the program's that is pushed may well last to the end;
 * one that is started there and never ended says nothing. */
static bool
is_leaked(const struct corr *c, const struct corr_range *r, enum marker_kind k)
{
	bool to_the_end = !r->has_end || (c->has_end && r->end >= c->end);

	switch (k) {
	case MK_ARGS:
	case MK_TRACE:
	case MK_REPR:
		return to_the_end;
	case MK_USER:
	case MK_LAYER:
		return to_the_end && !r->nests;
	default:
		return !r->has_end;
	}
}

/* Texts of PyTorch before 1.6 have no namespace. Only the texts around them
 * show that they are not the program's own. */
static void
judge_age(struct corr *c, struct marker *m, const char *domain)
{
	if (c->spaced)
		return;
	if (m->kind == MK_USER && (domain == NULL || domain[0] == '\0'))
		marker_bare(m, !c->old);
	if (m->by != BY_PYTORCH || (m->kind != MK_OP && m->kind != MK_BWD))
		return;
	if (m->op_id >= 0 ||
	    (m->mod.n == 4 && memcmp(m->mod.s, "aten", 4) == 0))
		c->spaced = true;
	else if (m->mod.s == NULL)
		c->old = true;
}

static void
note_kind(struct corr *c, const struct marker *m, const struct corr_range *r)
{
	if (m->flags & MK_DAMAGED)
		c->n.damaged++;
	if (m->kind == MK_BROKEN)
		c->n.broken++;
	if (m->kind == MK_ARGS)
		r->p->has_args = true;
	if (m->op_id >= 0)
		r->p->has_op_id = true;
	if (c->hooks.marker != NULL)
		c->hooks.marker(c, r->p, m);
}

static void
begin_user(struct corr *c, struct corr_thread *th, struct corr_open *o,
    const struct marker *m)
{
	if (o->dead)
		return;
	note_name(c, th, o, m);
	o->own_phase = phase_of_text(m->name.s, m->name.n);
	if (o->own_phase != 0)
		thread_phased(th);
	if ((m->flags & (MK_STEP | MK_GROUP)) != 0)
		return;
	o->layered = true;
	esc_put(&o->text, m->name.s, m->name.n);
}

static void
begin_config(const struct marker *m)
{
	struct mview key, val;
	struct buf b = { 0 };
	size_t at = 0;

	while (marker_config(m, &at, &key, &val)) {
		buf_clear(&b);
		buf_puts(&b, "##info\tmodel_");
		/* DLProf's guide and database have this name */
		if (key.n == 7 && memcmp(key.s, "profile", 7) == 0)
			buf_puts(&b, "autograd_");
		esc_put(&b, key.s, key.n);
		buf_putc(&b, '\t');
		esc_put(&b, val.s, val.n);
		out_line(b.s, b.len);
	}
	buf_free(&b);
}

static void
open_marker(struct corr *c, struct corr_thread *th, struct corr_open *o,
    struct marker *m)
{
	switch (m->kind) {
	case MK_USER:
	case MK_LAYER:
		begin_user(c, th, o, m);
		break;
	case MK_TRACE:
		buf_put(&o->text, m->text.s, m->text.n);
		break;
	case MK_REPR:
		buf_put(&o->text, m->name.s, m->name.n);
		break;
	case MK_CONFIG:
		begin_config(m);
		break;
	case MK_BROKEN:
		break;
	default:
		range_op(c, th, o, m);
	}
}

/* A range that encloses nothing, as it ends on another thread or before it
 * starts, or as its domain makes no ops. */
static bool
is_aside(struct corr *c, const struct corr_range *r)
{
	if (r->backwards)
		c->n.backwards++;
	else if (r->crossing)
		c->n.crossing++;
	return r->backwards || r->crossing || r->foreign;
}

struct range_end
range_begin(struct corr *c, const struct corr_range *r)
{
	struct corr_thread *th = r->th;
	struct corr_open *o;
	struct marker m;

	marker_parse(c->markers, &m, r->text, r->n, r->domain);
	judge_age(c, &m, r->domain);
	if (!r->foreign)
		note_kind(c, &m, r);
	if (is_aside(c, r))
		return (struct range_end){ m.kind, 0 };
	o = thread_push(th, r->start, r->end);
	o->id = r->id;
	o->kind = m.kind;
	o->dead = is_leaked(c, r, m.kind);
	if (o->dead && (m.kind == MK_USER || m.kind == MK_LAYER))
		c->n.unended++;
	else
		c->n.leaked += o->dead;
	open_link(th, th->open.n - 1);
	open_marker(c, th, o, &m);
	open_link(th, th->open.n - 1);
	return (struct range_end){ m.kind, o->phase };
}

/* A backward frame that has work before its node: named by what the frame
 * says, without its forward. */
static void
resolve_by_name(struct corr *c, struct corr_thread *th, struct corr_inst *in)
{
	struct marker m = { .in = c->markers,
		.kind = MK_BWD,
		.by = BY_PYTORCH,
		.seq = -1,
		.op_id = -1,
		.step = -1 };
	size_t i;

	for (i = th->open.n; i > 0 && thread_at(th, i - 1)->own != in;)
		i--;
	if (i > 0 && thread_at(th, i - 1)->text.s != NULL) {
		m.name.s = thread_at(th, i - 1)->text.s;
		m.name.n = thread_at(th, i - 1)->text.len;
	} else {
		m.name.s = "";
	}
	m.text = m.op = m.name;
	in->op = op_of_backward(&c->ops, thread_layer(th), &m, OP_NONE);
	in->need_node = true;
	c->n.unpaired++;
	inst_schedule(&c->insts, in);
}

struct corr_inst *
current_inst(struct corr *c, struct corr_thread *th)
{
	struct corr_open *top = thread_top(th);

	if (top == NULL || top->cur == NULL)
		return NULL;
	if (top->cur->pending)
		resolve_by_name(c, th, top->cur);
	return top->cur;
}
